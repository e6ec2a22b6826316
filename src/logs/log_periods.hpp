// The periods of a log that is rotated by time. rotating.cpp asks for the current period.
#pragma once

#include <cstdint>

namespace leat {
inline namespace v0 {

/// Seconds since 1970 in UTC: from `begin` on, and before `end`.
struct log_period {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Returns how many seconds the local time is ahead of UTC at a second; see local_offset().
using offset_at = std::int32_t (*)(std::int64_t second) noexcept;

/// Returns the period that a second is in. A period begins at the second at which the local time
/// first reaches a multiple of `every` seconds; `every` is above 0. So each period of local time
/// comes once. A period that a clock change leaves out has no second. If the clocks go back over
/// the beginning of a period, the period goes on. For example, if a period is a day, and the clocks
/// go back from 00:30 to 23:30, the repeated half hour before 00:00 is in the new day. If `offset`
/// is null, the periods are those of UTC.
///
/// If the offset changes more than once within an hour, borders may be off by these changes. Even
/// then the returned period contains `second`.
log_period period_at(std::int64_t second, std::int64_t every, offset_at offset) noexcept;

}  // namespace v0
}  // namespace leat
