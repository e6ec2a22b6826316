// Replaces clock_gettime by the simulated clock.
#include "log_simulator/clock.hpp"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace logs {

namespace {

virtual_clock* used = nullptr;

}  // namespace

void use_clock(virtual_clock* clock) noexcept { used = clock; }

}  // namespace logs

/// Replaces the C library's function. The clocks of the standard library call clock_gettime, too.
extern "C" int clock_gettime(clockid_t which, struct timespec* into) noexcept {
  using namespace logs;
  if (used == nullptr) return static_cast<int>(::syscall(SYS_clock_gettime, which, into));
  const std::int64_t passed = used->look();
  const bool is_monotonic = which != CLOCK_REALTIME && which != CLOCK_REALTIME_COARSE;
  const std::int64_t now = is_monotonic                     ? passed
                           : which == CLOCK_REALTIME_COARSE ? used->file_time()
                                                            : passed + used->ahead.load();
  into->tv_sec = now / second - (now % second < 0 ? 1 : 0);
  into->tv_nsec = (now % second + second) % second;
  return 0;
}
