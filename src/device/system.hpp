// What there is to know of the system. Each platform has its own implementation of these.
#pragma once

#include <cstdint>

namespace leat {
inline namespace v0 {

/// Bytes of memory that the machine has; the largest number where nothing tells.
std::uint64_t physical_memory() noexcept;

}  // namespace v0
}  // namespace leat
