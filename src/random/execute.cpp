// random_access::run(), the loop of a batch (batch::execute), and the steps that use a mapping.
#include "random/execute.hpp"

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

/// Each part of a batch ends with a system call, which looks for missing bytes.
constexpr std::size_t positions_at_once = 2048;
constexpr std::size_t progress_interval = 4096;

/// Compares the time of visits through a mapping with the time that the cost model expects. Sums
/// are compared, not single positions: the first visits fault, and later visits find their pages
/// mapped.
class mapping_watch {
 public:
  mapping_watch(const batch_facts& facts, double cost_of_ranges, double start)
      : facts_(facts),
        cost_of_ranges_(cost_of_ranges),
        expected_total_(cost_of_mapping(facts) * static_cast<double>(facts.count)),
        part_start_(start) {}

  /// True if ranges would visit the rest in less than half the time that the mapping needs. The
  /// first visits do not decide: memory that has not been used for a long time is slow at first.
  bool is_slow(std::size_t visited, double now) {
    batch_facts visited_part = facts_;
    visited_part.count = visited;
    const double start = std::exchange(part_start_, now);
    const double expected_before = std::exchange(
        expected_so_far_, cost_of_mapping(visited_part) * static_cast<double>(visited));
    slowness_ = std::min(slowness_, (part_start_ - start) / (expected_so_far_ - expected_before));
    const double by_ranges = cost_of_ranges_ * static_cast<double>(facts_.count - visited);
    return visited > std::max(positions_at_once, facts_.count / 64) &&
           slowness_ * (expected_total_ - expected_so_far_) > 2 * by_ranges;
  }

 private:
  const batch_facts& facts_;
  double cost_of_ranges_, expected_total_, part_start_, expected_so_far_ = 0;
  // The measured time of a part divided by the part's expected time: the least value of all parts
  // so far.
  double slowness_ = std::numeric_limits<double>::max();
};

}  // namespace

failure random_access::run(const batch_positions& input, batch_operation& operation,
                           std::optional<std::size_t> gathered) {
  const bool writes = operation.kind() != batch_operation::access_kind::reads;
  failure why;
  try {
    const batch_scope inside(*this, writes);
    std::size_t done = gathered.value_or(0);
    if (!gathered) why = visit_singly(input, operation, done);
    if (!why && done != input.count()) why = batch(*this, input, operation, done).run();
  } catch (...) {
    // The changes made so far are in the file, so these changes are made durable, too.
    if (writes) report_write_loss(make_durable());
    throw;
  }
  if (!why && writes) why = make_durable();
  return why;
}

random_access::batch::batch(random_access& core, const batch_positions& input,
                            batch_operation& operation, std::size_t done)
    : core_(core),
      input_(input),
      operation_(operation),
      is_timed_(!core.visits_singly_ || input.count() >= fewest_sampled),
      start_(plan_time()),
      spent_(core.device_->cost()),
      visited_(done),
      ranges_(done),
      done_(done),
      bytes_(input.bytes_before(done)) {
  facts_.count = input.count();
  facts_.sorted_at_once = sorted_entries::most_at_once(input, core.options_.memory);
  facts_.extent = input.extent();
  facts_.writes = operation.kind() != access_kind::reads;
  facts_.wants_direct = core.options_.caching == caching::direct;
  const device_traits traits = core.device_->traits();
  facts_.is_device_uncached = !traits.reads_ahead || traits.starts_reads;
  const std::lock_guard guard(core.lock_);
  facts_.costs = core.costs_;
  facts_.was_cached = core.last_plan_.cached == 1;
}

failure random_access::batch::run() {
  if (facts_.count == 0) return {};
  sample(on(), input_, facts_);
  failure why;
  try {
    why = execute();
  } catch (...) {
    store_results();
    throw;
  }
  store_results();
  return why;
}

failure random_access::batch::execute() {
  for (;;) {
    plan_ = decide(facts_, options());
    failure why;
    switch (plan_.next) {
      case step::find_mapping:
        find_mapping();
        break;
      case step::try_mapping: {
        std::optional<stripe_locks::guard> guard;
        if (writes()) guard.emplace(core_.stripes_, 0, mapping_->view().size());
        try_mapping(on(), input_, *mapping_, plan_.cost_of_ranges, facts_);
        break;
      }
      case step::sample_speed:
        sample_speed(on(), input_, facts_);
        break;
      case step::find_direct:
        find_direct();
        break;
      case step::try_ranges:
        why = try_ranges();
        break;
      case step::visit:
        why = plan_.chosen_route == route::mapped ? visit_mapping() : visit_ranges();
        break;
    }
    if (why || visited_ == facts_.count) return why;
  }
}

void random_access::batch::store_results() {
  const std::lock_guard guard(core_.lock_);
  core_.last_singles_.store(0, std::memory_order_relaxed);
  core_.costs_ = facts_.costs;
  auto& last = core_.last_plan_;
  last.taken = plan_.chosen_route;
  last.positions = facts_.count;
  last.requests = ranges_;
  last.bytes = bytes_;
  last.gap = plan_.chosen_route == route::mapped ? 0 : plan_.gap;
  last.cached = facts_.cached;
  last.sorting = sorting_;
  last.total = plan_time() - start_;
  last.dollars = on().cost() - spent_;
  core_.last_reason_ = plan_.why;
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
  if (!options().progress) return;
  const std::lock_guard guard(progress_lock_);
  if (done < reported_ || (done - reported_ < progress_interval && done != facts_.count)) return;
  reported_ = done;
  options().progress(done, facts_.count);
}

