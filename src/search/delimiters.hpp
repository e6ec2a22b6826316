// The places of the delimiters in a text, one bit for each byte.
#pragma once

#include "search/kernels.hpp"

#include <cstddef>
#include <cstdint>

namespace leat {
inline namespace v0 {
namespace search {

/// Writes a word for every 64 bytes of text, ceil(size / 64) words in all. Bit i % 64 of word i /
/// 64 tells whether byte i is the delimiter. Bits behind the end are zero. It reads nothing behind
/// the text.
inline void mark_delimiters(const char* text, std::size_t size, char delimiter,
                            std::uint64_t* masks) noexcept {
  active_kernels().mark(text, size, delimiter, masks);
}

}  // namespace search
}  // namespace v0
}  // namespace leat
