// What a batch measures before it chooses: which of its places are in the cache, what a read
// takes there and from the disk, and what a page of a mapping does.
#include "random/batch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <vector>

#include "device/transfer.hpp"
namespace leat {
inline namespace v0 {
namespace detail {

namespace {

double median(std::span<double> of) noexcept {
  const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
  std::nth_element(of.begin(), middle, of.end());
  return *middle;
}

}  // namespace

/// Looks at places all over the batch: which are in the cache? Those that are not are read
/// together, which tells what the disk takes for each.
void random_access::batch::sample() {
  constexpr std::size_t most = 32;
  constexpr std::size_t fewest = 16;
  const std::size_t size = std::min(most, of_.count() / 16);
  if (size < fewest) return;
  std::array<char, plan_page> bytes;
  std::vector<byte_range> waiting;
  std::uint64_t seen = 0;  // somewhere in the cache
  for (std::size_t i = 0; i != size; ++i) {
    const std::size_t entry = i * (of_.count() / size);
    const std::uint64_t at = of_.offset(of_.place(entry));
    const auto length =
        static_cast<std::size_t>(std::min<std::uint64_t>(of_.size(entry), bytes.size()));
    std::error_code ec;
    on().read_ready(at, {bytes.data(), length}, ec);
    if (ec == std::errc::operation_would_block)
      waiting.push_back({at, length});
    else
      seen = at;
  }
  situation_.cached = 1 - static_cast<double>(waiting.size()) / static_cast<double>(size);
  if (waiting.size() >= fewest / 2) {
    const double before = now();
    for (const auto& one : waiting) on().announce(one.at, one.size);
    std::error_code ec;
    for (const auto& one : waiting)
      on().read_at(one.at, {bytes.data(), static_cast<std::size_t>(one.size)}, ec);
    costs_.disk_read.request = (now() - before) / static_cast<double>(waiting.size());
    guess_changes();
  }
  sampled_ = situation_.is_cold() ? waiting.front().at : seen;
}

/// Whether a hole is to be chosen, by costs that nobody has measured yet and a batch that is worth
/// it.
bool random_access::batch::wants_speed() const noexcept {
  constexpr std::size_t worth_it = 4096;
  // To read along gaps that are wider never pays in the cache, whatever its speed.
  constexpr std::uint64_t widest_in_cache = std::uint64_t{32} << 10;
  if (situation_.is_warm() && situation_.extent / situation_.count > widest_in_cache) return false;
  const bool has_holes = choice_.taken == route::merged ||
                         (choice_.taken == route::direct && how().route == route::automatic);
  return has_holes && how().hole == 0 && situation_.cached >= 0 && of_.count() >= worth_it &&
         (!writes() || situation_.is_cold()) &&
         !(situation_.is_cold() ? costs_.disk_read : costs_.cached_read).is_measured;
}

/// How long reads from the cache take that are as far apart as those of the sorted batch, and each
/// byte of a large one.
void random_access::batch::sample_cached_speed(std::uint64_t at) {
  constexpr std::size_t small = 32;
  constexpr std::uint64_t large = std::uint64_t{64} << 10;
  const std::uint64_t gap = situation_.extent / situation_.count;
  auto bytes = room_for(at, std::max(2 * large, small * gap), large);
  if (bytes == nullptr) return;
  const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(of_.size(0), plan_page));
  const auto read = [&](std::uint64_t from, std::size_t size) {
    std::error_code ec;
    on().read_ready(from, {bytes.get(), size}, ec);
  };
  read(at, large);  // new memory faults, which is not the cache's fault
  const double start = now();
  for (std::size_t i = 0; i != small; ++i) read(at + i * gap, length);
  const double middle = now();
  read(at + large, large);
  const double request = std::max((middle - start) / small, 1.0);
  costs_.cached_read = {request, std::max((now() - middle - request) / large, 1e-3), true};
}

/// How long each byte takes that is read from the disk in long ranges, several at a time. What is
/// read before them pays for the seek.
void random_access::batch::sample_disk_speed(std::uint64_t at) {
  constexpr std::uint64_t first = std::uint64_t{64} << 10, pieces = 4;
  // A system that reads ahead takes a while to get going, so it is asked for more: for what a disk
  // of 1 GB/s reads in a 32nd of the time that the batch will take.
  const double most = static_cast<double>(of_.count()) * costs_.disk_read.request / 32 / pieces;
  const std::uint64_t piece =
      reads_ahead_ ? std::bit_floor(std::clamp(static_cast<std::uint64_t>(most), first, first * 16))
                   : first;
  auto bytes = room_for(at, first + pieces * piece, piece);
  if (bytes == nullptr) return;
  std::error_code ec;
  for (std::uint64_t i = 0; i != pieces; ++i) {
    on().read_ready(at + first + i * piece, {bytes.get(), 1}, ec);
    if (ec != std::errc::operation_would_block) return;  // some of it is in the cache
  }
  const double start = now();
  read_all(on(), at, {bytes.get(), first}, ec);
  const double before = now();
  for (std::uint64_t i = 0; i != pieces; ++i) on().announce(at + first + i * piece, piece);
  for (std::uint64_t i = 0; i != pieces; ++i)
    read_all(on(), at + first + i * piece, {bytes.get(), piece}, ec);
  if (ec) return;
  const double taken = now() - before, of_first = before - start;
  double byte = taken / static_cast<double>(pieces * piece);
  // Without a system in between, what took no less than the first one waited as long for its first
  // byte. Where there is next to nothing left the pieces came side by side, as long ones won't.
  if (!reads_ahead_ && taken >= of_first)
    byte = std::max((taken - of_first) / static_cast<double>((pieces - 1) * piece), byte / 16);
  costs_.disk_read.byte = std::max(byte, 1e-3);
  costs_.disk_read.is_measured = true;
  guess_changes();
}

/// Until it is tried, writing is taken to cost what reading does.
void random_access::batch::guess_changes() noexcept {
  const range_cost& read = costs_.disk_read;
  if (!costs_.disk_change.is_measured) costs_.disk_change = {2 * read.request, 2 * read.byte};
}

/// Memory for a read, if the file has so many bytes; `at` is moved to a page where they begin.
std::unique_ptr<char[]> random_access::batch::room_for(std::uint64_t& at, std::uint64_t size,
                                                       std::size_t memory) {
  std::error_code ec;
  const std::uint64_t end = on().size(ec);
  if (ec || end < size) return {};
  at = std::min(at, end - size) / plan_page * plan_page;
  return std::make_unique_for_overwrite<char[]>(memory);
}

/// Does one fault map a huge page, and how long does it take? Touches places of the batch, and for
/// each another one in the same huge page but too far away for a small one: does it fault, too?
void random_access::batch::try_mapping(mapping& file) {
  constexpr std::size_t size = 32, few = 4;
  std::array<double, size> here, there;
  const auto touch = [&](std::uint64_t at) {
    const double start = now();
    file.touch(static_cast<std::size_t>(at));
    return now() - start;
  };
  const auto judge = [&](std::size_t pairs) {
    costs_.fault = std::max(median({here.data(), pairs}), 1.0);
    const auto faulted = std::ranges::count_if(std::span(there.data(), pairs),
                                               [&](double t) { return t > costs_.fault / 2; });
    costs_.huge = 1 - static_cast<double>(faulted) / static_cast<double>(pairs);
  };
  const double ranges = cost_of_ranges(situation_, costs_, static_cast<double>(choice_.hole));
  for (std::size_t i = 0; i != size; ++i) {
    const std::size_t entry = of_.count() > size ? i * (of_.count() / size) : i % of_.count();
    // A place of no bytes may be at the end.
    const std::uint64_t last = file.view().size() - 1;
    const std::uint64_t at = std::min(of_.offset(of_.place(entry)), last);
    here[i] = touch(at);
    there[i] = touch(std::min(at ^ large_span / 2, last));
    if (i + 1 != few) continue;
    // A fault may take longer than a read: where that is plain, enough of them were made.
    judge(few);
    if (cost_of_mapping(situation_, costs_) > 2 * ranges) return;
  }
  judge(size);
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
