// Borders of days, weeks and so on in UTC or in local time, also when clocks change. rotating.cpp
// calls period_at().
#include "logs/log_periods.hpp"

#include <algorithm>
#include <limits>

namespace leat {
inline namespace v0 {

namespace {

/// There are no borders before `first_border` (in the year -1199) and after `last_border` (in the
/// year 5138).
constexpr std::int64_t first_border = -100'000'000'000, last_border = 100'000'000'000;

class zone {
 public:
  explicit zone(offset_at offset) noexcept : offset_(offset) {}

  /// Returns the latest local time of all seconds up to and including `second`.
  std::int64_t latest_local_time(std::int64_t second) const noexcept {
    std::int64_t found = local_time(second);
    for (std::int64_t end = second; end > second - 2 * most_offset; end -= step)
      if (offset_(end - step) != offset_(end))
        found = std::max(found, local_time(change_in(end - step, end) - 1));
    return found;
  }

  /// Returns the first second at which the local time is `wanted` or later.
  std::int64_t first_second_at(std::int64_t wanted) const noexcept {
    std::int64_t begin = wanted - most_offset;
    std::int64_t before = offset_(begin);
    for (; begin < wanted + most_offset; begin += step) {
      const std::int64_t after = offset_(begin + step);
      if (after != before) {
        const std::int64_t change = change_in(begin, begin + step);
        if (wanted - before < change) return wanted - before;
        if (wanted - after <= begin + step) return std::max(wanted - after, change);
      } else if (wanted - before <= begin + step) {
        return wanted - before;
      }
      before = after;
    }
    return begin;
  }

 private:
  /// In seconds. No local time is farther from UTC: TZ allows 25 hours, and one hour more in
  /// summer.
  static constexpr std::int64_t most_offset = std::int64_t{27} * 3600;
  static constexpr std::int64_t step = 3600;

  std::int64_t local_time(std::int64_t second) const noexcept { return second + offset_(second); }
  /// Returns the first second after `begin` whose offset differs from the offset at `begin`. The
  /// offset at `end` must differ, too.
  std::int64_t change_in(std::int64_t begin, std::int64_t end) const noexcept {
    const std::int32_t before = offset_(begin);
    while (end - begin > 1) {
      const std::int64_t middle = begin + (end - begin) / 2;
      (offset_(middle) == before ? begin : end) = middle;
    }
    return end;
  }

  offset_at offset_;
};

}  // namespace

log_period period_at(std::int64_t second, std::int64_t every, offset_at offset) noexcept {
  using limits = std::numeric_limits<std::int64_t>;
  if (second < first_border) return {(limits::min)(), first_border};
  if (second >= last_border) return {last_border, (limits::max)()};
  const zone local(offset);
  const std::int64_t local_time = offset == nullptr ? second : local.latest_local_time(second);
  const std::int64_t rest = local_time % every;
  const std::int64_t begin = local_time - (rest < 0 ? rest + every : rest);
  const bool ends = begin <= 0 || every <= last_border - begin;
  const std::int64_t end = ends ? begin + every : last_border + 1;
  const auto border = [&](std::int64_t wanted) {
    return offset == nullptr ? wanted : local.first_second_at(wanted);
  };
  return {begin < first_border ? (limits::min)() : std::min(border(begin), second),
          end > last_border ? (limits::max)() : std::max(border(end), second + 1)};
}

}  // namespace v0
}  // namespace leat
