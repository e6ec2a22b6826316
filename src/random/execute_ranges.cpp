// The steps of a batch that use ranges: sort the positions, and visit the merged ranges in one or
// several threads. Called by batch::execute().
#include <algorithm>
#include <exception>
#include <string_view>
#include <thread>
#include <vector>

#include "base/no_cancel.hpp"
#include "base/service_thread.hpp"
#include "random/execute.hpp"
#include "random/execute_cached.hpp"
#include "random/execute_direct.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

constexpr unsigned most_threads = 1024;

}  // namespace

void random_access::batch::find_direct() {
  direct_device_ = core_.direct_device();
  facts_.direct_io = direct_device_ != nullptr ? batch_facts::direct_state::available
                                               : batch_facts::direct_state::unavailable;
}

/// Sorts the positions from `visited_` on: as many as the memory limit allows.
failure random_access::batch::sort_part() {
  const auto before = plan_time();
  const std::size_t some = std::min(facts_.sorted_at_once, facts_.count - visited_);
  if (!entries_.sort(input_, visited_, some))
    return {std::make_error_code(std::errc::not_enough_memory), "sort"};
  sorting_ += plan_time() - before;
  return {};
}

/// Visits some entries page by page and some in long ranges, to measure how wide a gap is worth
/// reading.
failure random_access::batch::try_ranges() {
  facts_.is_partly_visited = true;
  if (const failure why = sort_part()) return why;
  range_cost& cost = range_cost_of(facts_);
  const std::size_t wide_entries = wide_trial_entries(facts_);
  const double start = now();
  if (const failure why = visit_entries(0, narrow_trial_entries, batch_page)) return why;
  const double middle = now();
  cost.request = (middle - start) / static_cast<double>(std::max<std::size_t>(ranges_, 1));
  cost.is_measured = true;
  facts_.least_request = std::min(facts_.least_request, cost.request);
  trial_entries_ = narrow_trial_entries;
  // No machine reads a cached byte in fewer than `least_byte` nanoseconds. If a request costs less
  // than reading an average gap at this speed, gaps are never read, and the second part is not
  // needed.
  constexpr double least_byte = 0.1;
  if (facts_.is_warm() && cost.request < least_byte * static_cast<double>(facts_.gap())) return {};
  const std::uint64_t bytes = bytes_;
  trial_entries_ = narrow_trial_entries + wide_entries;
  if (const failure why = visit_entries(narrow_trial_entries, trial_entries_, largest_trial_gap))
    return why;
  cost.byte = std::max((now() - middle) / static_cast<double>(bytes_ - bytes + 1), 1e-3);
  return {};
}

failure random_access::batch::visit_ranges() {
  // Only a warm batch that reads could have saved time by a mapping of the whole file.
  const bool may_be_mapped_later = facts_.is_warm() && !writes();
  const double start = may_be_mapped_later ? now() : 0;
  while (visited_ != facts_.count) {
    if (trial_entries_ == 0)
      if (const failure why = sort_part()) return why;
    if (const failure why = visit_in_threads()) return why;
    visited_ += entries_.size();
    trial_entries_ = 0;
  }
  if (may_be_mapped_later) {
    const std::lock_guard guard(core_.lock_);
    core_.excess_cost_ += now() - start - facts_.costs.touch * static_cast<double>(facts_.count);
  }
  return {};
}

/// Divides the sorted entries that are not visited yet among threads. All entries of one group, and
/// so of one position, stay in one thread. Rethrows the first exception, or returns the first
/// failure. If a further failure left bytes unwritten, the loss handler is called.
failure random_access::batch::visit_in_threads() {
  const std::size_t size = entries_.size() - trial_entries_;
  const std::size_t parts =
      std::min<std::size_t>(std::clamp(options().threads, 1U, most_threads), 1 + size / 1024);
  if (parts == 1) return visit_entries(trial_entries_, entries_.size(), plan_.gap);
  std::vector<std::size_t> borders{trial_entries_};
  for (std::size_t i = 1; i != parts; ++i) {
    std::size_t border = std::max(trial_entries_ + size / parts * i, borders.back());
    while (border != trial_entries_ && border != entries_.size() &&
           entries_.group(border) == entries_.group(border - 1))
      ++border;
    borders.push_back(border);
  }
  borders.push_back(entries_.size());
  std::vector<failure> failed(parts);
  std::vector<std::exception_ptr> thrown(parts);
  const std::size_t gap = plan_.gap;  // with direct I/O, visit_entries() overwrites plan_.gap
  const auto run_part = [&](std::size_t i) noexcept {
    try {
      const batch_scope inside(core_, writes());
      failed[i] = visit_entries(borders[i], borders[i + 1], gap);
    } catch (...) {
      thrown[i] = std::current_exception();
    }
  };
  has_threads_ = true;
  {
    std::vector<std::thread> threads;
    threads.reserve(parts);
    std::size_t next = 1;
    try {
      for (; next != parts; ++next)
        threads.push_back(start_service_thread([&run_part, next] { run_part(next); }));
    } catch (const std::exception&) {
      // No more threads can be started: this thread does the rest.
      next = threads.size() + 1;
    }
    run_part(0);
    for (; next != parts; ++next) run_part(next);
    for (auto& thread : threads) join(thread);
  }
  has_threads_ = false;
  const auto exception = std::find_if(thrown.begin(), thrown.end(),
                                      [](const auto& pointer) { return pointer != nullptr; });
  failure first;
  for (const auto& part : failed) {
    if (!first && exception == thrown.end())
      first = part;
    else if (part.unwritten != 0)
      core_.report_write_loss(part);
  }
  if (exception != thrown.end()) std::rethrow_exception(*exception);
  return first;
}

failure random_access::batch::visit_entries(std::size_t first, std::size_t last, std::size_t gap) {
  // Each call of the device disables cancellation, too. If cancellation is disabled already, such a
  // call costs little.
  const no_cancel guard;
  const merged_ranges ranges(input_, entries_, first, last, {gap, plan_.longest});
  return direct_device_ != nullptr ? direct_ranges(*this, ranges).visit()
                                   : cached_ranges(*this, ranges, last - first).visit();
}

// --- shared by all ranges ------------------------------------------------------------------------

/// Called if a read returned fewer bytes than the range has. A short read is an error. Exception: a
/// range of an operation that only writes may extend beyond the end of the file. If the read of
/// such a range met no error, the missing bytes become zeros.
failure random_access::batch::handle_short_read(const merged_range& range, std::size_t got,
                                                std::error_code ec, char* bytes) const noexcept {
  if (!ec && operation_.kind() == access_kind::writes) {
    std::fill(bytes + got, bytes + range.size, '\0');
    return {};
  }
  failure why{ec ? ec : make_error_code(errc::ended_early), "read", range.at + got};
  why.unread = range.size - got;
  return why;
}

/// Applies the operation to the range. If the operation writes, writes the range back, also after
/// an exception.
failure random_access::batch::apply_to_range(const merged_range& range, char* bytes) {
  const std::string_view changed(bytes, static_cast<std::size_t>(range.size));
  try {
    operation_.apply(input_, entries_, range, bytes);
  } catch (...) {
    if (writes()) core_.report_write_loss(core_.write_unlocked(range.at, changed));
    throw;
  }
  if (writes())
    if (const failure why = core_.write_unlocked(range.at, changed)) return why;
  count(range.last - range.first, range.size);  // count() may throw, so it comes last
  return {};
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
