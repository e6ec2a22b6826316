// Texts, and digests of lines. The experiments that read or search texts, and `leat tune`, use this
// file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>

namespace bench {

inline constexpr std::size_t english_block_size = 8 << 20;  // larger than usual L2 caches

/// Returns english_block_size bytes of text with word lengths and letter frequencies similar to
/// English.
std::string english_block();

/// The position of two keywords. `rare` has letters that are rare in the text, so every program
/// finds this keyword fast. `common` has the most common letters. Each position has its own
/// keywords, so that one file contains all keywords except the absent keywords.
struct keyword_position {
  const char* name;
  int percent;  // of the text's size; negative: absent
  std::string_view rare;
  std::string_view common;
};
inline constexpr std::array keyword_positions{
    keyword_position{"absent", -1, "QUARTZ-9", "reinstate"},
    keyword_position{"at 50 %", 50, "JUKEBOX-5", "attention"},
    keyword_position{"at 1 %", 1, "XYLOID-3", "rationers"},
    keyword_position{"at the start", 0, "ZIGZAG-1", "nitration"}};

/// The position of an absent keyword.
inline constexpr std::uint64_t nowhere = std::numeric_limits<std::uint64_t>::max();

inline constexpr std::size_t line_size = 80;
inline constexpr std::size_t lines_block_size = line_size << 16;  // 5 MiB

/// Returns lines_block_size bytes of lines. Each line has `line_size` bytes with its newline.
std::string block_of_lines();

/// A digest of lines, with little work per line. The digest is a sum, so the digest of n copies of
/// a block is n times the digest of the block. A line must not be empty.
struct line_digest {
  std::uint64_t value = 0;
  void add(std::string_view line) { value += line.size() + static_cast<unsigned char>(line[0]); }
};

/// Returns the digest of all lines of a stream, read with getline(3).
std::uint64_t digest_by_getline(std::FILE* file);

}  // namespace bench
