// CRC-32C, the checksum of iSCSI, ext4 and many logs. If the processor and the build have the
// CRC-32C instruction, uses the instruction. Journals, and crc32c() of <leat/bytes.hpp>, call these
// functions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace leat {
inline namespace v0 {
namespace crc {

/// An implementation. A state is a checksum without the inversions at the start and the end. The
/// first state is ~0. The checksum is the complement of the last state.
struct implementation {
  /// Extends a state by n bytes.
  std::uint32_t (*extend)(std::uint32_t state, const char* bytes, std::size_t n) noexcept;
  /// Extends a state by the four bytes of `word`, lowest first, and then by n bytes. Callers pass a
  /// word that they have just stored: loading this word together with the next bytes would be slow.
  std::uint32_t (*extend_from)(std::uint32_t state, std::uint32_t word, const char* bytes,
                               std::size_t n) noexcept;
};

/// Works on every processor.
extern const implementation by_tables;
/// Returns the implementation that uses the CRC-32C instruction, or null if the processor or the
/// build does not have the instruction.
const implementation* by_instruction() noexcept;
/// Returns the fastest implementation.
const implementation& fastest() noexcept;

/// Returns the state after n zero bytes. n must be at most most_zeros. The time does not depend on
/// n. CRC is linear: if the text b has n bytes, the state after a and b, from state 0, is
/// extend_by_zeros(state after a, n) ^ (state after b).
std::uint32_t extend_by_zeros(std::uint32_t state, std::size_t n) noexcept;
inline constexpr std::size_t most_zeros = 32 << 10;

/// Extends a state by n bytes, with the fastest implementation.
inline std::uint32_t extend(std::uint32_t state, const char* bytes, std::size_t n) noexcept {
  return fastest().extend(state, bytes, n);
}

}  // namespace crc
}  // namespace v0
}  // namespace leat
