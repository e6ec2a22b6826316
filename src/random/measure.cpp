// Measurements: samples and trials on positions of a batch. Called by the steps of a batch.
#include "random/measure.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "device/system.hpp"
#include "device/transfer.hpp"
#include "random/costs.hpp"
#include "random/ranges.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// Sampling takes some tenths of a millisecond, which matters in a batch of fewer than
/// `small_batch` positions. So fewer positions are sampled in a small batch.
constexpr std::size_t small_batch = 16384;

double now(const device& target) noexcept { return static_cast<double>(target.now().count()); }

double median(std::span<double> values) noexcept {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// A change is a read and a write. Until changes are measured, a write is assumed to cost as much
/// as a read.
void guess_changes(access_costs& costs) noexcept {
  const range_cost& read = costs.disk_read;
  if (!costs.disk_change.is_measured) costs.disk_change = {2 * read.request, 2 * read.byte};
}

/// Allocates `memory` bytes for reads. Moves `at` down to the start of a page, so that the file has
/// at least `size` bytes from `at` on. Returns null if the file is shorter than `size`, or if the
/// file's size is unknown. Throws std::bad_alloc.
std::unique_ptr<char[]> allocate_for_sample(const device& target, std::uint64_t& at,
                                            std::uint64_t size, std::size_t memory) {
  std::error_code ec;
  const std::uint64_t end = target.size(ec);
  if (ec || end < size) return {};
  at = std::min(at, end - size) / batch_page * batch_page;
  return std::make_unique_for_overwrite<char[]>(memory);
}

/// Measures the time of a read from the page cache, with reads as far apart as those of the sorted
/// batch, and the time of each byte of a large read.
void sample_cached_speed(device& target, const batch_positions& input, batch_facts& facts) {
  constexpr std::size_t small_reads = 32;
  constexpr std::uint64_t large_size = std::uint64_t{64} << 10;
  const std::uint64_t gap = facts.gap();
  std::uint64_t at = facts.typical_position;
  auto bytes =
      allocate_for_sample(target, at, std::max(2 * large_size, small_reads * gap), large_size);
  if (bytes == nullptr) return;
  const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(input.size(0), batch_page));
  const auto read = [&](std::uint64_t from, std::size_t size) {
    std::error_code ec;
    target.read_ready(from, {bytes.get(), size}, ec);
  };
  read(at, large_size);  // not measured: new memory faults at its first use
  const double start = now(target);
  for (std::size_t i = 0; i != small_reads; ++i) read(at + i * gap, length);
  const double middle = now(target);
  read(at + large_size, large_size);
  const double request = std::max((middle - start) / small_reads, 1.0);
  const double byte = std::max((now(target) - middle - request) / large_size, 1e-3);
  facts.costs.cached_read = {request, byte, true};
}

/// Measures the time of each byte in long ranges from the disk, several at a time. The time of the
/// seek is not included, because another range is read before the long ranges.
void sample_disk_speed(device& target, batch_facts& facts) {
  constexpr std::uint64_t first_size = std::uint64_t{64} << 10, pieces = 4;
  access_costs& costs = facts.costs;
  // Readahead needs a while to reach its speed. So the sample is large, within bounds: as much as a
  // disk of 1 GB/s reads in a 32nd of the batch's time. Without readahead, each piece is as large
  // as what arrives at 1 GB/s in the time of one request.
  const double most = facts.is_device_uncached
                          ? costs.disk_read.request
                          : static_cast<double>(facts.count) * costs.disk_read.request / 32 /
                                static_cast<double>(pieces);
  const std::uint64_t piece_size = std::bit_floor(static_cast<std::uint64_t>(
      std::clamp(most, static_cast<double>(first_size), static_cast<double>(first_size * 16))));
  std::uint64_t at = facts.typical_position;
  auto bytes = allocate_for_sample(target, at, first_size + pieces * piece_size, piece_size);
  if (bytes == nullptr) return;
  std::error_code ec;
  for (std::uint64_t i = 0; i != pieces; ++i) {
    target.read_ready(at + first_size + i * piece_size, {bytes.get(), 1}, ec);
    if (ec != std::errc::operation_would_block) return;  // a part is in the page cache
  }
  const double start = now(target);
  read_all(target, at, {bytes.get(), first_size}, ec);
  if (ec) return;
  const double before = now(target);
  for (std::uint64_t i = 0; i != pieces; ++i)
    target.announce(at + first_size + i * piece_size, piece_size);
  for (std::uint64_t i = 0; i != pieces; ++i)
    if (read_all(target, at + first_size + i * piece_size, {bytes.get(), piece_size}, ec); ec)
      return;
  const double taken = now(target) - before, first_duration = before - start;
  double byte = taken / static_cast<double>(pieces * piece_size);
  // On a device without a cache, each request waits for its first byte. The duration of the first
  // range is mostly this wait, and is subtracted. If almost nothing is left, the pieces arrived in
  // parallel. Long pieces will not arrive in parallel, so a byte costs at least a 16th of its
  // measured time.
  if (facts.is_device_uncached && taken >= first_duration)
    byte = std::max((taken - first_duration) / static_cast<double>((pieces - 1) * piece_size),
                    byte / 16);
  costs.disk_read.byte = std::max(byte, 1e-3);
  costs.disk_read.is_measured = true;
  guess_changes(costs);
}

