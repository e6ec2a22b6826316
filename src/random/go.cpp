// The loop of a batch (batch::go) and the steps of a mapping.
#include "random/go.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "device/system.hpp"
#include "random/costs.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

constexpr std::size_t positions_at_once = 1024;
constexpr std::size_t progress_step = 4096;

/// Compares the time of visits through a mapping with the time that the cost model expects. Sums
/// are compared, not single positions: the first visits fault, and later visits find their pages
/// mapped.
class mapping_watch {
 public:
  mapping_watch(const batch_facts& known, double cost_of_ranges, double start)
      : known_(known),
        cost_of_ranges_(cost_of_ranges),
        all_(cost_of_mapping(known) * static_cast<double>(known.count)),
        reached_(start) {}

  /// True if ranges would visit the rest in less than half the time that the mapping needs. The
  /// first visits do not decide: memory that has not been used for a long time is slow at first.
  bool is_slow(std::size_t visited, double now) {
    batch_facts until = known_;
    until.count = visited;
    const double before = std::exchange(reached_, now);
    const double earlier =
        std::exchange(expected_, cost_of_mapping(until) * static_cast<double>(visited));
    slowness_ = std::min(slowness_, (reached_ - before) / (expected_ - earlier));
    const double by_ranges = cost_of_ranges_ * static_cast<double>(known_.count - visited);
    return visited > std::max(positions_at_once, known_.count / 64) &&
           slowness_ * (all_ - expected_) > 2 * by_ranges;
  }

 private:
  const batch_facts& known_;
  double cost_of_ranges_, all_, reached_, expected_ = 0;
  // The measured time of a part divided by its expected time: the least of all parts so far.
  double slowness_ = std::numeric_limits<double>::max();
};

}  // namespace

failure random_access::run(const batch_positions& of, batch_work& work) {
  const bool writes = work.what() != batch_work::kind::reads;
  failure why;
  try {
    const within_batch inside(*this, writes);
    why = batch(*this, of, work).run();
  } catch (...) {
    // The changes made so far are in the file, so they are made durable too.
    if (writes) report_write_loss(made_durable());
    throw;
  }
  if (!why && writes) why = made_durable();
  return why;
}

random_access::batch::batch(random_access& in, const batch_positions& of, batch_work& work)
    : in_(in), of_(of), work_(work), start_(in.device_->now()), spent_(in.device_->cost()) {
  known_.count = of.count();
  known_.sorted_at_once = sorted_entries::most_at_once(of, in.how_.memory);
  known_.extent = of.extent();
  known_.writes = work.what() != kind::reads;
  known_.wants_direct = in.how_.caching == caching::direct;
  const device_traits traits = in.device_->traits();
  known_.uncached = !traits.reads_ahead || traits.starts_reads;
  known_.costs = in.known_costs();
}

failure random_access::batch::run() {
  if (known_.count == 0) return {};
  sample(on(), of_, known_);
  failure why;
  try {
    why = go();
  } catch (...) {
    remember();
    throw;
  }
  remember();
  return why;
}

failure random_access::batch::go() {
  for (;;) {
    plan_ = decide(known_, how());
    failure why;
    switch (plan_.next) {
      case step::find_mapping:
        find_mapping();
        break;
      case step::try_mapping: {
        std::optional<stripe_locks::guard> guard;
        if (writes()) guard.emplace(in_.stripes_, 0, mapping_->view().size());
        try_mapping(on(), of_, *mapping_, plan_.cost_of_ranges, known_);
        break;
      }
      case step::sample_speed:
        sample_speed(on(), of_, known_);
        break;
      case step::find_direct:
        find_direct();
        break;
      case step::try_ranges:
        why = try_ranges();
        break;
      case step::visit:
        why = plan_.taken == route::mapped ? visit_mapping() : visit_ranges();
        break;
    }
    if (why || visited_ == known_.count) return why;
  }
}

void random_access::batch::remember() {
  const std::lock_guard guard(in_.lock_);
  in_.costs_ = known_.costs;
  auto& last = in_.last_;
  last.taken = plan_.taken;
  last.positions = known_.count;
  last.requests = ranges_;
  last.bytes = bytes_;
  last.gap = plan_.taken == route::mapped ? 0 : plan_.gap;
  last.cached = known_.cached;
  last.sorting = sorting_;
  last.total = on().now() - start_;
  last.dollars = on().cost() - spent_;
  in_.why_ = plan_.why;
}

void random_access::batch::count(std::size_t entries, std::uint64_t bytes) {
  // An atomic addition takes as long as sorting a position, so it is used only if several threads
  // count.
  const auto add = [this](auto& to, auto n) {
    if (has_threads_) return to.fetch_add(n, std::memory_order_relaxed) + n;
    const auto sum = to.load(std::memory_order_relaxed) + n;
    to.store(sum, std::memory_order_relaxed);
    return sum;
  };
  add(bytes_, bytes);
  add(ranges_, std::size_t{bytes != 0});
  const std::size_t done = add(done_, entries);
  if (!how().progress) return;
  const std::lock_guard guard(progress_lock_);
  if (done < reported_ || (done - reported_ < progress_step && done != known_.count)) return;
  reported_ = done;
  how().progress(done, known_.count);
}

