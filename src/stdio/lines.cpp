// Reading lines.
#include <leat/detail/copy.hpp>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/vector.hpp"
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

/// Copies up to and including the delimiter, at most `most` bytes. Writes nothing behind them.
[[gnu::always_inline]] inline copied copy_until(char* to, const char* from, std::size_t most,
                                                char delimiter) noexcept {
  // One pass searches and copies. It has few branches: lines have all lengths, so a branch that
  // depends on the length is often predicted wrongly.
  constexpr std::size_t block = 64;
  constexpr std::size_t step = 16;
  const auto move = [&](std::size_t at) { std::memcpy(to + at, from + at, step); };
  const auto wanted = simd::native::splat(delimiter);
  std::size_t done = 0;
  for (; most - done >= block; done += block) {
    const std::uint64_t found = simd::mark_64<simd::native>(from + done, wanted);
    if (found == 0) {
      std::memcpy(to + done, from + done, block);
      continue;
    }
    const std::size_t size = done + static_cast<std::size_t>(std::countr_zero(found)) + 1;
    if (size < step) {
      detail::copy(to, from, size);
    } else {
      // The copies may overlap. They reach the last byte, and no byte behind it.
      const std::size_t last = size - step;
      move(std::min(done, last));
      move(std::min(done + step, last));
      move(std::min(done + 2 * step, last));
      move(last);
    }
    return {size, true};
  }
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
  // A line that an error cuts off is not returned. EAGAIN only says that the rest has not come yet:
  // what has come is returned.
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
  // A program repeats the call after EAGAIN and EINTR. What was read so far is returned now, as it
  // would be lost.
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

// C11 removed gets, because it cannot know how much room there is. <leat/stdio.h> has it for old
// programs.
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
