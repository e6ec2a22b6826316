// The scanf family for bytes. scan/ has the engine.
#include <cstring>

#include "stdio/scan/scanner.hpp"
#include "stdio/standard.hpp"
#include "stdio/variadic.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

class file_input : public symbols<char> {
 public:
  static constexpr bool has_buffer = true;

  explicit file_input(leat_file& f) noexcept : file_(f) { set_byte_orientation(f); }
  symbol peek() noexcept { return peek_byte(file_); }
  void take() noexcept {
    ++file_.get;
    ++count_;
  }
  const char* begin() const noexcept { return file_.get; }
  const char* end() const noexcept { return file_.get_end; }
  void advance_to(const char* at) noexcept {
    const std::ptrdiff_t n = at - file_.get;
    file_.get += n;
    count_ += static_cast<std::size_t>(n);
  }
  std::size_t count() const noexcept { return count_; }

 private:
  leat_file& file_;
  std::size_t count_ = 0;
};

/// Reads a string. Searches for the NUL in 256 bytes at a time, because the NUL may be far away.
class text_input : public symbols<char> {
 public:
  static constexpr bool has_buffer = true;

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
  void advance_to(const char* at) noexcept { at_ = at; }
  std::size_t count() const noexcept { return static_cast<std::size_t>(at_ - first_); }

 private:
  static constexpr std::size_t step = 256;
  const char* first_;
  const char* at_;
  const char* end_;
};

}  // namespace

}  // namespace stdio
}  // namespace v0
}  // namespace leat

using namespace leat::stdio;

LEAT_SCANF(fscanf, char, scan_file<file_input>, (leat_file * f, ), (__func__, f, ))
LEAT_SCANF(scanf, char, scan_file<file_input>, (), (__func__, leat_stdio_stdin, ))
LEAT_SCANF(sscanf, char, scan_text<text_input>, (const char* text, ), (text, ))