// --- the steps of a mapping ----------------------------------------------------------------------

void random_access::batch::find_mapping() {
  const std::lock_guard guard(core_.lock_);
  facts_.mapping = batch_facts::mapping_state::unavailable;
  if (core_.is_unmappable_) return;
  std::error_code ec;
  const std::uint64_t size = on().size(ec);
  // If the file has shrunk below a position of the batch, ranges report the error.
  if (ec || size == 0 || size < input_.end()) return;
  // After an access beyond the end of the file, a mapping shows zeros. So a new mapping replaces
  // such a mapping.
  if (core_.mapping_ == nullptr || core_.mapping_->view().size() < input_.end() ||
      core_.mapping_->access_failure()) {
    const auto access =
        core_.mode_ == mode::update ? mapping::access::write : mapping::access::read;
    auto fresh =
        std::make_shared<mapping>(on().native_handle(), static_cast<std::size_t>(size), access);
    core_.is_unmappable_ = on().native_handle() == no_handle || !*fresh;
    if (core_.is_unmappable_) return;
    core_.mapping_ = std::move(fresh);
    core_.mapped_visits_ = 0;
    core_.is_populated_ = false;
  }
  // If earlier batches have lost more time without a fully mapped file than mapping the file takes,
  // and if memory is large enough, the whole file is mapped now.
  const bool tried = facts_.costs.fault != 0;
  const double fault = tried ? facts_.costs.fault : likely_fault;
  const std::uint64_t span = tried ? facts_.costs.spans.step_to_map_all() : small_span;
  const double price = static_cast<double>(size) / static_cast<double>(span) * fault;
  if (!core_.is_populated_ && core_.excess_cost_ > price && is_affordable(size)) {
    core_.mapping_->populate(span);
    core_.is_populated_ = true;
  }
  mapping_ = core_.mapping_;
  facts_.mapping = batch_facts::mapping_state::available;
  facts_.mapped =
      core_.is_populated_ ? 1 : mapped_share(core_.mapped_visits_, size, facts_.costs.spans);
}

/// Called if some positions are beyond the end of the file or cannot be read. Returns the failure,
/// or success if ranges are to visit the rest. `may_stop`: the program has requested no route, so a
/// batch that reads may continue with ranges.
failure random_access::batch::continue_without_mapping(const failure& why, bool may_stop) {
  // A change is lost, and its position is unknown.
  if (operation_.kind() == access_kind::changes) return {why.code, "write", why.offset};
  if (operation_.kind() == access_kind::reads && !may_stop) return why;
  // Ranges report missing bytes. Ranges may also be able to read a page that the mapping could not
  // read. A batch that writes starts again at the first value, because its ranges make the file
  // longer again.
  if (writes()) visited_ = done_ = 0;
  facts_.mapping = batch_facts::mapping_state::unreadable;
  facts_.is_partly_visited = true;
  return {};
}

/// Returns the failure if the file does not have all the bytes of the batch. The kernel does not
/// report an access beyond the end of the file within the file's last page.
failure random_access::batch::find_missing_bytes(const mapping& file) const {
  if (const failure why = file.access_failure()) return why;
  std::error_code ec;
  const std::uint64_t size = core_.on().size(ec);
  if (ec || size < input_.end()) return {errc::file_shrank, "read", size};
  return {};
}

/// Visits the positions in the caller's order. If a position cannot be read, stops, and
/// continue_without_mapping() decides how to continue. If the route is automatic, also stops when
/// ranges turn out to be cheaper.
failure random_access::batch::visit_mapping() {
  mapping& file = *mapping_;
  const bool may_stop = options().route == route::automatic;
  if (plan_.map_first != 0) {
    file.populate(plan_.map_first);
    facts_.mapped = std::max(facts_.mapped, facts_.costs.spans.mapped_by(plan_.map_first));
  }
  mapping_watch watch(facts_, plan_.cost_of_ranges, now());
  std::optional<stripe_locks::guard> guard;  // other threads may write ranges with the same bytes
  if (writes()) guard.emplace(core_.stripes_, 0, file.view().size());
  std::array<std::uint64_t, positions_at_once> positions;
  while (visited_ != facts_.count) {
    const std::size_t most = std::min(positions.size(), facts_.count - visited_);
    const std::span some(positions.data(), operation_.count_at_once(input_, visited_, most));
    input_.load(visited_, some);
    operation_.apply_mapped(input_, some, visited_, file.data(), plan_.prefetches);
    if (const failure why = writes() ? file.access_failure() : find_missing_bytes(file))
      return continue_without_mapping(why, may_stop);
    operation_.accept_mapped(input_, visited_, some.size());
    visited_ += some.size();
    count(some.size(), 0);
    if (may_stop && visited_ != facts_.count && watch.is_slow(visited_, now())) {
      facts_.mapping = batch_facts::mapping_state::slow;
      facts_.is_partly_visited = true;
      return {};
    }
  }
  if (writes()) {
    if (const failure why = find_missing_bytes(file))
      return continue_without_mapping({why.code, "write", why.offset}, may_stop);
  }
  const std::lock_guard lock(core_.lock_);
  core_.mapped_visits_ += static_cast<double>(facts_.count);
  constexpr double nearly_all = 0.9;
  core_.is_populated_ = core_.is_populated_ || (plan_.prefetches && facts_.mapped >= nearly_all);
  return {};
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
