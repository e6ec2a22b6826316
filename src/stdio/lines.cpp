// Reading lines.
#include <leat/detail/copy.hpp>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#if defined(__SSE2__)
#  include <emmintrin.h>
#endif

#include "stdio/error.hpp"
#include "stdio/standard.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

struct copied {
  std::size_t size;
  bool complete;  // the last byte is the delimiter
};

/// Copies up to the delimiter, with it, or `most` bytes, and writes nothing behind them.
[[gnu::always_inline]] inline copied copy_until(char* to, const char* from, std::size_t most,
                                                char delimiter) noexcept {
  std::size_t done = 0;
#if defined(__SSE2__)
  // One pass for both, and few branches: lines have all lengths, so each is one mispredicted.
  constexpr std::size_t step = sizeof(__m128i);
  constexpr std::size_t block = 4 * step;
  const auto move = [&](std::size_t at) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + at),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
  };
  const __m128i wanted = _mm_set1_epi8(delimiter);
  const auto marks = [&](std::size_t at) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at));
    return std::uint64_t{static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted)))};
  };
  for (; most - done >= block; done += block) {
    const std::uint64_t found = marks(done) | marks(done + step) << 16 |
                                marks(done + 2 * step) << 32 | marks(done + 3 * step) << 48;
    if (found == 0) {
      for (std::size_t i = 0; i != block; i += step) move(done + i);
      continue;
    }
    const std::size_t size = done + static_cast<std::size_t>(std::countr_zero(found)) + 1;
    if (size < step) {
      detail::copy(to, from, size);
    } else {
      // Copies that overlap reach the last byte and none behind it.
      const std::size_t last = size - step;
      move(std::min(done, last));
      move(std::min(done + step, last));
      move(std::min(done + 2 * step, last));
      move(last);
    }
    return {size, true};
  }
#endif
  const std::size_t left = most - done;
  if (left == 0) return {done, false};
  const void* const found = std::memchr(from + done, delimiter, left);
  const std::size_t rest =
      found == nullptr
          ? left
          : static_cast<std::size_t>(static_cast<const char*>(found) - from) + 1 - done;
  std::memcpy(to + done, from + done, rest);
  return {done + rest, found != nullptr};
}

char* get_line(leat_file& f, char* to, int size) noexcept {
  if (size <= 0) return fail(EINVAL, nullptr);
  auto left = static_cast<std::size_t>(size) - 1;
  const bool failed_before = std::exchange(f.failed, false);
  char* at = to;
  while (left != 0) {
    if (f.get == f.get_end && !refill(f)) break;
    const auto [taken, complete] = copy_until(at, f.get, std::min(left, f.available()), '\n');
    f.get += taken;
    at += taken;
    left -= taken;
    if (complete) break;
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
  constexpr std::size_t first = 512;  // room for whole blocks of copy_until
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
  const bool failed_before = std::exchange(f.failed, false);
  std::size_t used = 0;
  while (!f.failed && (f.get != f.get_end || refill(f))) {
    if ((*line == nullptr || *size - used < 2) && !make_room(line, size, used + 2)) {
      f.failed = true;
      break;
    }
    const auto [taken, complete] =
        copy_until(*line + used, f.get, std::min(*size - used - 1, f.available()),
                   static_cast<char>(delimiter));
    f.get += taken;
    used += taken;
    if (used > static_cast<std::size_t>(SSIZE_MAX) - 1) {
      f.failed = true;
      return fail(EOVERFLOW, -1);
    }
    if (complete) break;
  }
  const bool failed = f.failed;
  f.failed = failed || failed_before;
  // What was read before a call that may just be repeated would be lost.
  if (used == 0 || (failed && errno != EAGAIN && errno != EINTR)) return -1;
  (*line)[used] = '\0';
  return static_cast<ssize_t>(used);
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat

using namespace leat::stdio;

char* leat_fgets(char* to, int size, leat_file* f) {
  LEAT_USE(f);
  return get_line(*f, to, size);
}
char* leat_fgets_unlocked(char* to, int size, leat_file* f) { return get_line(*f, to, size); }

// What <leat/stdio.h> gives old programs for gets, which C11 took away: it can't know the room.
extern "C" LEAT_API char* leat_stdio_gets(char* to) {
  leat_file& f = *leat_stdio_stdin;
  LEAT_USE(&f);
  const bool failed_before = std::exchange(f.failed, false);
  char* at = to;
  int byte;
  while ((byte = get_byte(f)) != -1 && byte != '\n') *at++ = static_cast<char>(byte);
  const bool failed = f.failed;
  f.failed = failed || failed_before;
  if (failed || (byte == -1 && at == to)) return nullptr;
  *at = '\0';
  return to;
}

ssize_t leat_getdelim(char** line, size_t* size, int delimiter, leat_file* f) {
  LEAT_USE(f);
  return get_delimited(*f, line, size, delimiter);
}
ssize_t leat_getline(char** line, size_t* size, leat_file* f) {
  LEAT_USE(f);
  return get_delimited(*f, line, size, '\n');
}

const char* leat_next_line(leat_file* f, size_t* size) {
  LEAT_USE(f);
  if (f->get == f->get_end && !refill(*f)) return nullptr;
  const void* const newline = std::memchr(f->get, '\n', f->available());
  if (newline != nullptr) {
    const char* const line = f->get;
    *size = static_cast<std::size_t>(static_cast<const char*>(newline) - line);
    f->get += *size + 1;
    return line;
  }
  const ssize_t got = get_delimited(*f, &f->line, &f->line_size, '\n');
  if (got < 0) return nullptr;
  *size = static_cast<std::size_t>(got) - (f->line[got - 1] == '\n');
  return f->line;
}
