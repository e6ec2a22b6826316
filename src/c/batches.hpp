// Code that the batches of leat_file (batches.cpp) and of leat_random_access_file (random.cpp)
// share.
#pragma once

#include <leat/c/random.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "random/random_access.hpp"

namespace leat {
inline namespace v0 {
namespace c {

inline detail::position_list list_of(const std::uint64_t* positions, std::size_t count) noexcept {
  return {positions, count, detail::position_list::unsigned_64};
}

/// Calls the program's function for the records of an update.
struct update_visitor {
  /// Thrown to end the batch.
  struct stopped final : std::exception {
    explicit stopped(int by) noexcept : result(by) {}
    int result;
  };

  /// Threads may call this function at the same time.
  static void visit(void* context, std::span<const detail::visit> visits) {
    const auto& self = *static_cast<const update_visitor*>(context);
    alignas(std::max_align_t) std::array<char, 512> small;  // most records need no other memory
    std::unique_ptr<char[]> large;
    if (self.size > small.size()) large = std::make_unique_for_overwrite<char[]>(self.size);
    char* const record = large != nullptr ? large.get() : small.data();
    for (const auto& one : visits) {
      // The function changes a copy. If the function ends the batch, the record stays unchanged.
      std::memcpy(record, one.record, self.size);
      if (const int result = self.change(record, one.index, self.context)) throw stopped(result);
      std::memcpy(one.record, record, self.size);
    }
  }

  leat_change* change;
  void* context;
  std::size_t size;
};

/// The ranges of a C call, and the sum of their sizes.
struct range_list {
  /// Throws std::bad_alloc.
  range_list(const leat_range* ranges, std::size_t count) : list(count) {
    for (std::size_t i = 0; i != count; ++i) {
      list[i] = {ranges[i].at, ranges[i].size};
      overflows |= __builtin_add_overflow(sum, ranges[i].size, &sum);
    }
  }

  std::vector<byte_range> list;
  std::size_t sum = 0;
  bool overflows = false;
};

/// Returns the plan before the first batch.
inline leat_plan no_plan() noexcept {
  leat_plan plan{};
  plan.why = "";
  plan.cached = -1;
  return plan;
}

/// Converts the plan of the last batch. The text `why` stays valid for the life of the program.
inline leat_plan plan_of(const detail::random_access& core) {
  leat_plan plan = no_plan();
  const batch_plan last = core.last_plan(plan.why);
  static_assert(LEAT_ROUTE_DIRECT == static_cast<int>(route::direct));
  plan.taken = static_cast<leat_route>(last.taken);
  plan.positions = last.positions;
  plan.requests = last.requests;
  plan.bytes = last.bytes;
  plan.gap = last.gap;
  plan.cached = last.cached;
  plan.sorting = static_cast<std::uint64_t>(last.sorting.count());
  plan.total = static_cast<std::uint64_t>(last.total.count());
  plan.dollars = last.dollars;
  return plan;
}

}  // namespace c
}  // namespace v0
}  // namespace leat
