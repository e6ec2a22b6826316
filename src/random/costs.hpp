// The cost model of random access: the expected cost of a batch by each route. Called by decide()
// and by the batch while it runs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "random/measure.hpp"

namespace leat {
inline namespace v0 {

/// Assumed costs, in nanoseconds, that cannot be measured beforehand.
inline constexpr double sorting_cost = 16;   // of one entry, including finding its bytes
inline constexpr double revisit_cost = 6;    // of a position whose cache line was touched before
inline constexpr double likely_fault = 500;  // of a page fault that is not measured yet
inline constexpr double likely_write_fault = 400;  // of the first write to a page, not measured yet

/// Nanoseconds for one position of the batch, if gaps of up to `gap` bytes are read too.
double cost_of_ranges(const batch_facts& facts, double gap) noexcept;
/// Nanoseconds for one position of the batch, through a mapping.
double cost_of_mapping(const batch_facts& facts) noexcept;
/// Bytes that the disk will write for each position if the batch changes the file. By ranges: gaps
/// of up to `gap` bytes are written too. Through a mapping: the first write to a page makes the
/// whole folio dirty.
double written_by_ranges(const batch_facts& facts, double gap) noexcept;
double written_by_mapping(const batch_facts& facts) noexcept;
/// The share of a file that is mapped after visits to `positions` random positions.
double mapped_share(double positions, std::uint64_t size, const fault_spans& spans) noexcept;

/// Returns the widest gap, in bytes, that is cheaper to read than to skip: a page to 8 MiB.
std::size_t best_gap(const batch_facts& facts) noexcept;

/// Batches of fewer positions in the page cache do not measure the cost of a read.
inline constexpr std::size_t fewest_for_cached_speed = 4096;

/// Returns how many times as cheap as ranges the mapping must look to be chosen. A small batch does
/// not measure the cost of a read, and no batch measures the cost of removing the mapping, so a
/// mapping that looks a little cheaper costs a small batch more. A trial of the mapping takes as
/// long as a hundred reads, and a fault may take ten times as long as `likely_fault`.
double doubt_of_mapping(const batch_facts& facts) noexcept;

}  // namespace v0
}  // namespace leat