/// Reads a few positions from the whole batch without waiting. Returns true if all these positions
/// are in the page cache. Sets facts.typical_position to the last position that was read.
bool are_few_cached(device& target, const batch_positions& input, batch_facts& facts) {
  constexpr std::size_t few = 4;
  for (std::size_t i = 0; i != few; ++i) {
    const std::size_t entry = i * (facts.count - 1) / (few - 1);
    char byte;
    std::error_code ec;
    facts.typical_position = input.offset(input.position(entry));
    target.read_ready(facts.typical_position, {&byte, 1}, ec);
    if (ec == std::errc::operation_would_block) return false;
  }
  return true;
}

/// Returns the time of a request, its announcement and its read together, while many requests are
/// under way. Measures each half of the ranges on its own. The shorter time counts, because other
/// programs may delay one of the halves.
double request_from_disk(device& target, std::span<const byte_range> ranges) {
  std::array<char, batch_page> bytes;
  const auto time_of = [&](std::span<const byte_range> some) {
    const double start = now(target);
    for (const auto& range : some) target.announce(range.at, range.size);
    std::error_code ec;
    for (const auto& range : some)
      target.read_at(range.at, {bytes.data(), static_cast<std::size_t>(range.size)}, ec);
    return (now(target) - start) / static_cast<double>(some.size());
  };
  const std::size_t half = ranges.size() / 2;
  const double first = time_of(ranges.first(half));
  return std::min(first, time_of(ranges.subspan(half)));
}

}  // namespace

void sample(device& target, const batch_positions& input, batch_facts& facts) {
  if (const device_speed speed = target.speed(); speed.request > 0) {
    facts.costs.disk_read = {speed.request, speed.byte, true};
    facts.cached = 0;
    return;
  }
  constexpr std::size_t most = 32;
  constexpr std::size_t fewest = 16;  // positions: enough if all of them are cached
  static_assert(fewest * 16 == fewest_sampled);
  const std::size_t size = std::min(most, facts.count / 16);
  if (size < fewest) return;
  if (facts.was_cached && facts.count < small_batch && are_few_cached(target, input, facts)) {
    facts.cached = 1;
    return;
  }
  std::array<char, batch_page> bytes;
  std::vector<byte_range> uncached;
  std::uint64_t cached_position = 0;
  std::array<double, most> durations;
  std::size_t sample_count = 0;
  for (std::size_t i = 0; i != size; ++i) {
    if (i == fewest && facts.count < small_batch && uncached.empty()) break;
    ++sample_count;
    // Even indexes come first, because they alone also cover the whole batch.
    const std::size_t nth = i < size / 2 ? 2 * i : 2 * (i - size / 2) + 1;
    const std::size_t entry = std::min(nth, size - 1) * (facts.count / size);
    const std::uint64_t at = input.offset(input.position(entry));
    const auto length =
        static_cast<std::size_t>(std::min<std::uint64_t>(input.size(entry), bytes.size()));
    std::error_code ec;
    const double before = now(target);
    target.read_ready(at, {bytes.data(), length}, ec);
    durations[i] = now(target) - before;
    if (ec == std::errc::operation_would_block)
      uncached.push_back({at, length});
    else
      cached_position = at;
  }
  facts.cached = 1 - static_cast<double>(uncached.size()) / static_cast<double>(sample_count);
  if (uncached.size() >= fewest / 2) {
    facts.costs.disk_read.request = request_from_disk(target, uncached);
    guess_changes(facts.costs);
    facts.least_request = facts.costs.disk_read.request * (facts.writes ? 2 : 1);
  }
  if (range_cost& read = facts.costs.cached_read; uncached.empty() && !read.is_measured) {
    // The cost of a byte is assumed to differ from the default by the same factor as a request's.
    const double request = std::max(median({durations.data(), sample_count}), 1.0);
    read.byte *= request / std::exchange(read.request, request);
  }
  facts.typical_position = facts.is_cold() ? uncached.front().at : cached_position;
}

