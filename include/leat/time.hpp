// The current time for log lines: now and local_now.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/detail/chrono.hpp>
#include <leat/detail/time_stamp.hpp>

namespace leat {
inline namespace v0 {

/// A time of the system's clock in microseconds, for printing: "2026-11-21T09:27:19.120345Z" in
/// UTC, or "2026-11-21T10:27:19.120345+01:00" in local time. A specification with '%' works as for
/// times of std::chrono.
class stamp {
 public:
  /// The start of 1970.
  stamp() = default;
  stamp(const detail::time_stamp& time) noexcept : time_(time) {}

  /// The same time for std::chrono.
  std::chrono::time_point<std::chrono::system_clock, std::chrono::microseconds> time()
      const noexcept {
    return std::chrono::time_point<std::chrono::system_clock, std::chrono::microseconds>(
        std::chrono::seconds(time_.seconds) + std::chrono::microseconds(time_.fraction));
  }
  /// The fields of the time, for the functions that print it.
  const detail::time_stamp& parts() const noexcept { return time_; }

 private:
  detail::time_stamp time_{0, 0, 6};
};

/// Returns the current time. Each thread keeps the text of the last second, so printing costs
/// little more than reading the clock.
///
///     log.println("{} started", leat::now());
LEAT_API stamp now() noexcept;
/// Returns the current time as local time, with its offset from UTC. The zone comes from the
/// environment variable TZ, or is the system's zone. After a change of the zone, call the C
/// library's tzset(); the times are right from the next second on.
LEAT_API stamp local_now() noexcept;

}  // namespace v0
}  // namespace leat