// --- the steps of a mapping ----------------------------------------------------------------------

void random_access::batch::find_mapping() {
  const std::lock_guard guard(in_.lock_);
  known_.mapping = batch_facts::mapping_state::none;
  if (in_.unmappable_) return;
  std::error_code ec;
  const std::uint64_t size = on().size(ec);
  // If the file has shrunk below a position of the batch, ranges report the error.
  if (ec || size == 0 || size < of_.end()) return;
  // After an access beyond the end of the file, a mapping shows zeros, so a new mapping replaces
  // it.
  if (in_.mapping_ == nullptr || in_.mapping_->view().size() < of_.end() ||
      in_.mapping_->access_failure()) {
    const auto access = in_.mode_ == mode::update ? mapping::access::write : mapping::access::read;
    auto fresh =
        std::make_shared<mapping>(on().native_handle(), static_cast<std::size_t>(size), access);
    in_.unmappable_ = on().native_handle() == no_handle || !*fresh;
    if (in_.unmappable_) return;
    in_.mapping_ = std::move(fresh);
    in_.visited_ = 0;
    in_.populated_ = false;
  }
  // If earlier batches have lost more time without a fully mapped file than it takes to map the
  // file, the file is mapped now, if memory is large enough.
  const bool tried = known_.costs.fault != 0;
  const double fault = tried ? known_.costs.fault : likely_fault;
  const std::uint64_t span = tried ? known_.costs.spans.step_to_map_all() : small_span;
  const double price = static_cast<double>(size) / static_cast<double>(span) * fault;
  if (!in_.populated_ && in_.excess_cost_ > price && is_affordable(size)) {
    in_.mapping_->populate(span);
    in_.populated_ = true;
  }
  mapping_ = in_.mapping_;
  known_.mapping = batch_facts::mapping_state::there;
  known_.mapped = in_.populated_ ? 1 : mapped_share(in_.visited_, size, known_.costs.spans);
}

/// Called if the file ends before some of the positions, or cannot be read there. Returns the
/// failure, or success if ranges are to visit the rest.
failure random_access::batch::continue_without_mapping(const failure& met, bool may_stop) {
  // A change is lost, and its position is unknown.
  if (work_.what() == kind::changes) return {met.code, "write", met.offset};
  if (work_.what() == kind::reads && !may_stop) return met;
  // Ranges report what is missing, and can read a page that only the mapping could not read. A
  // batch that writes starts again at the first value, because its ranges make the file longer
  // again.
  if (writes()) visited_ = done_ = 0;
  known_.mapping = batch_facts::mapping_state::unreadable;
  known_.begun = true;
  return {};
}

/// Visits the positions in the caller's order. Stops when a position cannot be read, and lets
/// continue_without_mapping() decide. If the route is automatic, also stops when ranges turn out to
/// be cheaper.
failure random_access::batch::visit_mapping() {
  mapping& file = *mapping_;
  const bool may_stop = how().route == route::automatic;
  if (plan_.map_first != 0) {
    file.populate(plan_.map_first);
    known_.mapped = std::max(known_.mapped, known_.costs.spans.mapped_by(plan_.map_first));
  }
  mapping_watch watch(known_, plan_.cost_of_ranges, now());
  std::optional<stripe_locks::guard> guard;  // ranges of other threads may contain these bytes
  if (writes()) guard.emplace(in_.stripes_, 0, file.view().size());
  std::array<std::uint64_t, positions_at_once> positions;
  while (visited_ != known_.count) {
    const std::span some(positions.data(), std::min(positions.size(), known_.count - visited_));
    of_.load(visited_, some);
    work_.take_mapped(of_, some, visited_, file.data(), plan_.prefetches);
    if (const failure met = file.access_failure()) return continue_without_mapping(met, may_stop);
    visited_ += some.size();
    count(some.size(), 0);
    if (may_stop && visited_ != known_.count && watch.is_slow(visited_, now())) {
      known_.mapping = batch_facts::mapping_state::slow;
      known_.begun = true;
      return {};
    }
  }
  if (writes()) {
    // The kernel does not report a write beyond the end of the file within the file's last page.
    std::error_code ec;
    const std::uint64_t size = on().size(ec);
    if (ec || size < of_.end())
      return continue_without_mapping({errc::file_shrank, "write", size}, may_stop);
  }
  const std::lock_guard known(in_.lock_);
  in_.visited_ += static_cast<double>(known_.count);
  constexpr double nearly_all = 0.9;
  in_.populated_ = in_.populated_ || (plan_.prefetches && known_.mapped >= nearly_all);
  return {};
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
