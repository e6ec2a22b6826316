// The steps of a batch by ranges: sorted, merged across gaps, in one or several threads.
#include <algorithm>
#include <exception>
#include <string_view>
#include <thread>
#include <vector>

#include "base/no_cancel.hpp"
#include "base/service_thread.hpp"
#include "random/go.hpp"
#include "random/go_cached.hpp"
#include "random/go_direct.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

constexpr unsigned most_threads = 1024;

}  // namespace

void random_access::batch::find_direct() {
  direct_device_ = in_.direct();
  known_.direct_io =
      direct_device_ != nullptr ? batch_facts::direct_way::there : batch_facts::direct_way::none;
}

/// Sorts the positions from `visited_` on: as many as the memory limit allows.
failure random_access::batch::sort_part() {
  const auto before = on().now();
  const std::size_t some = std::min(known_.sorted_at_once, known_.count - visited_);
  if (!entries_.sort(of_, visited_, some))
    return {std::make_error_code(std::errc::not_enough_memory), "sort"};
  sorting_ += on().now() - before;
  return {};
}

/// Visits some entries page by page and some in long ranges, to measure how wide a gap is worth
/// reading.
failure random_access::batch::try_ranges() {
  known_.begun = true;
  if (const failure why = sort_part()) return why;
  range_cost& cost = range_cost_of(known_);
  const std::size_t as_one = entries_tried_as_one(known_);
  const double start = now();
  if (const failure why = visit_entries(0, tried_singly, batch_page)) return why;
  const double middle = now();
  cost.request = (middle - start) / static_cast<double>(std::max<std::size_t>(ranges_, 1));
  cost.is_measured = true;
  known_.least_request = std::min(known_.least_request, cost.request);
  tried_ = tried_singly;
  // In nanoseconds. No machine reads a cached byte in less time. If a request costs less than
  // reading an average gap at this speed, gaps are never read, and the second part is not needed.
  constexpr double least = 0.1;
  if (known_.is_warm() && cost.request < least * static_cast<double>(known_.gap())) return {};
  const std::uint64_t bytes = bytes_;
  tried_ = tried_singly + as_one;
  if (const failure why = visit_entries(tried_singly, tried_, largest_tried_gap)) return why;
  cost.byte = std::max((now() - middle) / static_cast<double>(bytes_ - bytes + 1), 1e-3);
  return {};
}

failure random_access::batch::visit_ranges() {
  const double start = now();
  while (visited_ != known_.count) {
    if (tried_ == 0)
      if (const failure why = sort_part()) return why;
    if (const failure why = in_threads()) return why;
    visited_ += entries_.size();
    tried_ = 0;
  }
  if (known_.is_warm() && !writes()) {
    const std::lock_guard guard(in_.lock_);
    in_.excess_cost_ += now() - start - known_.costs.touch * static_cast<double>(known_.count);
  }
  return {};
}

/// Divides the sorted entries that are not visited yet among threads. All entries of one group, and
/// so of one position, stay in one thread. Rethrows the first exception, or returns the first
/// failure. If a further failure left bytes unwritten, the loss handler is called.
failure random_access::batch::in_threads() {
  const std::size_t size = entries_.size() - tried_;
  const std::size_t parts =
      std::min<std::size_t>(std::clamp(how().threads, 1U, most_threads), 1 + size / 1024);
  if (parts == 1) return visit_entries(tried_, entries_.size(), plan_.gap);
  std::vector<std::size_t> borders{tried_};
  for (std::size_t i = 1; i != parts; ++i) {
    std::size_t border = std::max(tried_ + size / parts * i, borders.back());
    while (border != tried_ && border != entries_.size() &&
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
      const within_batch inside(in_, writes());
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
    for (auto& one : threads) join(one);
  }
  has_threads_ = false;
  const auto exception =
      std::find_if(thrown.begin(), thrown.end(), [](const auto& one) { return one != nullptr; });
  failure first;
  for (const auto& one : failed) {
    if (!first && exception == thrown.end())
      first = one;
    else if (one.unwritten != 0)
      in_.report_write_loss(one);
  }
  if (exception != thrown.end()) std::rethrow_exception(*exception);
  return first;
}

failure random_access::batch::visit_entries(std::size_t first, std::size_t last, std::size_t gap) {
  // Each call of the device disables cancellation too, which is cheap if cancellation is disabled
  // already.
  const no_cancel guard;
  const merged_ranges ranges(of_, entries_, first, last, {gap, plan_.longest});
  return direct_device_ != nullptr ? direct_ranges(*this, ranges).visit()
                                   : cached_ranges(*this, ranges, last - first).visit();
}

// --- shared by all ranges ------------------------------------------------------------------------

/// Called if a read returned fewer bytes than the range has. A short read is an error. Exception:
/// ranges of works that only write may extend beyond the end of the file. If the read met no error,
/// their missing bytes become zeros.
failure random_access::batch::short_read(const merged_range& range, std::size_t got,
                                         std::error_code ec, char* bytes) const noexcept {
  if (!ec && work_.what() == kind::writes) {
    std::fill(bytes + got, bytes + range.size, '\0');
    return {};
  }
  failure why{ec ? ec : make_error_code(errc::ended_early), "read", range.at + got};
  why.unread = range.size - got;
  return why;
}

/// Lets the work visit the range. If the work writes, writes the range back, also after an
/// exception.
failure random_access::batch::take(const merged_range& range, char* bytes) {
  const std::string_view changed(bytes, static_cast<std::size_t>(range.size));
  try {
    work_.take(of_, entries_, range, bytes);
  } catch (...) {
    if (writes()) in_.report_write_loss(in_.write_unlocked(range.at, changed));
    throw;
  }
  if (writes())
    if (const failure why = in_.write_unlocked(range.at, changed)) return why;
  count(range.last - range.first, range.size);  // count() may throw, so it comes last
  return {};
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
