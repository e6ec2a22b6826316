// Lines and words out of a window. Their lengths are what a processor can't predict: so 64 bytes
// are looked at without a branch, and copies have one size.
#include <leat/detail/stream_buffer.hpp>
#include <leat/parse.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "base/vector.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

using simd::native;

constexpr std::ptrdiff_t line_block = 64, word_block = 32;
constexpr std::size_t most_copied = 64;  // more takes three times as long

/// A bit for each blank among 32 bytes.
std::uint64_t blanks_of(const char* at) {
  constexpr auto width = static_cast<std::ptrdiff_t>(native::width);
  std::uint64_t bits = 0;
#pragma GCC unroll 4
  for (std::ptrdiff_t i = 0; i != word_block / width; ++i) {
    const auto bytes = native::load(at + i * width);
    const auto equal = [&bytes](char c) { return native::equal(bytes, native::splat(c)); };
    bits |= native::bits(native::either(
                native::either(native::either(equal(' '), equal('\n')), equal('\t')),
                native::either(native::either(equal('\r'), equal('\v')), equal('\f'))))
            << i * width;
  }
  return bits;
}

const char* find_delimiter(const char* at, const char* end, char delimiter) {
  if (end - at >= line_block) [[likely]] {
    const std::uint64_t bits = simd::mark_64<native>(at, native::splat(delimiter));
    if (bits != 0) [[likely]]
      return at + std::countr_zero(bits);
    at += line_block;
  }
  return at == end ? nullptr
                   : static_cast<const char*>(
                         std::memchr(at, delimiter, static_cast<std::size_t>(end - at)));
}

/// The end if there is no blank.
const char* find_blank(const char* at, const char* end) {
  for (; end - at >= word_block; at += word_block)
    if (const std::uint64_t bits = blanks_of(at)) return at + std::countr_zero(bits);
  while (at != end && !is_blank(*at)) ++at;
  return at;
}

/// `end` is up to where bytes may be loaded. The string's capacity stays what it is, if it
/// suffices.
void assign_to(std::string& text, const char* from, std::size_t size, const char* end) {
  const std::size_t some =
      std::min({text.capacity(), static_cast<std::size_t>(end - from), most_copied});
  if (size <= some) [[likely]] {
    text.assign(from, some);
    text.resize(size);
  } else {
    text.assign(from, size);
  }
}

}  // namespace

bool take_line(stream_buffer& from, std::string& line, char delimiter) {
  const char* const start = from.next();
  const char* const end = from.end();
  const char* const stop = find_delimiter(start, end, delimiter);
  if (stop == nullptr) [[unlikely]]
    return false;
  assign_to(line, start, static_cast<std::size_t>(stop - start), end);
  from.took_to(stop + 1);
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
  from.took_to(stop);
  return true;
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
