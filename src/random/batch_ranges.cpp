// The routes of a batch that read ranges: sorted, merged over holes, several at a time.
#include "random/batch.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/service_thread.hpp"
#include "device/transfer.hpp"
namespace leat {
inline namespace v0 {
namespace detail {

namespace {

constexpr std::size_t usual_depth = 256;
constexpr std::size_t usual_direct_depth = 1024;  // handed to the device, which has its own depth
/// Announced and not yet read: more would be thrown out of the cache again where it is small.
constexpr std::uint64_t most_announced = std::uint64_t{32} << 20;
constexpr std::uint64_t direct_slice = std::uint64_t{32} << 20;
/// Ranges of this size are read as they come: where they follow one another the system reads ahead,
/// and keeps them in larger pieces than what was announced.
constexpr std::uint64_t streamed = std::uint64_t{128} << 10;
constexpr std::size_t progress_step = 4096;
constexpr std::uint64_t largest_tried_gap = std::uint64_t{256} << 10;
}  // namespace

failure random_access::batch::by_ranges(std::size_t first) {
  device* past_cache = nullptr;
  if (choice_.taken == route::direct) {
    past_cache = in_.direct();
    if (past_cache == nullptr) {
      choice_.taken = route::single;
      choice_.why = "there is no way past the cache";
    }
  }
  const std::size_t at_once = sorted_entries::most_at_once(of_, how().memory);
  const double start = now();
  sorted_entries entries;
  while (first != of_.count()) {
    const std::size_t some = std::min(at_once, of_.count() - first);
    const auto before = on().now();
    if (!entries.sort(of_, first, some))
      return {std::make_error_code(std::errc::not_enough_memory), "sort"};
    sorting_ += on().now() - before;
    std::size_t tried = 0;
    if (first == 0 && past_cache == nullptr)
      if (const failure why = try_ranges(entries, tried)) return why;
    const range_plan::limits limits{choice_.hole, choice_.longest};
    const failure why = in_threads(entries, tried, [&](std::size_t from, std::size_t to) {
      return past_cache != nullptr ? direct_ranges_of(entries, from, to, limits, *past_cache)
                                   : ranges_of(entries, from, to, limits);
    });
    if (why) return why;
    first += some;
  }
  if (situation_.is_warm() && !writes()) {
    const std::lock_guard guard(in_.lock_);
    in_.regret_ += now() - start - costs_.touch * static_cast<double>(of_.count());
  }
  return {};
}

/// From the disk, and where it writes, a part of the entries is visited page by page and a part as
/// one long range: that tells how wide a gap is worth moving along. Not on disks so slow that the
/// sample has told enough.
failure random_access::batch::try_ranges(const sorted_entries& entries, std::size_t& done) {
  constexpr double slow = 1e5;  // ns for a random read
  constexpr std::size_t singles = 512;
  constexpr std::uint64_t stream = std::uint64_t{8} << 20;
  const std::uint64_t gap = std::max<std::uint64_t>(situation_.extent / situation_.count, 1);
  const auto streamed_entries = static_cast<std::size_t>(stream / gap + 1);
  const bool worth_it = situation_.cached >= 0 && (situation_.is_cold() || writes()) &&
                        8 * (singles + streamed_entries) <= entries.size();
  if (!worth_it || !reads_ahead_ || costs_.disk_read.request > slow ||
      choice_.taken != route::merged || how().hole != 0 || gap > largest_tried_gap)
    return {};
  const auto part = [&](std::size_t size, std::size_t hole) -> failure {
    const std::size_t last = done + size;
    const std::size_t from = std::exchange(done, last);
    return ranges_of(entries, from, last, {hole, choice_.longest});
  };
  range_cost& cost = range_cost_of(situation_, costs_);
  const double start = now();
  if (const failure why = part(singles, plan_page)) return why;
  const double middle = now();
  cost.request = (middle - start) / static_cast<double>(std::max<std::size_t>(ranges_, 1));
  const std::uint64_t bytes = bytes_;
  if (const failure why = part(streamed_entries, largest_tried_gap)) return why;
  cost.byte = std::max((now() - middle) / static_cast<double>(bytes_ - bytes + 1), 1e-3);
  cost.is_measured = true;
  choice_.hole = best_hole(situation_, costs_);
  return {};
}

/// Divides the entries where no place is divided, and reports the first failure.
template <class Part>
failure random_access::batch::in_threads(const sorted_entries& entries, std::size_t first,
                                         Part part) {
  const std::size_t size = entries.size() - first;
  const std::size_t parts = std::min<std::size_t>(std::max(how().threads, 1U), 1 + size / 1024);
  if (parts == 1) return part(first, entries.size());
  std::vector<std::size_t> borders{first};
  for (std::size_t i = 1; i != parts; ++i) {
    std::size_t border = std::max(first + size / parts * i, borders.back());
    while (border != first && border != entries.size() &&
           entries.group(border) == entries.group(border - 1))
      ++border;
    borders.push_back(border);
  }
  borders.push_back(entries.size());
  std::vector<failure> failed(parts);
  std::vector<std::exception_ptr> thrown(parts);
  const auto run_part = [&](std::size_t i) noexcept {
    try {
      failed[i] = part(borders[i], borders[i + 1]);
    } catch (...) {
      thrown[i] = std::current_exception();
    }
  };
  {
    std::vector<std::thread> threads;
    threads.reserve(parts);
    std::size_t next = 1;
    try {
      for (; next != parts; ++next)
        threads.push_back(service_thread([&run_part, next] { run_part(next); }));
    } catch (const std::exception&) {
      // No more threads, or no memory for them, to be had: this one does the rest.
      next = threads.size() + 1;
    }
    run_part(0);
    for (; next != parts; ++next) run_part(next);
    for (auto& one : threads) one.join();
  }
  for (const auto& one : thrown)
    if (one) std::rethrow_exception(one);
  for (const auto& one : failed)
    if (one) return one;
  return {};
}

/// One range after the other as far as they are in the cache; the others are announced and come
/// later, so that many are under way.
failure random_access::batch::ranges_of(const sorted_entries& entries, std::size_t first,
                                        std::size_t last, range_plan::limits limits) {
  const std::size_t depth =
      std::min(how().depth != 0 ? how().depth : usual_depth, last - first + 1);
  std::vector<planned_range> waiting;
  std::size_t oldest = 0;
  std::uint64_t announced = 0;
  scratch_memory memory;
  const auto buffer = [&](const planned_range& range) noexcept {
    return memory.get(static_cast<std::size_t>(range.size));
  };
  const auto no_memory = [](const planned_range& range) noexcept {
    return failure{std::make_error_code(std::errc::not_enough_memory), "read", range.at};
  };
  const auto take_oldest = [&]() -> failure {
    const planned_range range = waiting[oldest % depth];
    ++oldest;
    announced -= range.size;
    char* const bytes = buffer(range);
    if (bytes == nullptr) return no_memory(range);
    std::optional<stripe_locks::guard> guard;
    if (writes()) guard.emplace(in_.stripes_, range.at, range.size);
    return read_and_take(entries, range, bytes);
  };

  range_plan plan(of_, entries, first, last, limits);
  // To ask whether a read would wait takes time, too. Where all of the sample was in the cache only
  // some are asked, until one is not there.
  bool trusting = situation_.cached >= 1;
  std::size_t turn = 0;
  constexpr std::size_t asked_of = 16;
  std::size_t newest = 0;
  planned_range range;
  while (plan.next(range)) {
    char* const bytes = buffer(range);
    if (bytes == nullptr) return no_memory(range);
    {
      std::optional<stripe_locks::guard> guard;
      if (writes()) guard.emplace(in_.stripes_, range.at, range.size);
      if (!needs_reading(range)) {
        if (const failure why = take(entries, range, bytes)) return why;
        continue;
      }
      if (reads_ahead_ && range.size >= streamed) {
        if (const failure why = read_and_take(entries, range, bytes)) return why;
        continue;
      }
      std::error_code ec;
      const std::span<char> into(bytes, static_cast<std::size_t>(range.size));
      const bool asks = !trusting || turn++ % asked_of == 0;
      const std::size_t n =
          asks ? on().read_ready(range.at, into, ec) : on().read_at(range.at, into, ec);
      trusting = trusting && ec != std::errc::operation_would_block;
      if (n == range.size) {
        if (const failure why = take(entries, range, bytes)) return why;
        continue;
      }
      if (ec && ec != std::errc::operation_would_block && ec != std::errc::interrupted)
        return short_read(range, n, ec, bytes);
    }
    on().announce(range.at, range.size);
    if (waiting.empty()) waiting.resize(depth);
    while (newest - oldest == depth ||
           (newest != oldest && announced + range.size > most_announced)) {
      if (const failure why = take_oldest()) return why;
    }
    waiting[newest++ % depth] = range;
    announced += range.size;
  }
  while (oldest != newest)
    if (const failure why = take_oldest()) return why;
  return {};
}

/// Many ranges at a time, past the cache.
failure random_access::batch::direct_ranges_of(const sorted_entries& entries, std::size_t first,
                                               std::size_t last, range_plan::limits limits,
                                               device& past_cache) {
  const std::size_t depth = how().depth != 0 ? how().depth : usual_direct_depth;
  std::vector<planned_range> ranges;
  std::vector<read_request> reads;
  std::vector<write_request> changed;
  scratch_memory memory;
  range_plan plan(of_, entries, first, last, limits);
  planned_range next;
  bool more = plan.next(next);
  while (more) {
    ranges.clear();
    std::uint64_t size = 0;
    do {
      ranges.push_back(next);
      size += next.size;
      more = plan.next(next);
    } while (more && ranges.size() != depth && size + next.size <= direct_slice);
    char* bytes = memory.get(static_cast<std::size_t>(size));
    if (bytes == nullptr)
      return {std::make_error_code(std::errc::not_enough_memory), "read", ranges.front().at};

    std::optional<stripe_locks::guard> guard;
    if (writes())
      guard.emplace(in_.stripes_, ranges.front().at, ranges.back().end() - ranges.front().at);
    reads.clear();
    for (const auto& range : ranges) {
      reads.push_back({range.at, {bytes, static_cast<std::size_t>(range.size)}, 0, {}});
      bytes += range.size;
    }
    past_cache.read_many(reads);
    changed.clear();
    const auto write_changed = [&]() -> failure {
      past_cache.write_many(changed);
      for (const auto& one : changed)
        if (one.done != one.bytes.size())
          return {one.ec ? one.ec : make_error_code(errc::no_progress), "write", one.at + one.done,
                  one.bytes.size() - one.done};
      return {};
    };
    for (std::size_t i = 0; i != ranges.size(); ++i) {
      const auto& read = reads[i];
      char* const here = read.into.data();
      if (read.done != read.into.size()) {
        const failure why = short_read(ranges[i], read.done, read.ec, here);
        if (why) {
          const failure other = write_changed();
          return other ? other : why;
        }
      }
      if (writes()) changed.push_back({ranges[i].at, {here, read.into.size()}, 0, {}});
      try {
        work_.take(of_, entries, ranges[i], here);
      } catch (...) {
        static_cast<void>(write_changed());
        throw;
      }
    }
    if (const failure why = write_changed()) return why;
    for (const auto& one : ranges) count(one.last - one.first, one.size);
  }
  return {};
}

/// False where nothing but one place is in the range, and the work does not want to know what was
/// there. From the disk it is read all the same: the system would have to, for the rest of the
/// page, and without being told ahead.
bool random_access::batch::needs_reading(const planned_range& range) const noexcept {
  if (work_.what() != kind::writes || range.last - range.first != 1) return true;
  const bool whole_pages = (range.at | range.size) % plan_page == 0;
  return situation_.is_cold() && !whole_pages;
}

/// What came is less than the range: an error, but for works that write behind the end.
failure random_access::batch::short_read(const planned_range& range, std::size_t got,
                                         std::error_code ec, char* bytes) const noexcept {
  if (!ec && work_.what() == kind::writes) {
    std::fill(bytes + got, bytes + range.size, '\0');
    return {};
  }
  failure why{ec ? ec : make_error_code(errc::ended_early), "read", range.at + got};
  why.unread = range.size - got;
  return why;
}

failure random_access::batch::read_and_take(const sorted_entries& entries,
                                            const planned_range& range, char* bytes) {
  std::error_code ec;
  const std::size_t n = read_all(on(), range.at, {bytes, static_cast<std::size_t>(range.size)}, ec);
  if (n != range.size)
    if (const failure why = short_read(range, n, ec, bytes)) return why;
  return take(entries, range, bytes);
}

failure random_access::batch::take(const sorted_entries& entries, const planned_range& range,
                                   char* bytes) {
  try {
    work_.take(of_, entries, range, bytes);
  } catch (...) {
    if (writes())
      static_cast<void>(
          in_.write_unlocked(range.at, {bytes, static_cast<std::size_t>(range.size)}));
    throw;
  }
  if (writes()) {
    const std::string_view changed(bytes, static_cast<std::size_t>(range.size));
    if (const failure why = in_.write_unlocked(range.at, changed)) return why;
  }
  count(range.last - range.first, range.size);  // may throw, so when all is done
  return {};
}

void random_access::batch::count(std::size_t entries, std::uint64_t bytes) {
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
  ranges_.fetch_add(bytes != 0 ? 1 : 0, std::memory_order_relaxed);
  const std::size_t done = done_.fetch_add(entries, std::memory_order_relaxed) + entries;
  if (!how().progress) return;
  const std::lock_guard guard(progress_lock_);
  if (done < told_ || (done - told_ < progress_step && done != of_.count())) return;
  told_ = done;
  how().progress(done, of_.count());
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
