// The cost model of random access: what a batch will cost by each route.
#pragma once

#include <cstddef>
#include <cstdint>

#include "random/look.hpp"

namespace leat {
inline namespace v0 {

/// Costs that can't be measured beforehand are assumed, in nanoseconds.
inline constexpr double sorting_cost = 16;         // of one entry, and of finding its bytes
inline constexpr double revisit_cost = 6;          // of a place whose cache line was touched before
inline constexpr double likely_fault = 500;        // of a mapping that nobody has tried
inline constexpr double likely_write_fault = 400;  // the same, of the first write to a page

/// Nanoseconds for one place of the batch, if gaps of up to `hole` bytes are read along.
double cost_of_ranges(const batch_facts& known, double hole) noexcept;
/// Nanoseconds for one place of the batch, through a mapping.
double cost_of_mapping(const batch_facts& known) noexcept;
/// Bytes for each place that the disk will write if the batch changes it by ranges, with holes as
/// above, or through a mapping: there the first write to a page makes the whole folio dirty.
double written_by_ranges(const batch_facts& known, double hole) noexcept;
double written_by_mapping(const batch_facts& known) noexcept;
/// The share of a file that is mapped after visits to so many random places.
double mapped_share(double places, std::uint64_t size, const fault_spans& spans) noexcept;

/// The widest gap, in bytes, that is cheaper to read along than to leave out.
std::size_t best_hole(const batch_facts& known) noexcept;

}  // namespace v0
}  // namespace leat
