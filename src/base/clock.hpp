// The system's clock, and the local time. Each platform implements this.
#pragma once

#include <cstdint>

namespace leat {
inline namespace v0 {

/// A time of the clock, in UTC.
struct clock_reading {
  std::int64_t seconds;       ///< since 1970
  std::uint32_t nanoseconds;  ///< below 10^9
};

clock_reading read_clock() noexcept;
/// The clock by which the system notes when files change. It may be some milliseconds behind.
clock_reading read_file_clock() noexcept;
/// What the local time is ahead of UTC at this second, in seconds. The zone is the program's: of
/// the environment variable TZ, where the system has that.
std::int32_t local_offset(std::int64_t second) noexcept;

}  // namespace v0
}  // namespace leat
