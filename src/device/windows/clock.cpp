// The system's clocks and the offset of the local time, on Windows. Time stamps and logs call these
// functions.
#include <windows.h>

#include <algorithm>

#include "base/clock.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// The system counts units of 100 ns since 1601.
constexpr std::int64_t units_per_second = 10'000'000;
/// The time from 1601 to 1970, in seconds.
constexpr std::int64_t from_1601_to_1970 = 11'644'473'600;

std::int64_t count_of(const FILETIME& time) noexcept {
  return static_cast<std::int64_t>(std::uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime);
}

}  // namespace

clock_reading read_clock() noexcept {
  FILETIME now{};
  ::GetSystemTimePreciseAsFileTime(&now);
  const std::int64_t count = count_of(now);
  return {count / units_per_second - from_1601_to_1970,
          static_cast<std::uint32_t>(count % units_per_second * 100)};
}

clock_reading read_file_clock() noexcept {
  FILETIME now{};
  ::GetSystemTimeAsFileTime(&now);
  const std::int64_t count = count_of(now);
  return {count / units_per_second - from_1601_to_1970,
          static_cast<std::uint32_t>(count % units_per_second * 100)};
}

std::int32_t local_offset(std::int64_t second) noexcept {
  // System times begin with 1601, also in local time, and end with the year 30827.
  constexpr std::int64_t first = -from_1601_to_1970 + 86'400, last = 900'000'000'000;
  const std::int64_t count =
      (std::clamp(second, first, last) + from_1601_to_1970) * units_per_second;
  FILETIME time{static_cast<DWORD>(count), static_cast<DWORD>(count >> 32)};
  SYSTEMTIME utc{};
  SYSTEMTIME local{};
  FILETIME local_time{};
  if (::FileTimeToSystemTime(&time, &utc) == 0 ||
      ::SystemTimeToTzSpecificLocalTime(nullptr, &utc, &local) == 0 ||
      ::SystemTimeToFileTime(&local, &local_time) == 0)
    return 0;
  // A SYSTEMTIME counts milliseconds. `count` is whole seconds, so the conversions lose nothing.
  return static_cast<std::int32_t>((count_of(local_time) - count) / units_per_second);
}

}  // namespace v0
}  // namespace leat