void sample_speed(device& target, const batch_positions& input, batch_facts& facts) {
  facts.speed_is_sampled = true;
  if (facts.is_cold())
    sample_disk_speed(target, facts);
  else
    sample_cached_speed(target, input, facts);
}

/// Touches positions of the batch. For each position, finds the distance within which another
/// position no longer faults. If the batch writes, first touches the position for writing, and then
/// reads a neighbouring page, which maps the folio.
void try_mapping(device& target, const batch_positions& input, mapping& file, double cost_of_ranges,
                 batch_facts& facts) {
  constexpr std::size_t size = 32;
  const bool is_small = facts.count < small_batch;
  constexpr std::size_t few = 4;
  access_costs& costs = facts.costs;
  std::array<std::uint64_t, size> positions;
  std::array<double, size> faults;
  std::size_t faulted = 0;
  std::array<std::size_t, fault_spans::sizes> found{};
  const std::uint64_t last = file.view().size() - 1;
  const auto touch = [&](std::uint64_t at) { file.touch(std::min(at, last)); };
  auto faults_before = page_faults();
  double last_duration = 0;
  /// True if the touch faults. If the system does not report faults, the time decides: a fault that
  /// finds its page table takes about half as long as a fault that does not.
  const auto faults_at = [&](std::uint64_t at) {
    const double start = now(target);
    touch(at);
    last_duration = now(target) - start;
    if (!faults_before) return faulted == 0 || last_duration > costs.fault / 4;
    const std::int64_t faults_now = page_faults().value_or(*faults_before);
    return std::exchange(*faults_before, faults_now) != faults_now;
  };
  std::array<double, size> write_faults, folio_writes;
  for (std::size_t i = 0; i != size; ++i) {
    const std::size_t entry = facts.count > size ? i * (facts.count / size) : i % facts.count;
    // An empty range may be at the end of the file.
    positions[i] = std::min(input.offset(input.position(entry)), last);
    if (facts.writes) {
      // The first write to a folio takes longer than the writes to its other pages, which are more
      // frequent.
      const double start = now(target);
      touch_to_write(file.data() + positions[i]);
      const double middle = now(target);
      touch_to_write(file.data() + std::min(positions[i] ^ 2 * batch_page, last));
      write_faults[i] = now(target) - middle;
      folio_writes[i] = middle - start;
      std::array<double, size> pages = write_faults, folios = folio_writes;
      costs.write_fault = std::max(median({pages.data(), i + 1}), 1.0);
      costs.folio_write = std::max(median({folios.data(), i + 1}) - costs.write_fault, 0.0);
      if (faults_before) faults_before = page_faults();
      positions[i] = std::min(positions[i] ^ batch_page, last);
    }
    if (faults_at(positions[i])) faults[faulted++] = last_duration;
    std::array<double, size> so_far = faults;
    costs.fault = faulted == 0 ? 1 : std::max(median({so_far.data(), faulted}), 1.0);
    // Widens the span while its other half turns out to be mapped, too.
    std::size_t wider = 0;
    while (wider + 1 != fault_spans::sizes && !faults_at(positions[i] ^ small_span << wider))
      ++wider;
    ++found[wider];
    for (std::size_t j = 0; j != fault_spans::sizes; ++j)
      costs.spans.share[j] = static_cast<double>(found[j]) / static_cast<double>(i + 1);
    // If the mapping plainly costs more than ranges, stops early. In a small batch, any higher cost
    // is enough, and doubt_of_mapping() adds to the cost: the sampled reads were farther apart than
    // the batch's own reads, so ranges cost less than the samples show. If the mapping is so much
    // cheaper that more faults would gain little, a small batch also stops.
    if (i + 1 != few) continue;
    const double cost = cost_of_mapping(facts);
    if ((is_small ? doubt_of_mapping(facts) : 0.5) * cost > cost_of_ranges ||
        (is_small && cost < cost_of_ranges / 4))
      return;
  }
  // `small_span / 2` is far enough away that the line is not in the processor's cache. The first
  // pass takes the remaining faults. The second pass touches another line of each page, and the
  // third pass touches the same line again, in the processor's cache.
  const auto pass = [&](std::uint64_t away) {
    const double start = now(target);
    for (const std::uint64_t at : positions) touch(at ^ away);
    return now(target) - start;
  };
  constexpr std::uint64_t another_line = small_span / 2 ^ 128;
  pass(small_span / 2);
  const double second = pass(another_line), third = pass(another_line);
  costs.touch = revisit_cost + std::max(second - third, 0.0) / size;
}

}  // namespace v0
}  // namespace leat
