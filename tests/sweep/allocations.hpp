// Replacements for malloc and related functions: they count allocations, and can fail. operator new
// calls these replacements.
#pragma once

#include <cstddef>

namespace sweep {

/// Returns false if the program keeps the system's allocator: with sanitizers, or without glibc.
bool allocations_can_fail() noexcept;

/// Makes the allocation with this number fail. The first allocation after this call has the number
/// 0. If `onwards` is true, all later allocations fail, too.
void fail_allocation(std::size_t number, bool onwards) noexcept;
/// Lets all later allocations succeed. Returns the number of allocations since fail_allocation.
std::size_t stop_failing() noexcept;

/// Returns the number of allocations that have not been freed; 0 with the system's allocator.
std::ptrdiff_t live_allocations() noexcept;

}  // namespace sweep
