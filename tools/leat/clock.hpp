// The two clocks of a measurement.
#pragma once

#include <sys/resource.h>

#include <ctime>
#include <functional>

namespace bench {

/// Seconds from any fixed point: of the wall, and of the processor's work for this process and the
/// children that it has waited for, the kernel's part included. Tests put their own here.
struct clocks {
  std::function<double()> wall;
  std::function<double()> cpu;
};

inline clocks real_clocks() {
  const auto seconds = [](clockid_t which) {
    timespec now{};
    clock_gettime(which, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  };
  const auto children = [] {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
  };
  return {[=] { return seconds(CLOCK_MONOTONIC); },
          [=] { return seconds(CLOCK_PROCESS_CPUTIME_ID) + children(); }};
}

}  // namespace bench
