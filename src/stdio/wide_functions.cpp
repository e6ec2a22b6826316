// The wide functions for characters and lines: fgetwc, fgetws, fputwc, fputws and similar
// functions.
#include <cerrno>
#include <cstdlib>
#include <cwchar>

#include "stdio/checked_line.hpp"
#include "stdio/error.hpp"
#include "stdio/output_pieces.hpp"
#include "stdio/standard.hpp"
#include "stdio/wide.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

wint_t put_character(leat_file& f, wchar_t character) noexcept {
  return put_wide(character, f) ? static_cast<wint_t>(character) : WEOF;
}

wchar_t* get_line(leat_file& f, wchar_t* to, int size) noexcept {
  if (size <= 0) return fail(EINVAL, nullptr);
  const bool failed_before = f.failed;
  f.failed = false;
  wchar_t* at = to;
  wchar_t* const last = to + size - 1;
  while (at != last && (at == to || at[-1] != L'\n')) {
    const std::size_t taken = take_ascii(f, at, static_cast<std::size_t>(last - at));
    at += taken;
    if (taken != 0) continue;
    const wint_t character = get_wide(f);
    if (character == WEOF) break;
    *at++ = static_cast<wchar_t>(character);
  }
  const bool failed = f.failed;
  f.failed = failed || failed_before;
  // As in fgets: EAGAIN only means that the rest of the line has not come yet. Then the first part
  // is returned.
  if ((at == to && size > 1) || (failed && errno != EAGAIN)) return nullptr;
  *at = L'\0';
  return to;
}

int put_text(leat_file& f, const wchar_t* text) noexcept {
  return output_pieces(f).write_wide(text, std::wcslen(text)) ? 1 : -1;
}

}  // namespace

}  // namespace stdio
}  // namespace v0
}  // namespace leat

using namespace leat::stdio;

int leat_fwide(leat_file* f, int mode) {
  LEAT_GUARD_FILE(f);
  if (f->orientation == 0 && mode != 0) f->orientation = mode > 0 ? 1 : -1;
  return f->orientation;
}

wint_t leat_fgetwc(leat_file* f) {
  LEAT_GUARD_FILE(f);
  return get_wide(*f);
}
wint_t leat_fgetwc_unlocked(leat_file* f) { return get_wide(*f); }
wint_t leat_getwchar(void) { return leat_fgetwc(leat_stdio_stdin); }
wint_t leat_getwchar_unlocked(void) { return get_wide(*leat_stdio_stdin); }

wint_t leat_ungetwc(wint_t character, leat_file* f) {
  LEAT_GUARD_FILE(f);
  return unget_wide(character, *f) ? character : WEOF;
}

wint_t leat_fputwc(wchar_t character, leat_file* f) {
  LEAT_GUARD_FILE(f);
  return put_character(*f, character);
}
wint_t leat_fputwc_unlocked(wchar_t character, leat_file* f) {
  return put_character(*f, character);
}
wint_t leat_putwchar(wchar_t character) { return leat_fputwc(character, leat_stdio_stdout); }
wint_t leat_putwchar_unlocked(wchar_t character) {
  return put_character(*leat_stdio_stdout, character);
}

wchar_t* leat_fgetws(wchar_t* to, int size, leat_file* f) {
  LEAT_GUARD_FILE(f);
  return get_line(*f, to, size);
}
wchar_t* leat_fgetws_unlocked(wchar_t* to, int size, leat_file* f) {
  return get_line(*f, to, size);
}

int leat_fputws(const wchar_t* text, leat_file* f) {
  LEAT_GUARD_FILE(f);
  return put_text(*f, text);
}
int leat_fputws_unlocked(const wchar_t* text, leat_file* f) { return put_text(*f, text); }

// leat_stdio_fgets_chk (lines.cpp) for wide characters. glibc's inline functions call this function
// too.
extern "C" LEAT_API wchar_t* leat_stdio_fgetws_chk(wchar_t* to, size_t room, int size,
                                                   leat_file* f) {
  if (size <= 0 || static_cast<std::size_t>(size) <= room) return leat_fgetws(to, size, f);
  LEAT_GUARD_FILE(f);
  return get_checked_line(*f, to, room, static_cast<std::size_t>(size), get_wide, "fgetws");
}
