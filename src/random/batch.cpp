// Carrying out a batch: look at a sample, choose a route, go it.
#include "random/batch.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "device/system.hpp"
namespace leat {
inline namespace v0 {
namespace detail {

namespace {

constexpr std::size_t places_at_once = 1024;

}  // namespace

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

}  // namespace detail
}  // namespace v0
}  // namespace leat
