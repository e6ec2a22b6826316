// Counts lines and words in simple loops that compilers vectorize. wc.cpp calls these functions.
#include "classics/counts.hpp"

#include <algorithm>
#include <cstddef>

namespace bench {

namespace {

// The counts of a block of this many bytes fit in one byte, so compilers can vectorize the loop.
constexpr std::ptrdiff_t block = 240;

std::uint8_t is_space(char c) { return (c == ' ') | ((c >= '\t') & (c <= '\r')); }

}  // namespace

// A word begins where a blank is followed by a non-blank.
std::uint64_t count_words(std::string_view text, char before) {
  std::uint64_t all = is_space(before) && !is_space(text.front());
  for (const char *at = text.data(), *end = at + text.size() - 1; at != end;) {
    const char* const stop = at + std::min<std::ptrdiff_t>(end - at, block);
    std::uint8_t some = 0;
    for (; at != stop; ++at)
      some = static_cast<std::uint8_t>(some + (is_space(at[0]) & ~is_space(at[1])));
    all += some;
  }
  return all;
}

std::uint64_t count_lines(std::string_view text) {
  std::uint64_t all = 0;
  for (const char *at = text.data(), *end = at + text.size(); at != end;) {
    const char* const stop = at + std::min<std::ptrdiff_t>(end - at, block);
    std::uint8_t some = 0;
    for (; at != stop; ++at) some = static_cast<std::uint8_t>(some + (*at == '\n'));
    all += some;
  }
  return all;
}

}  // namespace bench
