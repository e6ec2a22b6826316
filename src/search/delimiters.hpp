// The places of the delimiters in a text.
#pragma once

#include "search/kernels.hpp"

#include <cstddef>
#include <cstdint>

namespace leat {
inline namespace v0 {
namespace search {

/// This many numbers behind the places may be written too.
inline constexpr std::size_t places_beyond = 3;

/// Writes first + i for each byte i of the text that is the delimiter, in ascending order, and
/// returns how many there are. The sums must fit into 16 bits. It reads nothing behind the text.
inline std::size_t list_delimiters(const char* text, std::size_t size, char delimiter,
                                   std::size_t first, std::uint16_t* places) noexcept {
  return active_kernels().list(text, size, delimiter, first, places);
}

/// How many bytes are before the first delimiter, rounded down: for long lines.
inline std::size_t skip_to_delimiter(const char* text, std::size_t size, char delimiter) noexcept {
  return active_kernels().skip(text, size, delimiter);
}

}  // namespace search
}  // namespace v0
}  // namespace leat
