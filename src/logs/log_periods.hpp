// The periods of a log that gets a new file by time. rotating.cpp asks for the present one.
#pragma once

#include <cstdint>

namespace leat {
inline namespace v0 {

/// Seconds since 1970 in UTC: from `begin` on, and before `end`.
struct log_period {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// What the local time is ahead of UTC at a second, as local_offset().
using offset_at = std::int32_t (*)(std::int64_t second) noexcept;

/// Returns the period that a second is in. Its borders are the seconds at which the local time
/// reaches a multiple of `every`, which is above 0, for the first time. So each period of local
/// time comes once: one that a clock change leaves out has no second, and local time that comes
/// again belongs to the period that was reached before. A null `offset` is UTC.
///
/// The offset may change once an hour; otherwise borders may be off by that change. The second is
/// in the period in any case.
log_period period_at(std::int64_t second, std::int64_t every, offset_at offset) noexcept;

}  // namespace v0
}  // namespace leat
