// The system's clocks and the offset of the local time, on POSIX systems. Time stamps, logs
// and per-thread buffers call these functions.
#include "base/clock.hpp"

#include <time.h>

namespace leat {
inline namespace v0 {

namespace {

clock_reading read(clockid_t which) noexcept {
  timespec now{};
  ::clock_gettime(which, &now);
  return {now.tv_sec, static_cast<std::uint32_t>(now.tv_nsec)};
}

}  // namespace

clock_reading read_clock() noexcept { return read(CLOCK_REALTIME); }

clock_reading read_file_clock() noexcept {
#if defined(CLOCK_REALTIME_COARSE)
  return read(CLOCK_REALTIME_COARSE);
#else
  return read(CLOCK_REALTIME);
#endif
}

std::int32_t local_offset(std::int64_t second) noexcept {
  const auto time = static_cast<time_t>(second);
  tm parts{};
  return ::localtime_r(&time, &parts) == nullptr ? 0 : static_cast<std::int32_t>(parts.tm_gmtoff);
}

}  // namespace v0
}  // namespace leat
