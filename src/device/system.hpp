// What there is to know of the system. Each platform has its own implementation of these.
#pragma once

#include <cstdint>

namespace leat {
inline namespace v0 {

/// Bytes of memory that the machine has; the largest number where nothing tells.
std::uint64_t physical_memory() noexcept;

/// Tells a forked child from its parent.
using process_id = long;
process_id this_process() noexcept;

}  // namespace v0
}  // namespace leat
