// Replaces clock_gettime by the simulated clock.
#include "log_simulator/clock.hpp"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace logs {

namespace {

virtual_clock* simulated_clock = nullptr;

}  // namespace

void use_clock(virtual_clock* clock) noexcept { simulated_clock = clock; }

}  // namespace logs

/// Replaces the C library's function. The clocks of the standard library call clock_gettime, too.
extern "C" int clock_gettime(clockid_t which, struct timespec* into) noexcept {
  using namespace logs;
  if (simulated_clock == nullptr)
    return static_cast<int>(::syscall(SYS_clock_gettime, which, into));
  const std::int64_t now_monotonic = simulated_clock->read_monotonic();
  const bool is_monotonic = which != CLOCK_REALTIME && which != CLOCK_REALTIME_COARSE;
  const std::int64_t now = is_monotonic ? now_monotonic
                           : which == CLOCK_REALTIME_COARSE
                               ? simulated_clock->file_time()
                               : now_monotonic + simulated_clock->realtime_offset.load();
  into->tv_sec = now / second - (now % second < 0 ? 1 : 0);
  into->tv_nsec = (now % second + second) % second;
  return 0;
}
