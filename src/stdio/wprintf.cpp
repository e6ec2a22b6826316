// The printf family for wide characters: output to files and strings.
#include <wchar.h>

#include <cerrno>

#include "stdio/error.hpp"
#include "stdio/format.hpp"
#include "stdio/output_pieces.hpp"
#include "stdio/standard.hpp"
#include "stdio/variadic.hpp"
#include "stdio/wide.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

class wide_file_output final : public output<wchar_t> {
 public:
  explicit wide_file_output(leat_file& f) noexcept
      : output(scratch_, scratch_ + scratch_size), pieces_(f) {}

  void finish() noexcept {
    if (!failed() && !pieces_.write_wide(begin_, static_cast<std::size_t>(next_ - begin_))) fail();
  }

 private:
  bool make_room() noexcept override {
    finish();
    set_buffer(scratch_, scratch_ + scratch_size);
    return !failed();
  }

  static constexpr std::size_t scratch_size = 512;

  output_pieces pieces_;
  wchar_t scratch_[scratch_size];
};

class wide_string_output final : public output<wchar_t> {
 public:
  wide_string_output(wchar_t* to, std::size_t size) noexcept
      : output(to, to + (size == 0 ? 0 : size - 1)), size_(size) {}

  /// Unlike for snprintf, a text that does not fit is an error (EOVERFLOW).
  void finish() noexcept {
    if (size_ != 0) *next_ = L'\0';
    if (count() < size_) return;
    errno = EOVERFLOW;
    fail();
  }

 private:
  bool make_room() noexcept override { return false; }

  std::size_t size_;
};

int print_file(const char* function, leat_file* f, const wchar_t* text, print_arguments& arguments,
               percent_n n_policy) noexcept {
  const file_guard guard(f, function);
  set_wide_orientation(*f);
  if (!f->writable) return refuse_output(*f);
  wide_file_output to(*f);
  return finish_output(to, format(to, text, text, arguments, n_policy));
}

int print_string(wchar_t* to, std::size_t size, const wchar_t* text, print_arguments& arguments,
                 percent_n n_policy) noexcept {
  wide_string_output string(to, size);
  return finish_output(string, format(string, text, text, arguments, n_policy));
}

int print_checked(wchar_t* to, std::size_t size, std::size_t room, const wchar_t* text,
                  print_arguments& arguments, percent_n n_policy) noexcept {
  if (size > room) abort_overflow("swprintf");
  return print_string(to, size, text, arguments, n_policy);
}

}  // namespace

}  // namespace stdio
}  // namespace v0
}  // namespace leat

using namespace leat::stdio;

LEAT_PRINTF(fwprintf, wchar_t, print_file, (leat_file * f, ), (__func__, f, ))
LEAT_PRINTF(wprintf, wchar_t, print_file, (), (__func__, leat_stdio_stdout, ))
LEAT_PRINTF(swprintf, wchar_t, print_string, (wchar_t * to, std::size_t size, ), (to, size, ))

// If _FORTIFY_SOURCE is defined, glibc's inline functions call the next functions.
LEAT_PRINTF_AS(leat_stdio_fwprintf_chk, leat_stdio_vfwprintf_chk, percent_n_of(flag), wchar_t,
               print_file, (leat_file * f, int flag, ), (__func__, f, ))
LEAT_PRINTF_AS(leat_stdio_wprintf_chk, leat_stdio_vwprintf_chk, percent_n_of(flag), wchar_t,
               print_file, (int flag, ), (__func__, leat_stdio_stdout, ))
LEAT_PRINTF_AS(leat_stdio_swprintf_chk, leat_stdio_vswprintf_chk, percent_n_of(flag), wchar_t,
               print_checked, (wchar_t * to, std::size_t size, int flag, std::size_t room, ),
               (to, size, room, ))
