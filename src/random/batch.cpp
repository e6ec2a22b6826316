// Carrying out a batch: look at a sample, choose a route, go it.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "device/service_thread.hpp"
#include "device/system.hpp"
#include "device/transfer.hpp"
#include "random/random_access.hpp"

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
constexpr std::size_t places_at_once = 1024;
constexpr std::size_t progress_step = 4096;
constexpr std::uint64_t largest_tried_gap = std::uint64_t{256} << 10;

double median(std::span<double> of) noexcept {
  const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
  std::nth_element(of.begin(), middle, of.end());
  return *middle;
}

}  // namespace

class random_access::batch {
 public:
  batch(random_access& in, const batch_places& of, batch_work& work)
      : in_(in),
        of_(of),
        work_(work),
        start_(in.device_->now()),
        reads_ahead_(in.device_->traits().reads_ahead),
        costs_(in.known_costs()) {}

  failure run();

 private:
  using kind = batch_work::kind;

  bool writes() const noexcept { return work_.what() != kind::reads; }
  const access_options& how() const noexcept { return in_.how_; }
  device& on() noexcept { return *in_.device_; }
  double now() noexcept { return static_cast<double>(on().now().count()); }

  void sample();
  bool wants_speed() const noexcept;
  void sample_cached_speed(std::uint64_t at);
  void sample_disk_speed(std::uint64_t at);
  void guess_changes() noexcept;
  std::unique_ptr<char[]> room_for(std::uint64_t& at, std::uint64_t size, std::size_t memory);
  std::shared_ptr<mapping> map();
  void try_mapping(mapping& file);
  void remember();

  failure through_mapping(mapping& file);
  failure by_ranges(std::size_t first);
  template <class Part>
  failure in_threads(const sorted_entries& entries, std::size_t first, Part part);
  failure try_ranges(const sorted_entries& entries, std::size_t& done);
  failure ranges_of(const sorted_entries& entries, std::size_t first, std::size_t last,
                    range_plan::limits limits);
  failure direct_ranges_of(const sorted_entries& entries, std::size_t first, std::size_t last,
                           range_plan::limits limits, device& past_cache);

  bool needs_reading(const planned_range& range) const noexcept;
  failure take(const sorted_entries& entries, const planned_range& range, char* bytes);
  failure read_and_take(const sorted_entries& entries, const planned_range& range, char* bytes);
  failure short_read(const planned_range& range, std::size_t got, std::error_code ec,
                     char* bytes) const noexcept;
  void count(std::size_t entries, std::uint64_t bytes);

  random_access& in_;
  const batch_places& of_;
  batch_work& work_;
  std::chrono::nanoseconds start_, sorting_{};
  bool reads_ahead_;
  access_costs costs_;
  batch_situation situation_;
  std::uint64_t sampled_ = 0;  // a place that is in the cache, or on the disk, like most
  route_choice choice_;
  std::atomic<std::size_t> ranges_{0}, done_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::mutex progress_lock_;
  std::size_t told_ = 0;
};

failure random_access::run(const batch_places& of, batch_work& work) {
  if (work.what() != batch_work::kind::reads && mode_ == mode::read) return read_only(0, 0);
  failure why = batch(*this, of, work).run();
  if (!why && work.what() != batch_work::kind::reads) why = made_durable();
  return why;
}

failure random_access::batch::run() {
  if (of_.count() == 0) return {};
  situation_.count = of_.count();
  situation_.extent = of_.extent();
  situation_.writes = writes();
  situation_.direct = how().caching == caching::direct;
  situation_.uncached = !reads_ahead_;
  sample();

  // A mapping that shows nothing but what the device has, of a file that is wanted at all.
  std::shared_ptr<mapping> file;
  const bool may_map = work_.what() != kind::writes &&
                       (how().route == route::mapped || how().route == route::automatic);
  if (may_map && (how().route == route::mapped || situation_.is_warm())) file = map();
  situation_.can_map = file != nullptr;
  choice_ = choose_route(situation_, costs_, how());
  if (choice_.wants_trial) {
    try_mapping(*file);
    choice_ = choose_route(situation_, costs_, how());
  }
  if (wants_speed()) {
    situation_.is_cold() ? sample_disk_speed(sampled_) : sample_cached_speed(sampled_);
    choice_ = choose_route(situation_, costs_, how());
  }
  failure why;
  try {
    why = choice_.taken == route::mapped ? through_mapping(*file) : by_ranges(0);
  } catch (...) {
    remember();
    throw;
  }
  remember();
  return why;
}

