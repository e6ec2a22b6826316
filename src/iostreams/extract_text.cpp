// Lines and words for std::getline and operator>>. A processor can't predict the lengths of lines
// and words. So a block that is longer than most lines is searched without a branch, and copies
// have one size.
#include <leat/detail/stream_buffer.hpp>
#include <leat/parse.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <span>
#include <string>

#include "base/cpu_dispatch.hpp"
#include "base/processor.hpp"
#include "base/vector.hpp"
#include "iostreams/extract.hpp"
#include "search/delimiters.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

constexpr std::ptrdiff_t line_block = 128, word_block = 32;
// A longer copy takes three times as long as a copy of 128 bytes.
constexpr std::size_t most_copied = 128;

using simd::native;

/// One bit for each byte of a 128-byte block: set if the byte is the delimiter.
struct marks {
  std::uint64_t first = 0, second = 0;
};

/// Returns one bit for each of 32 bytes: set if the byte is a blank.
std::uint64_t blanks_of(const char* at) {
  constexpr auto width = static_cast<std::ptrdiff_t>(native::width);
  std::uint64_t bits = 0;
#pragma GCC unroll 4
  for (std::ptrdiff_t i = 0; i != word_block / width; ++i) {
    const auto bytes = native::load(at + i * width);
    const auto equal = [&bytes](char c) { return native::equal(bytes, native::splat(c)); };
    bits |= native::bits(native::bit_or(
                native::bit_or(native::bit_or(equal(' '), equal('\n')), equal('\t')),
                native::bit_or(native::bit_or(equal('\r'), equal('\v')), equal('\f'))))
            << i * width;
  }
  return bits;
}

/// Returns the first blank, or `end`.
const char* find_blank(const char* at, const char* end) {
  for (; end - at >= word_block; at += word_block)
    if (const std::uint64_t bits = blanks_of(at)) return at + std::countr_zero(bits);
  while (at != end && !is_blank(*at)) ++at;
  return at;
}

#if defined(__cpp_lib_string_resize_and_overwrite)  // in C++23
/// Copies up to 128 bytes. The branches are predictable, because consecutive strings usually have
/// the same `size` here.
[[gnu::always_inline]] inline void copy_some(char* to, const char* from,
                                             std::size_t size) noexcept {
  if (size >= 64) {
    std::memcpy(to, from, 64);
    std::memcpy(to + size - 64, from + size - 64, 64);
  } else if (size >= 32) {
    std::memcpy(to, from, 32);
    std::memcpy(to + size - 32, from + size - 32, 32);
  } else if (size >= 16) {
    std::memcpy(to, from, 16);
    std::memcpy(to + size - 16, from + size - 16, 16);
  } else {
    std::memcpy(to, from, size);
  }
}
#endif

[[gnu::noinline]] void assign_long(std::string& text, const char* from, std::size_t size) {
  text.assign(from, size);
}

/// Assigns `size` bytes. Loads may read bytes up to `end`. If the string's capacity suffices, keeps
/// the capacity.
[[gnu::always_inline]] inline void assign_to(std::string& text, const char* from, std::size_t size,
                                             const char* end) {
  const std::size_t some =
      std::min({text.capacity(), static_cast<std::size_t>(end - from), most_copied});
  if (size > some) [[unlikely]] {
    assign_long(text, from, size);
    return;
  }
#if defined(__cpp_lib_string_resize_and_overwrite)
  text.resize_and_overwrite(some, [&](char* to, std::size_t) {
    copy_some(to, from, some);
    return size;
  });
#else
  text.assign(from, some);
  text.resize(size);
#endif
}

/// Takes a line. `found` has the marks of the first block of 128 bytes, or no marks if fewer bytes
/// are left. Returns false if the line's end is not in the buffer.
[[gnu::always_inline]] inline bool take_marked(stream_buffer& from, std::string& line,
                                               char delimiter, marks found) {
  const char* const start = from.next();
  const char* const end = from.end();
  const char* stop;
  if (found.first != 0) [[likely]] {
    stop = start + std::countr_zero(found.first);
  } else if (found.second != 0) {
    stop = start + 64 + std::countr_zero(found.second);
  } else {
    const std::ptrdiff_t seen = end - start >= line_block ? line_block : 0;
    if (end - start == seen) return false;
    stop = static_cast<const char*>(
        std::memchr(start + seen, delimiter, static_cast<std::size_t>(end - start - seen)));
    if (stop == nullptr) [[unlikely]]
      return false;
  }
  assign_to(line, start, static_cast<std::size_t>(stop - start), end);
  from.move_get_cursor(stop + 1);
  return true;
}

