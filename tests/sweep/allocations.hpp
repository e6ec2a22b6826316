// The program's malloc and operator new: they count allocations and can fail.
#pragma once

#include <cstddef>

namespace sweep {

/// False if the program keeps the system's allocator: with sanitizers, or without glibc.
bool allocations_can_fail() noexcept;

/// From now on the allocation with this number (from 0) fails; with `onwards`, all later ones, too.
void fail_allocation(std::size_t number, bool onwards) noexcept;
/// From now on no allocation fails. Returns the number of allocations since fail_allocation.
std::size_t end_failing() noexcept;

/// Allocations that have not been freed.
std::ptrdiff_t live_allocations() noexcept;

}  // namespace sweep
