// Reading bytes and lines.
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "stdio/error.hpp"
#include "stdio/standard.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

std::size_t get_items(leat_file& f, void* to, std::size_t size, std::size_t count) noexcept {
  std::size_t bytes;
  if (__builtin_mul_overflow(size, count, &bytes)) return fail(EOVERFLOW, std::size_t{0});
  if (bytes == 0) return 0;
  const std::size_t got = read(f, static_cast<char*>(to), bytes);
  return got == bytes ? count : got / size;
}

/// Bytes up to the delimiter, in the window: null if it is not there.
const char* find_in_window(const leat_file& f, int delimiter, std::size_t most) noexcept {
  return static_cast<const char*>(std::memchr(f.get, delimiter, most));
}

char* get_line(leat_file& f, char* to, int size) noexcept {
  if (size <= 0) return fail(EINVAL, nullptr);
  auto left = static_cast<std::size_t>(size) - 1;
  const bool failed_before = f.failed;
  f.failed = false;
  char* at = to;
  while (left != 0) {
    if (f.get == f.get_end && !refill(f)) break;
    const std::size_t most = std::min(left, f.available());
    const char* const newline = find_in_window(f, '\n', most);
    const std::size_t taken =
        newline == nullptr ? most : static_cast<std::size_t>(newline - f.get) + 1;
    std::memcpy(at, f.get, taken);
    f.get += taken;
    at += taken;
    left -= taken;
    if (newline != nullptr) break;
  }
  const bool failed = f.failed;
  f.failed = failed || failed_before;
  // Of a line that an error cuts off nothing is told, but where there is no wait for more.
  if ((at == to && size > 1) || (failed && errno != EAGAIN)) return nullptr;
  *at = '\0';
  return to;
}

/// Makes room for a string of `needed` bytes, the NUL included.
bool make_room(char** line, std::size_t* size, std::size_t needed) noexcept {
  if (*line != nullptr && *size >= needed) return true;
  constexpr std::size_t first = 120;
  const std::size_t wanted = std::max({first, needed, *line != nullptr ? *size * 2 : 0});
  auto* const bigger = static_cast<char*>(std::realloc(*line, wanted));
  if (bigger == nullptr) return false;
  *line = bigger;
  *size = wanted;
  return true;
}

}  // namespace

ssize_t get_delimited(leat_file& f, char** line, std::size_t* size, int delimiter) noexcept {
  if (line == nullptr || size == nullptr) return fail(EINVAL, -1);
  std::size_t used = 0;
  for (;;) {
    if (f.get == f.get_end && !refill(f)) {
      if (used == 0 || f.failed) return -1;
      break;
    }
    const std::size_t most = f.available();
    const char* const found = find_in_window(f, delimiter, most);
    const std::size_t taken = found == nullptr ? most : static_cast<std::size_t>(found - f.get) + 1;
    if (taken >= static_cast<std::size_t>(SSIZE_MAX) - used) {
      f.failed = true;
      return fail(EOVERFLOW, -1);
    }
    if (!make_room(line, size, used + taken + 1)) {
      f.failed = true;
      return fail(ENOMEM, -1);
    }
    std::memcpy(*line + used, f.get, taken);
    f.get += taken;
    used += taken;
    if (found != nullptr) break;
  }
  (*line)[used] = '\0';
  return static_cast<ssize_t>(used);
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat

using namespace leat::stdio;

size_t leat_fread(void* to, size_t size, size_t count, leat_file* f) {
  LEAT_USE(f);
  return get_items(*f, to, size, count);
}
size_t leat_fread_unlocked(void* to, size_t size, size_t count, leat_file* f) {
  return get_items(*f, to, size, count);
}

int leat_fgetc(leat_file* f) {
  LEAT_USE(f);
  return get_byte(*f);
}
int leat_fgetc_unlocked(leat_file* f) { return get_byte(*f); }
int leat_getchar(void) { return leat_fgetc(&standard_input()); }
int leat_getchar_unlocked(void) { return get_byte(standard_input()); }

int leat_ungetc(int byte, leat_file* f) {
  LEAT_USE(f);
  if (byte == EOF) return EOF;
  use_bytes(*f);
  return push_back(*f, static_cast<char>(byte)) ? static_cast<unsigned char>(byte) : EOF;
}

int leat_getw(leat_file* f) {
  int word;
  return leat_fread(&word, sizeof word, 1, f) == 1 ? word : EOF;
}

char* leat_fgets(char* to, int size, leat_file* f) {
  LEAT_USE(f);
  return get_line(*f, to, size);
}
char* leat_fgets_unlocked(char* to, int size, leat_file* f) { return get_line(*f, to, size); }

ssize_t leat_getdelim(char** line, size_t* size, int delimiter, leat_file* f) {
  LEAT_USE(f);
  return get_delimited(*f, line, size, delimiter);
}
ssize_t leat_getline(char** line, size_t* size, leat_file* f) {
  LEAT_USE(f);
  return get_delimited(*f, line, size, '\n');
}
