// Times whose specification has a '%'.
#include <leat/format.hpp>

#if LEAT_FORMAT_FMT
#  include <fmt/chrono.h>
#endif

#include <chrono>
#include <limits>
#include <string>

#include "base/clock.hpp"
#include "format/field.hpp"
#include "number/powers_of_ten.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

#if LEAT_FORMAT_FMT || LEAT_FORMAT_STD

namespace {

using namespace std::chrono;

/// {fmt} before version 10 accepts only the clock's own unit.
template <class Units>
auto accepted(sys_time<Units> when) {
#  if LEAT_FORMAT_FMT && FMT_VERSION < 100000
  return floor<system_clock::duration>(when);
#  else
  return when;
#  endif
}

/// A time beyond the years of nanoseconds, in seconds.
auto far_time(std::int64_t second) {
#  if LEAT_FORMAT_FMT
  return fmt::gmtime(second);
#  else
  return sys_seconds(seconds(second));
#  endif
}

}  // namespace

std::string format_calendar(time_stamp time, std::string_view spec) {
  if (time.decimals >= time_stamp::local) {  // the calendar of the place; "%z" knows only UTC
    time.decimals &= ~time_stamp::local;
#  if !LEAT_FORMAT_FMT || FMT_VERSION >= 100000  // before, {fmt} took all times to the local one
    time.seconds += local_offset(time.seconds);
#  endif
  }
  const std::string format = std::string("{:").append(spec).append("}");
  const auto text_of = [&](const auto& when) {
    return formatting::vformat(format, formatting::make_format_args(when));
  };
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 1'000'000'000 - 1;
  if (time.seconds > most || time.seconds < -most) return text_of(far_time(time.seconds));
  // "%S" has as many decimals as the unit, for {fmt} since version 10.
  const std::uint32_t decimals = time.decimals == time_stamp::date_only ? 0 : time.decimals;
  const auto text_in = [&](auto unit) {
    using units = decltype(unit);
    const nanoseconds fraction(static_cast<std::int64_t>(
        time.fraction * small_power_of_ten(9 - static_cast<int>(decimals))));
    const sys_time<units> when(seconds(time.seconds) + duration_cast<units>(fraction));
    return text_of(accepted(when));
  };
  return decimals == 0   ? text_in(seconds(0))
         : decimals <= 3 ? text_in(milliseconds(0))
         : decimals <= 6 ? text_in(microseconds(0))
                         : text_in(nanoseconds(0));
}

#else

std::string format_calendar(time_stamp, std::string_view) { return {}; }  // the parser refuses it

#endif

}  // namespace detail
}  // namespace v0
}  // namespace leat
