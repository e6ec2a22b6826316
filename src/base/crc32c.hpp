// CRC-32C, the checksum of iSCSI, ext4 and many logs: by the processor's instruction where it has
// one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace leat {
inline namespace v0 {
namespace crc {

/// A way to make sums. A state is a checksum without the inversions at its start and its end: the
/// first state is ~0, and the checksum is the complement of the last one.
struct way {
  /// Goes on with a sum over n bytes.
  std::uint32_t (*extend)(std::uint32_t state, const char* bytes, std::size_t n) noexcept;
  /// The same over four bytes, the lowest of `word` first, and n more. A word that was just stored
  /// could not be loaded at once.
  std::uint32_t (*extend_from)(std::uint32_t state, std::uint32_t word, const char* bytes,
                               std::size_t n) noexcept;
};

/// On every processor.
extern const way by_tables;
/// By the instruction; null if the processor has none.
const way* by_instruction() noexcept;
/// The quickest one.
const way& quickest() noexcept;

inline std::uint32_t extend(std::uint32_t state, const char* bytes, std::size_t n) noexcept {
  return quickest().extend(state, bytes, n);
}

}  // namespace crc
}  // namespace v0
}  // namespace leat
