// The texts that experiments search and read in lines.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>

namespace bench {

inline constexpr std::size_t english_block_size = 8 << 20;  // more than the processor's caches hold

/// A text whose words are about as long, and whose letters are about as common, as in English.
std::string english_block();

/// Where two keywords stand: one of letters that are rare in the text, which suits every program,
/// and one of the most common letters. Each place has its own two words, so one file serves all.
struct keyword_place {
  const char* name;
  int percent;  // below 0: nowhere
  std::string_view rare;
  std::string_view common;
};
inline constexpr std::array keyword_places{
    keyword_place{"absent", -1, "QUARTZ-9", "reinstate"},
    keyword_place{"at 50 %", 50, "JUKEBOX-5", "attention"},
    keyword_place{"at 1 %", 1, "XYLOID-3", "rationers"},
    keyword_place{"at the start", 0, "ZIGZAG-1", "nitration"}};

/// The position of a keyword that is not there.
inline constexpr std::uint64_t nowhere = std::numeric_limits<std::uint64_t>::max();

inline constexpr std::size_t line_size = 80;
inline constexpr std::size_t lines_block_size = line_size << 16;  // 5 MiB

/// Lines of `line_size` bytes.
std::string block_of_lines();

/// What the work does with a line. It is cheap, and each step needs the result of the step before:
/// so compilers cannot work on many lines at a time.
struct line_digest {
  std::uint64_t value = 0;
  void look(std::string_view line) { value += line.size() + static_cast<unsigned char>(line[0]); }
};

/// Looks at all lines by getline(3).
std::uint64_t digest_by_getline(std::FILE* from);

}  // namespace bench
