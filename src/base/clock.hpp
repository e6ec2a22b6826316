// The system's clocks and the offset of the local time. Each platform implements these functions.
// Time stamps, logs and thread buffers call these functions.
#pragma once

#include <cstdint>

namespace leat {
inline namespace v0 {

/// A time in UTC.
struct clock_reading {
  std::int64_t seconds;       ///< since the start of 1970
  std::uint32_t nanoseconds;  ///< 0 to 999'999'999
};

/// Reads the system's clock.
clock_reading read_clock() noexcept;
/// Reads the clock of file modification times. This clock may lag by some milliseconds.
clock_reading read_file_clock() noexcept;
/// Returns the local time minus UTC, in seconds, at `second` seconds since the start of 1970 in
/// UTC. Example: 3600 in Berlin in winter. Returns 0 on errors. On POSIX systems, the environment
/// variable TZ, if set, names the time zone.
std::int32_t local_offset(std::int64_t second) noexcept;

}  // namespace v0
}  // namespace leat
