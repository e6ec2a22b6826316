// The system's clock and the local time. Each platform implements these functions.
#pragma once

#include <cstdint>

namespace leat {
inline namespace v0 {

/// A time in UTC.
struct clock_reading {
  std::int64_t seconds;       ///< since 1970
  std::uint32_t nanoseconds;  ///< below 10^9
};

/// Reads the system's clock.
clock_reading read_clock() noexcept;
/// Reads the clock of file modification times, which may lag by some milliseconds.
clock_reading read_file_clock() noexcept;
/// Returns the local time minus UTC, in seconds, at `second` (seconds since 1970, UTC); 0 on
/// errors. The zone is that of the environment variable TZ, on systems that have it.
std::int32_t local_offset(std::int64_t second) noexcept;

}  // namespace v0
}  // namespace leat
