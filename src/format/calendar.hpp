// Dates and times of day from seconds since 1970, for time.cpp, calendar.cpp and duration.cpp.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "format/digits.hpp"
#include "number/powers_of_ten.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// Days since 1970 and seconds of the day, also before 1970.
struct day_and_time {
  static constexpr std::int64_t seconds_of_day = 86400;

  std::int64_t day;
  std::uint32_t time;

  // Rounds down without computing the start of the day: the start of the very first day does not
  // fit into 64 bits.
  explicit day_and_time(std::int64_t seconds) noexcept
      : day(seconds / seconds_of_day - (seconds % seconds_of_day < 0)),
        time(static_cast<std::uint32_t>(seconds % seconds_of_day +
                                        (seconds % seconds_of_day < 0 ? seconds_of_day : 0))) {}
};

/// A day of the Gregorian calendar. This calendar is used for all times, also before its
/// introduction.
struct civil_day {
  std::int64_t year = 0;
  std::uint32_t month = 0;        ///< 1 to 12
  std::uint32_t day = 0;          ///< day of the month: 1 to 31
  std::uint32_t day_of_year = 0;  ///< 0 to 365

  /// `from_1970` counts days from 1970-01-01.
  constexpr explicit civil_day(std::int64_t from_1970) noexcept {
    // Years that begin in March end with the leap day. Any 400 such years have the same length.
    constexpr std::int64_t days_of_era = 146097;
    from_1970 += 719468;  // now days since 0000-03-01
    const std::int64_t era = from_1970 / days_of_era - (from_1970 % days_of_era < 0);
    const auto n = static_cast<std::uint32_t>(from_1970 - era * days_of_era);
    const std::uint32_t year_of_era = (n - n / 1460 + n / 36524 - n / 146096) / 365;
    const std::uint32_t since_march = n - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const std::uint32_t months = (5 * since_march + 2) / 153;
    constexpr std::uint32_t before_march = 59, from_march = 306;  // days
    const bool next_year = since_march >= from_march;
    year = 400 * era + year_of_era + next_year;
    month = next_year ? months - 9 : months + 3;
    day = since_march - (153 * months + 2) / 5 + 1;
    const bool leap = year_of_era % 4 == 0 && (year_of_era % 100 != 0 || year_of_era == 0);
    day_of_year = next_year ? since_march - from_march : since_march + before_march + leap;
  }
};

/// Writes two digits of a number below 100.
inline char* put_pair(char* to, std::uint32_t value) noexcept {
  std::memcpy(to, pairs[value].data(), 2);
  return to + 2;
}

/// Writes a specification such as "%H:%M". put(to, letter) writes a conversion, and returns its
/// end.
template <class Put>
[[gnu::always_inline]] inline char* put_conversions(char* to, std::string_view spec,
                                                    const Put& put) {
  for (const char *at = spec.data(), *const end = at + spec.size(); at != end; ++at)
    if (*at == '%')
      to = put(to, *++at);
    else
      *to++ = *at;
  return to;
}

/// Converts a fraction with `decimals` decimals, at most 9, to nanoseconds.
inline std::uint32_t nanoseconds_of(std::uint32_t fraction, std::uint32_t decimals) noexcept {
  return fraction * static_cast<std::uint32_t>(small_power_of_ten(9 - static_cast<int>(decimals)));
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