void random_access::batch::remember() {
  const std::lock_guard guard(in_.lock_);
  in_.costs_ = costs_;
  auto& last = in_.last_;
  last.taken = choice_.taken;
  last.places = of_.count();
  last.requests = ranges_;
  last.bytes = bytes_;
  last.hole = choice_.taken == route::mapped ? 0 : choice_.hole;
  last.cached = situation_.cached;
  last.sorting = sorting_;
  last.total = on().now() - start_;
  in_.why_ = choice_.why;
}

// --- what is measured -----------------------------------------------------------------------

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

std::shared_ptr<mapping> random_access::batch::map() {
  const std::lock_guard guard(in_.lock_);
  if (in_.unmappable_) return nullptr;
  std::error_code ec;
  const std::uint64_t size = on().size(ec);
  // What is not in the file the ranges will tell of.
  if (ec || size == 0 || size < of_.end()) return nullptr;
  const bool writes = in_.mode_ == mode::update;
  // One that has met the end of the file shows zeros there from then on.
  if (in_.mapping_ == nullptr || in_.mapping_->view().size() < of_.end() || in_.mapping_->met()) {
    auto fresh = std::make_shared<mapping>(on().native_handle(), static_cast<std::size_t>(size),
                                           writes ? mapping::access::write : mapping::access::read);
    in_.unmappable_ = on().native_handle() == no_handle || !*fresh;
    if (in_.unmappable_) return nullptr;
    in_.mapping_ = std::move(fresh);
    in_.visited_ = 0;
    in_.populated_ = false;
  }
  // The program has come back often enough.
  const double fault = costs_.fault != 0 ? costs_.fault : likely_fault;
  const double price = static_cast<double>(size) / static_cast<double>(small_span) * fault;
  if (!in_.populated_ && in_.regret_ > price && is_affordable(size)) {
    in_.mapping_->populate(small_span);
    in_.populated_ = true;
  }
  situation_.mapped = in_.populated_ ? 1 : mapped_share(in_.visited_, size, costs_.huge);
  return in_.mapping_;
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

// --- routes ----------------------------------------------------------------------------------

failure random_access::batch::through_mapping(mapping& file) {
  // Where the rest turns out to be dearer than by ranges, those do it.
  batch_situation otherwise = situation_;
  otherwise.can_map = false;
  const bool may_stop = how().route == route::automatic;
  const auto ranges = choose_route(otherwise, costs_, how());
  std::array<std::uint64_t, places_at_once> places;
  char* const bytes = file.data();
  // Where most of the file is going to be mapped anyway, it is done first: without faults between
  // them, places can be asked for ahead of their turn.
  constexpr double most = 0.7;
  const double soon =
      mapped_share(static_cast<double>(of_.count()), situation_.extent, costs_.huge);
  if (situation_.mapped < most && soon > most && !writes()) {
    file.populate(costs_.huge > 0.9 ? large_span : small_span);
    situation_.mapped = 1;
  }
  const bool ahead = situation_.mapped > most && !writes();
  const double all = cost_of_mapping(situation_, costs_) * static_cast<double>(of_.count());
  double reached = now(), expected = 0;
  double slowness = std::numeric_limits<double>::max();  // of the part that was disturbed least
  std::optional<stripe_locks::guard> guard;  // against ranges of others that hold these places
  if (writes()) guard.emplace(in_.stripes_, 0, file.view().size());
  for (std::size_t first = 0; first != of_.count();) {
    const std::span some(places.data(), std::min(places.size(), of_.count() - first));
    of_.load(first, some);
    work_.take_mapped(of_, some, first, bytes, ahead);
    first += some.size();
    count(some.size(), 0);
    if (const failure met = file.met()) {
      // The ranges tell what is missing; of a page that only the mapping couldn't have, they know
      // better.
      if (writes()) return {met.code, "write", met.offset};
      if (!may_stop) return met;
      choice_ = ranges;
      choice_.why = "the mapping could not be read";
      guard.reset();
      return by_ranges(first - some.size());
    }
    if (!may_stop || first == of_.count()) continue;
    // The first places fault, later ones find their page mapped: what was expected until here is
    // compared, not what a place took.
    batch_situation until = situation_;
    until.count = first;
    const double before = std::exchange(reached, now());
    const double earlier =
        std::exchange(expected, cost_of_mapping(until, costs_) * static_cast<double>(first));
    slowness = std::min(slowness, (reached - before) / (expected - earlier));
    const double by_ranges_instead = ranges.cost * static_cast<double>(of_.count() - first);
    if (first > places.size() && slowness * (all - expected) > 2 * by_ranges_instead) {
      choice_ = ranges;
      choice_.why = "the mapping was slower than it should be";
      guard.reset();
      return by_ranges(first);
    }
  }
  const std::lock_guard known(in_.lock_);
  in_.visited_ += static_cast<double>(of_.count());
  in_.populated_ = in_.populated_ || ahead;
  return {};
}

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