bool line_by_baseline(stream_buffer& from, std::string& line, char delimiter) {
  const char* const at = from.next();
  marks found;
  if (from.end() - at >= line_block) [[likely]] {
    const auto wanted = native::splat(delimiter);
    found = {simd::mark_64<native>(at, wanted), simd::mark_64<native>(at + 64, wanted)};
  }
  return take_marked(from, line, delimiter, found);
}

#if defined(LEAT_WIDE_VECTORS)
[[gnu::target("avx2,bmi")]] bool line_by_avx2(stream_buffer& from, std::string& line,
                                              char delimiter) {
  const char* const at = from.next();
  marks found;
  if (from.end() - at >= line_block) [[likely]] {
    const __m256i wanted = _mm256_set1_epi8(delimiter);
    const auto* const blocks = reinterpret_cast<const __m256i_u*>(at);
    std::uint32_t bits[4];
#  pragma GCC unroll 4
    for (int i = 0; i != 4; ++i)
      bits[i] = static_cast<std::uint32_t>(
          _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(blocks + i), wanted)));
    found = {bits[0] | std::uint64_t{bits[1]} << 32U, bits[2] | std::uint64_t{bits[3]} << 32U};
  }
  return take_marked(from, line, delimiter, found);
}
#endif

}  // namespace

std::span<const line_implementation> line_implementations() noexcept {
  static constexpr line_implementation all[] = {
#if defined(LEAT_WIDE_VECTORS)
      &line_by_avx2,
#endif
      &line_by_baseline};
#if defined(LEAT_WIDE_VECTORS)
  if (!processor::has_avx2()) return std::span(all).subspan(1);
#endif
  return all;
}

/// The marked delimiters after the last taken line.
struct line_marks {
  static constexpr std::size_t step = 1024;

  const char* text;  // the marks are offsets from here
  unsigned used, marked;
  char delimiter;
  std::uint16_t offsets[step + search::offset_padding];
};

void free_marks(line_marks* marks) noexcept { delete marks; }

namespace {

/// Takes a line that has no mark. If the program takes consecutive lines, marks the next delimiters
/// first, so that finding a line's end does not wait for the line's start. Otherwise searches this
/// line alone. Returns false if the line's end is not in the buffer.
bool take_first_line(stream_buffer& from, std::string& line, char delimiter) {
  const bool follows = from.line_start() == from.next();
  line_marks* marks = from.marks();
  if (follows && marks == nullptr) {
    marks = new (std::nothrow) line_marks;
    from.set_marks(marks);
  }
  if (follows && marks != nullptr) {
    const auto left = static_cast<std::size_t>(from.end() - from.next());
    marks->text = from.next();
    marks->used = 0;
    marks->delimiter = delimiter;
    marks->marked = static_cast<unsigned>(search::list_delimiters(
        from.next(), std::min(left, line_marks::step), delimiter, 0, marks->offsets));
    if (marks->marked != 0) return take_line(from, line, delimiter);
  }
  if (marks != nullptr) marks->used = marks->marked = 0;
  if (!cpu_dispatch<&line_implementations>::call(from, line, delimiter)) {
    from.forget_lines();
    return false;
  }
  if (from.may_mark()) from.set_line_start(from.next());
  return true;
}

}  // namespace

bool take_line(stream_buffer& from, std::string& line, char delimiter) {
  const char* const start = from.next();
  line_marks* const marks = from.marks();
  if (start != from.line_start() || marks == nullptr || marks->used == marks->marked ||
      marks->delimiter != delimiter) [[unlikely]]
    return take_first_line(from, line, delimiter);
  const char* const stop = marks->text + marks->offsets[marks->used];
  assign_to(line, start, static_cast<std::size_t>(stop - start), from.end());
  ++marks->used;
  from.move_get_cursor(stop + 1);
  from.set_line_start(stop + 1);
  return true;
}

bool take_word(stream_buffer& from, std::string& word) {
  const char* start = from.next();
  const char* const end = from.end();
  while (start != end && is_blank(*start)) ++start;
  const char* const stop = find_blank(start, end);
  if (stop == end) [[unlikely]]
    return false;
  assign_to(word, start, static_cast<std::size_t>(stop - start), end);
  from.move_get_cursor(stop);
  return true;
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
