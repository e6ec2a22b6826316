// Writing bytes and strings: fwrite, fputc, fputs and similar functions.
#include <cerrno>
#include <cstdio>

#include "stdio/error.hpp"
#include "stdio/standard.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

/// Not inline, so that put_byte() keeps its byte in a register.
[[gnu::noinline]] int put_byte_past_room(leat_file& f, unsigned char byte) noexcept {
  const auto value = static_cast<char>(byte);
  return write_past_room(f, &value, 1) == 1 ? byte : EOF;
}

int put_byte(leat_file& f, int byte) noexcept {
  const auto value = static_cast<unsigned char>(byte);
  char* const at = f.put;
  if (at != f.put_end) [[likely]] {
    f.put = at + 1;
  } else if (f.buffers == buffering::line && at < f.line_end && value != '\n') {
    f.put = f.put_end = at + 1;  // the inline functions must see no room
  } else {
    return put_byte_past_room(f, value);
  }
  *at = static_cast<char>(value);
  return value;
}

int put_byte_locked(leat_file* f, int byte, const char* function) noexcept {
  return with_file(f, function, [=](leat_file& to) noexcept { return put_byte(to, byte); });
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
  return with_file(f, __func__,
                   [=](leat_file& to) noexcept { return put_items(to, from, size, count); });
}
size_t leat_fwrite_unlocked(const void* from, size_t size, size_t count, leat_file* f) {
  return put_items(*f, from, size, count);
}

int leat_fputc(int byte, leat_file* f) { return put_byte_locked(f, byte, __func__); }
int leat_fputc_unlocked(int byte, leat_file* f) { return put_byte(*f, byte); }
// The inline functions of <leat/stdio.h> call the next two functions.
extern "C" LEAT_API int leat_stdio_fputc(int byte, leat_file* f) {
  return put_byte_locked(f, byte, __func__);
}
extern "C" LEAT_API int leat_stdio_fputc_unlocked(int byte, leat_file* f) {
  return put_byte(*f, byte);
}
int leat_putchar(int byte) { return put_byte_locked(leat_stdio_stdout, byte, "leat_fputc"); }
int leat_putchar_unlocked(int byte) { return put_byte(*leat_stdio_stdout, byte); }

int leat_putw(int word, leat_file* f) {
  check(f, __func__);
  return leat_fwrite(&word, sizeof word, 1, f) == 1 ? 0 : EOF;
}

int leat_fputs(const char* text, leat_file* f) {
  return with_file(f, __func__, [=](leat_file& to) noexcept { return put_text(to, text); });
}
int leat_fputs_unlocked(const char* text, leat_file* f) { return put_text(*f, text); }
