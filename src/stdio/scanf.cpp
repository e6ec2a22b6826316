#include "stdio/scanf.hpp"

#include "stdio/standard.hpp"
#include "stdio/variadic.hpp"

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

[[gnu::always_inline]] inline int scan_file(leat_file* f, const char* format,
                                            pointer_arguments& arguments) noexcept {
  const use guard(f, "scanf");
  use_bytes(*f);
  file_input in(*f);
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

LEAT_SCANF(fscanf, char, scan_file, (leat_file * f, ), (f, ))
LEAT_SCANF(scanf, char, scan_file, (), (leat_stdio_stdin, ))
LEAT_SCANF(sscanf, char, scan_text, (const char* text, ), (text, ))
