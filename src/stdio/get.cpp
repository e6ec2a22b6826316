// Reading bytes: fread, fgetc, ungetc and similar functions.
#include <cerrno>
#include <cstdio>

#include "stdio/error.hpp"
#include "stdio/standard.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

std::size_t get_items(leat_file& f, void* to, std::size_t size, std::size_t count) noexcept {
  std::size_t bytes;
  if (__builtin_mul_overflow(size, count, &bytes)) {
    f.failed = true;
    return fail(EOVERFLOW, std::size_t{0});
  }
  if (bytes == 0) return 0;
  const std::size_t got = read(f, static_cast<char*>(to), bytes);
  return got == bytes ? count : got / size;
}

}  // namespace

}  // namespace stdio
}  // namespace v0
}  // namespace leat

using namespace leat::stdio;

size_t leat_fread(void* to, size_t size, size_t count, leat_file* f) {
  LEAT_GUARD_FILE(f);
  return get_items(*f, to, size, count);
}
// If _FORTIFY_SOURCE is defined, <leat/stdio.h> calls this function. `room` is the size of the
// memory, or SIZE_MAX if the size is unknown.
extern "C" LEAT_API size_t leat_stdio_fread_chk(void* to, size_t room, size_t size, size_t count,
                                                leat_file* f) {
  size_t all = 0;
  if (__builtin_mul_overflow(size, count, &all) || all > room) abort_overflow("fread");
  return leat_fread(to, size, count, f);
}
size_t leat_fread_unlocked(void* to, size_t size, size_t count, leat_file* f) {
  return get_items(*f, to, size, count);
}

int leat_fgetc(leat_file* f) {
  LEAT_GUARD_FILE(f);
  return get_byte(*f);
}
int leat_fgetc_unlocked(leat_file* f) { return get_byte(*f); }
// The inline functions of <leat/stdio.h> call the next two functions.
extern "C" LEAT_API int leat_stdio_fgetc(leat_file* f) {
  LEAT_GUARD_FILE(f);
  return get_byte(*f);
}
extern "C" LEAT_API int leat_stdio_fgetc_unlocked(leat_file* f) { return get_byte(*f); }
int leat_getchar(void) { return leat_fgetc(leat_stdio_stdin); }
int leat_getchar_unlocked(void) { return get_byte(*leat_stdio_stdin); }

int leat_ungetc(int byte, leat_file* f) {
  LEAT_GUARD_FILE(f);
  if (byte == EOF) return EOF;
  set_byte_orientation(*f);
  return push_back(*f, static_cast<char>(byte)) ? static_cast<unsigned char>(byte) : EOF;
}

int leat_getw(leat_file* f) {
  check(f, __func__);
  int word;
  return leat_fread(&word, sizeof word, 1, f) == 1 ? word : EOF;
}
