// Reading lines: fgets, gets, getline, getdelim and leat_next_line.
#include <leat/detail/copy.hpp>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/vector.hpp"
#include "search/delimiters.hpp"
#include "stdio/checked_line.hpp"
#include "stdio/error.hpp"
#include "stdio/standard.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

/// The distance, in bytes, for which ends of lines are listed in advance. Lines within this
/// distance are still in the L1 cache when they are copied.
constexpr std::size_t list_distance = 4096;

struct copied_line {
  std::size_t size;
  bool complete;  // the last byte is the delimiter
};

/// Copies up to and including the delimiter, at most `most` bytes. Writes no byte after the copy.
[[gnu::always_inline]] inline copied_line copy_until(char* to, const char* from, std::size_t most,
                                                     char delimiter) noexcept {
  // One pass searches and copies. The pass has few branches: lines have all lengths, so a branch
  // that depends on the length is often predicted wrongly.
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
      // The copies may overlap. The last copy ends exactly at the last byte.
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

/// The longest line that is copied inline.
constexpr std::size_t longest_short = 128;

/// Copies `size` bytes, at most longest_short. Writes no byte after the copy.
[[gnu::always_inline]] inline void copy_short(char* to, const char* from,
                                              std::size_t size) noexcept {
  constexpr std::size_t step = 16;
  if (size < step) {
    detail::copy(to, from, size);
    return;
  }
  // The copies may overlap. No further branch depends on the line's length.
#pragma GCC unroll 8
  for (std::size_t at = 0; at != longest_short; at += step) {
    std::size_t last = size - step;
    asm("" : "+r"(last));  // without this line, GCC adds branches that skip equal copies
    const std::size_t offset = std::min(at, last);
    std::memcpy(to + offset, from + offset, step);
  }
}

/// The size of the next line, including '\n', if its end is listed; otherwise 0.
std::size_t listed_line(const leat_file& f) noexcept {
  const line_ends& ends = f.ends;
  const std::uint16_t offset = ends.offsets[ends.used];
  if (ends.next != f.get || offset == line_ends::none) return 0;
  return static_cast<std::size_t>(ends.text + offset + 1 - f.get);
}

/// The size of the next line, if its end is listed and the line is short; otherwise 0.
[[gnu::always_inline]] inline std::size_t short_line(const leat_file& f) noexcept {
  const line_ends& ends = f.ends;
  static_assert(line_ends::none - list_distance > longest_short);
  const auto size =
      std::size_t{ends.offsets[ends.used]} + 1 - static_cast<std::size_t>(f.get - ends.text);
  return ends.next == f.get && size <= longest_short ? size : 0;
}

[[gnu::always_inline]] inline void take_short_line(leat_file& f, char* to,
                                                   std::size_t size) noexcept {
  const char* const from = f.get;
  f.get += size;
  f.ends.next = from + size;
  ++f.ends.used;
  copy_short(to, from, size);
  to[size] = '\0';
}

/// Takes `size` bytes of a listed line that has `line_size` bytes.
void take_listed(leat_file& f, char* to, std::size_t size, std::size_t line_size) noexcept {
  std::memcpy(to, f.get, size);
  to[size] = '\0';
  f.get += size;
  f.ends.next = f.get;
  f.ends.used += size == line_size ? 1 : 0;
}

/// If lines are read one after another, lists the ends of the next lines. Returns listed_line().
std::size_t list_lines(leat_file& f) noexcept {
  line_ends& ends = f.ends;
  constexpr std::size_t most = sizeof ends.offsets / sizeof *ends.offsets;
  constexpr std::size_t step = 256;
  constexpr std::size_t least = 128;
  static_assert(leat_file::max_pushback < least && most > step + search::offset_padding);
  // Memory streams (buffer_size 0) get no list: [get, get_end) is the program's memory, which may
  // change.
  if (ends.next != f.get || f.available() < least || below(f).buffer_size(f) == 0) return 0;
  ends.restart(f.get);
  const std::size_t size = std::min(f.available(), list_distance);
  std::size_t count = 0;
  for (std::size_t done = 0; done != size && count + step + search::offset_padding < most;) {
    const std::size_t part = std::min(step, size - done);
    count += search::list_delimiters(ends.text + done, part, '\n', done, ends.offsets + count);
    done += part;
  }
  ends.offsets[count] = line_ends::none;
  return listed_line(f);
}

/// After a line of `size` bytes was read without the list, empties the list. If the line is short,
/// the next call may list lines. For long lines a list costs more than it saves.
void note_line(leat_file& f, std::size_t size) noexcept {
  constexpr std::size_t most = 512;
  f.ends.restart(size <= most ? f.get : nullptr);
}

char* copy_line(leat_file& f, char* to, std::size_t room) noexcept {
  const bool failed_before = std::exchange(f.failed, false);
  char* at = to;
  std::size_t left = room;
  while (left != 0) {
    if (f.get == f.get_end && !refill(f)) break;
    const auto [taken, complete] = copy_until(at, f.get, std::min(left, f.available()), '\n');
    f.get += taken;
    at += taken;
    left -= taken;
    if (!complete) continue;
    note_line(f, room - left);
    break;
  }
  const bool failed = f.failed;
  f.failed = failed || failed_before;
  // A line that an error cuts off is not returned. EAGAIN only means that the rest of the line has
  // not come yet: then the first part is returned.
  if ((at == to && room != 0) || (failed && errno != EAGAIN)) return nullptr;
  *at = '\0';
  return to;
}

[[gnu::noinline]] char* get_line(leat_file& f, char* to, int size) noexcept {
  if (size <= 0) return fail(EINVAL, nullptr);
  const auto room = static_cast<std::size_t>(size) - 1;
  std::size_t next = listed_line(f);
  if (next == 0) next = list_lines(f);
  if (next == 0) return copy_line(f, to, room);
  take_listed(f, to, std::min(next, room), next);
  return to;
}

[[gnu::noinline]] char* get_line_locked(leat_file* f, char* to, int size) noexcept {
  LEAT_GUARD_FILE(f);
  return get_line(*f, to, size);
}

/// The fast path for a listed and short line that fits. Returns false for other lines.
[[gnu::always_inline]] inline bool get_line_quickly(leat_file& f, char* to, int size) noexcept {
  const std::size_t next = short_line(f);
  if (next == 0 || static_cast<int>(next) >= size) [[unlikely]]
    return false;
  take_short_line(f, to, next);
  return true;
}

/// Makes room for a string of `needed` bytes, including the NUL. Returns false if there is no
/// memory.
bool make_room(char** line, std::size_t* size, std::size_t needed) noexcept {
  if (*line != nullptr && *size >= needed) return true;
  constexpr std::size_t least = 512;  // room for whole blocks of copy_until
  const std::size_t wanted = std::max({least, needed, *line != nullptr ? *size * 2 : 0});
  auto* const bigger = static_cast<char*>(std::realloc(*line, wanted));
  if (bigger == nullptr) return false;
  *line = bigger;
  *size = wanted;
  return true;
}

ssize_t copy_delimited(leat_file& f, char** line, std::size_t* size, int delimiter) noexcept {
  const bool failed_before = std::exchange(f.failed, false);
  // Programs read the line's first byte even at the end of the file.
  const bool fresh = *line == nullptr || *size == 0;
  if (fresh && !make_room(line, size, 1)) {
    f.failed = true;
    return -1;
  }
  if (fresh) **line = '\0';
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
    if (!complete) continue;
    if (delimiter == '\n') note_line(f, used);
    break;
  }
  const bool failed = f.failed;
  f.failed = failed || failed_before;
  // A program repeats the call after EAGAIN and EINTR. Bytes read so far are returned now.
  // Otherwise these bytes would be lost.
  if (used == 0 || (failed && errno != EAGAIN && errno != EINTR)) return -1;
  (*line)[used] = '\0';
  return static_cast<ssize_t>(used);
}

}  // namespace

