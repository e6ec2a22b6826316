// Functions that gzip.cpp (zlib) and gzip_isal.cpp (ISA-L) share.
#pragma once

#include "codecs/decoder.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

namespace leat {
inline namespace v0 {
namespace codecs {

/// Makes a decoder that uses ISA-L. Throws std::bad_alloc.
std::unique_ptr<decoder> make_isal_decoder();

/// Returns the smaller of `n` and 2^32-1, because zlib and ISA-L count bytes in 32 bits.
inline std::uint32_t limited(std::size_t n) noexcept {
  return static_cast<std::uint32_t>(
      std::min<std::size_t>(n, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace codecs
}  // namespace v0
}  // namespace leat
