// CRC-32C, the checksum of iSCSI, ext4 and many logs. Uses the processor's instruction if there is
// one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace leat {
inline namespace v0 {
namespace crc {

/// An implementation. A state is a checksum without the inversions at the start and the end: the
/// first state is ~0, and the checksum is the complement of the last state.
struct implementation {
  /// Extends a state by n bytes.
  std::uint32_t (*extend)(std::uint32_t state, const char* bytes, std::size_t n) noexcept;
  /// Extends a state by the four bytes of `word`, lowest first, and by n bytes. Avoids a load of a
  /// word that was just stored, which is slow.
  std::uint32_t (*extend_from)(std::uint32_t state, std::uint32_t word, const char* bytes,
                               std::size_t n) noexcept;
};

/// Works on every processor.
extern const implementation by_tables;
/// Uses the CRC-32C instruction. Returns null if the processor has none.
const implementation* by_instruction() noexcept;
/// Returns the fastest implementation.
const implementation& quickest() noexcept;

inline std::uint32_t extend(std::uint32_t state, const char* bytes, std::size_t n) noexcept {
  return quickest().extend(state, bytes, n);
}

}  // namespace crc
}  // namespace v0
}  // namespace leat