ssize_t get_delimited(leat_file& f, char** line, std::size_t* size, int delimiter) noexcept {
  if (line == nullptr || size == nullptr) return fail(EINVAL, -1);
  if (delimiter == '\n') {
    std::size_t next = listed_line(f);
    if (next == 0) next = list_lines(f);
    if (next != 0 && *line != nullptr && next < *size) {
      take_listed(f, *line, next, next);
      return static_cast<ssize_t>(next);
    }
  }
  return copy_delimited(f, line, size, delimiter);
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat

using namespace leat::stdio;

char* leat_fgets(char* to, int size, leat_file* f) {
  check(f, __func__);
  if (leat::detail::is_single_threaded() && get_line_quickly(*f, to, size)) [[likely]]
    return to;
  return get_line_locked(f, to, size);
}
char* leat_fgets_unlocked(char* to, int size, leat_file* f) {
  return get_line_quickly(*f, to, size) ? to : get_line(*f, to, size);
}

// C11 removed gets, because gets does not know the array's size. <leat/stdio.h> has gets for old
// programs. If _FORTIFY_SOURCE is defined, <leat/stdio.h> passes the size.
extern "C" LEAT_API char* leat_stdio_gets_chk(char* to, size_t room) {
  leat_file& f = *leat_stdio_stdin;
  LEAT_GUARD_FILE(&f);
  const bool failed_before = std::exchange(f.failed, false);
  char* at = to;
  int byte;
  while ((byte = get_byte(f)) != -1 && byte != '\n') {
    if (static_cast<std::size_t>(at - to) + 1 >= room) abort_overflow("gets");
    *at++ = static_cast<char>(byte);
  }
  const bool failed = f.failed;
  f.failed = failed || failed_before;
  if (failed || (byte == -1 && at == to)) return nullptr;
  *at = '\0';
  return to;
}
extern "C" LEAT_API char* leat_stdio_gets(char* to) { return leat_stdio_gets_chk(to, SIZE_MAX); }

// If _FORTIFY_SOURCE is defined, <leat/stdio.h> calls the next function. `room` is the size of the
// array, or SIZE_MAX if the size is unknown. As in glibc, a line that fits is accepted even if
// `size` is too large.
extern "C" LEAT_API char* leat_stdio_fgets_chk(char* to, size_t room, int size, leat_file* f) {
  if (size <= 0 || static_cast<std::size_t>(size) <= room) return leat_fgets(to, size, f);
  LEAT_GUARD_FILE(f);
  return get_checked_line(*f, to, room, static_cast<std::size_t>(size), get_byte, "fgets");
}

ssize_t leat_getdelim(char** line, size_t* size, int delimiter, leat_file* f) {
  LEAT_GUARD_FILE(f);
  return get_delimited(*f, line, size, delimiter);
}
ssize_t leat_getline(char** line, size_t* size, leat_file* f) {
  check(f, __func__);
  if (leat::detail::is_single_threaded() && line != nullptr && size != nullptr && *line != nullptr)
      [[likely]] {
    const std::size_t next = short_line(*f);
    if (next != 0 && next < *size) [[likely]] {
      take_short_line(*f, *line, next);
      return static_cast<ssize_t>(next);
    }
  }
  return leat_getdelim(line, size, '\n', f);
}

const char* leat_next_line(leat_file* f, size_t* size) {
  LEAT_GUARD_FILE(f);
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
