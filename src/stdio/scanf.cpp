#include "stdio/scanf.hpp"

#include "stdio/standard.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

class file_input {
 public:
  using character = char;
  using symbol = int;
  static constexpr bool has_window = true;
  static constexpr symbol none = -1;
  static symbol symbol_of(char c) noexcept { return static_cast<unsigned char>(c); }

  explicit file_input(leat_file& f) noexcept : file_(f) {}
  symbol peek() noexcept { return peek_byte(file_); }
  void take() noexcept {
    ++file_.get;
    ++taken_;
  }
  const char* begin() const noexcept { return file_.get; }
  const char* end() const noexcept { return file_.get_end; }
  void take_to(const char* at) noexcept {
    const std::ptrdiff_t n = at - file_.get;
    file_.get += n;
    taken_ += static_cast<std::size_t>(n);
  }
  std::size_t taken() const noexcept { return taken_; }

 private:
  leat_file& file_;
  std::size_t taken_ = 0;
};

/// A string. Its end is looked for no further ahead than a little, as it may be far.
class text_input {
 public:
  using character = char;
  using symbol = int;
  static constexpr bool has_window = true;
  static constexpr symbol none = -1;
  static symbol symbol_of(char c) noexcept { return static_cast<unsigned char>(c); }

  explicit text_input(const char* text) noexcept
      : first_(text), at_(text), end_(text + ::strnlen(text, step)) {}
  symbol peek() noexcept {
    if (at_ == end_) {
      end_ += ::strnlen(end_, step);
      if (at_ == end_) return none;
    }
    return static_cast<unsigned char>(*at_);
  }
  void take() noexcept { ++at_; }
  const char* begin() const noexcept { return at_; }
  const char* end() const noexcept { return end_; }
  void take_to(const char* at) noexcept { at_ = at; }
  std::size_t taken() const noexcept { return static_cast<std::size_t>(at_ - first_); }

 private:
  static constexpr std::size_t step = 256;
  const char* first_;
  const char* at_;
  const char* end_;
};

int scan_file(leat_file& f, const char* format, pointer_arguments& arguments) noexcept {
  use_bytes(f);
  file_input in(f);
  return scan(in, format, arguments);
}

int scan_text(const char* text, const char* format, pointer_arguments& arguments) noexcept {
  text_input in(text);
  return scan(in, format, arguments);
}

}  // namespace

}  // namespace stdio
}  // namespace v0
}  // namespace leat

using namespace leat::stdio;

int leat_vfscanf(leat_file* f, const char* format, va_list list) {
  LEAT_USE(f);
  pointer_arguments arguments;
  va_copy(arguments.list, list);
  const int result = scan_file(*f, format, arguments);
  va_end(arguments.list);
  return result;
}
int leat_vscanf(const char* format, va_list list) {
  return leat_vfscanf(leat_stdio_stdin, format, list);
}
int leat_vsscanf(const char* text, const char* format, va_list list) {
  pointer_arguments arguments;
  va_copy(arguments.list, list);
  const int result = scan_text(text, format, arguments);
  va_end(arguments.list);
  return result;
}

int leat_fscanf(leat_file* f, const char* format, ...) {
  LEAT_USE(f);
  pointer_arguments arguments;
  va_start(arguments.list, format);
  const int result = scan_file(*f, format, arguments);
  va_end(arguments.list);
  return result;
}
int leat_scanf(const char* format, ...) {
  leat_file& f = *leat_stdio_stdin;  // a program may put another stream there
  LEAT_USE(&f);
  pointer_arguments arguments;
  va_start(arguments.list, format);
  const int result = scan_file(f, format, arguments);
  va_end(arguments.list);
  return result;
}
int leat_sscanf(const char* text, const char* format, ...) {
  pointer_arguments arguments;
  va_start(arguments.list, format);
  const int result = scan_text(text, format, arguments);
  va_end(arguments.list);
  return result;
}
