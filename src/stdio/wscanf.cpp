// The scanf family for wide characters. scan/ has the engine.
#include <cerrno>
#include <cwchar>

#include "stdio/scan/scanner.hpp"
#include "stdio/standard.hpp"
#include "stdio/variadic.hpp"
#include "stdio/wide.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

class wide_file_input : public symbols<wchar_t> {
 public:
  static constexpr bool has_buffer = false;

  explicit wide_file_input(leat_file& f) noexcept : file_(f) { set_wide_orientation(f); }
  /// Pushes back a character that was decoded but not taken.
  ~wide_file_input() {
    if (!has_next_ || size_ != 0 || next_ == WEOF) return;
    const int error = errno;
    unget_wide(next_, file_);
    errno = error;
  }
  wide_file_input(const wide_file_input&) = delete;
  wide_file_input& operator=(const wide_file_input&) = delete;

  symbol peek() noexcept {
    if (!has_next_) decode_next();
    return next_;
  }
  void take() noexcept {
    if (size_ != 0) {
      file_.get += size_;
      file_.read_state = state_;
    }
    has_next_ = false;
    ++count_;
  }
  std::size_t count() const noexcept { return count_; }

 private:
  void decode_next() noexcept {
    has_next_ = true;
    size_ = 0;
    if (std::mbsinit(&file_.read_state) != 0) {
      if (peek_byte(file_) < 0) {
        next_ = WEOF;
        return;
      }
      // If all bytes of the character are in the buffer, they stay there until take().
      state_ = file_.read_state;
      if (is_ascii(*file_.get)) {
        next_ = static_cast<unsigned char>(*file_.get);
        size_ = 1;
        return;
      }
      wchar_t found;
      const std::size_t n = std::mbrtowc(&found, file_.get, file_.available(), &state_);
      if (n <= file_.available()) {
        next_ = symbol_of(found);
        size_ = n == 0 ? 1 : n;
        return;
      }
    }
    next_ = get_wide(file_);
  }

  leat_file& file_;
  bool has_next_ = false;
  symbol next_ = WEOF;
  std::size_t size_ = 0;    // bytes of next_, at the buffer's start; 0: already taken
  std::mbstate_t state_{};  // the decoder's state after next_
  std::size_t count_ = 0;
};

class wide_text_input : public symbols<wchar_t> {
 public:
  static constexpr bool has_buffer = false;

  explicit wide_text_input(const wchar_t* text) noexcept : first_(text), at_(text) {}
  symbol peek() noexcept { return *at_ == L'\0' ? none : static_cast<symbol>(*at_); }
  void take() noexcept { ++at_; }
  std::size_t count() const noexcept { return static_cast<std::size_t>(at_ - first_); }

 private:
  const wchar_t* first_;
  const wchar_t* at_;
};

}  // namespace

}  // namespace stdio
}  // namespace v0
}  // namespace leat

using namespace leat::stdio;

LEAT_SCANF(fwscanf, wchar_t, scan_file<wide_file_input>, (leat_file * f, ), (__func__, f, ))
LEAT_SCANF(wscanf, wchar_t, scan_file<wide_file_input>, (), (__func__, leat_stdio_stdin, ))
LEAT_SCANF(swscanf, wchar_t, scan_text<wide_text_input>, (const wchar_t* text, ), (text, ))
