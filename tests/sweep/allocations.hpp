// malloc and operator new of this program: they fail as told, and count.
#pragma once

#include <cstddef>

namespace sweep {

/// False where the program keeps the allocator of the system: with sanitizers, and without glibc.
bool allocations_can_fail() noexcept;

/// From now on the allocation with this number fails, from 0 on; with `onwards` all later ones too.
void fail_allocation(std::size_t number, bool onwards) noexcept;
/// From now on none fails. Returns the number of allocations since the last fail_allocation.
std::size_t end_failing() noexcept;

/// Allocations that have not been freed.
std::ptrdiff_t live_allocations() noexcept;

}  // namespace sweep
