// Writing bytes and strings: fwrite, fputc, fputs and similar functions.
#include <cerrno>
#include <cstdio>

#include "stdio/error.hpp"
#include "stdio/standard.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

int put_byte(leat_file& f, int byte) noexcept {
  const auto value = static_cast<char>(byte);
  if (f.put != f.put_end) [[likely]] {
    *f.put++ = value;
  } else if (f.buffers == buffering::line && f.put < f.line_end && value != '\n') {
    *f.put++ = value;
    f.put_end = f.put;  // the inline functions must see no room
  } else if (write_past_room(f, &value, 1) != 1) {
    return EOF;
  }
  return static_cast<unsigned char>(value);
}

std::size_t put_items(leat_file& f, const void* from, std::size_t size,
                      std::size_t count) noexcept {
  std::size_t bytes;
  if (__builtin_mul_overflow(size, count, &bytes)) {
    f.failed = true;
    return fail(EOVERFLOW, std::size_t{0});
  }
  if (bytes == 0) return 0;
  const std::size_t taken = write(f, static_cast<const char*>(from), bytes);
  return taken == bytes ? count : taken / size;
}

int put_text(leat_file& f, const char* text) noexcept {
  return write(f, std::string_view(text)) ? 1 : EOF;
}

}  // namespace

}  // namespace stdio
}  // namespace v0
}  // namespace leat

using namespace leat::stdio;

size_t leat_fwrite(const void* from, size_t size, size_t count, leat_file* f) {
  LEAT_GUARD_FILE(f);
  return put_items(*f, from, size, count);
}
size_t leat_fwrite_unlocked(const void* from, size_t size, size_t count, leat_file* f) {
  return put_items(*f, from, size, count);
}

int leat_fputc(int byte, leat_file* f) {
  LEAT_GUARD_FILE(f);
  return put_byte(*f, byte);
}
int leat_fputc_unlocked(int byte, leat_file* f) { return put_byte(*f, byte); }
// The inline functions of <leat/stdio.h> call the next two functions.
extern "C" LEAT_API int leat_stdio_fputc(int byte, leat_file* f) {
  LEAT_GUARD_FILE(f);
  return put_byte(*f, byte);
}
extern "C" LEAT_API int leat_stdio_fputc_unlocked(int byte, leat_file* f) {
  return put_byte(*f, byte);
}
int leat_putchar(int byte) { return leat_fputc(byte, leat_stdio_stdout); }
int leat_putchar_unlocked(int byte) { return put_byte(*leat_stdio_stdout, byte); }

int leat_putw(int word, leat_file* f) {
  check(f, __func__);
  return leat_fwrite(&word, sizeof word, 1, f) == 1 ? 0 : EOF;
}

int leat_fputs(const char* text, leat_file* f) {
  LEAT_GUARD_FILE(f);
  return put_text(*f, text);
}
int leat_fputs_unlocked(const char* text, leat_file* f) { return put_text(*f, text); }
