// Times whose specification has a '%'. leat writes conversions that are the same in all libraries.
// {fmt} or the standard library writes all other conversions, and years without four digits.
// Compiled and interpreted formats call these functions.
#include "format/calendar.hpp"

#include <leat/format.hpp>

#if LEAT_FORMAT_FMT
#  include <fmt/chrono.h>
#endif

#include <time.h>

#include <chrono>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "format/field.hpp"
#include "format/interpret.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

constexpr bool has_library = LEAT_FORMAT_FMT || LEAT_FORMAT_STD;

#if LEAT_FORMAT_FMT && FMT_VERSION < 100000
// {fmt} before version 10 converts all times to local time, and rounds all times to seconds, toward
// 1970.
constexpr bool all_are_local = true, has_fractions = false;
#else
constexpr bool all_are_local = false, has_fractions = true;
#endif

/// A quarter of an hour in which local time has one UTC offset. Nearly all changes of clocks are at
/// the borders of quarters. offset_at() compares the offsets at both ends of a quarter.
struct quarter {
  static constexpr std::int64_t length = 900;

  std::int64_t number = -1;  // quarters since 1970
  std::int32_t offset = 0;
#if defined(__GLIBC__)
  // The variables that tzset() changes.
  const char* names[2] = {};  // null: no offset is known
  long west = 0;

  bool is_of_this_zone() const noexcept {
    return names[0] == tzname[0] && names[1] == tzname[1] && west == timezone;
  }
  void note_zone() noexcept {
    names[0] = tzname[0];
    names[1] = tzname[1];
    west = timezone;
  }
#else
  bool is_of_this_zone() const noexcept { return false; }
  void note_zone() noexcept {}
#endif
};

/// Returns local_offset(), with a cache for times that are close together. The call of the C
/// library takes longer than everything else in a field.
std::int32_t offset_at(std::int64_t second) noexcept {
  static thread_local constinit quarter last;
  const std::int64_t number = second / quarter::length;
  const bool again = number == last.number;
  if (again && second >= 0 && last.is_of_this_zone()) return last.offset;
  const std::int32_t offset = local_offset(second);
  last = {.number = number};
  // If two calls in a row have a time in the same quarter, more times in this quarter are expected.
  const std::int64_t begin = number * quarter::length;
  constexpr std::int64_t last_second = std::numeric_limits<std::int64_t>::max() - quarter::length;
  if (again && second >= 0 && second <= last_second && local_offset(begin) == offset &&
      local_offset(begin + quarter::length - 1) == offset) {
    last.offset = offset;
    last.note_zone();
  }
  return offset;
}

/// Returns 1 if rounding toward 1970 moves the time to the next second, otherwise 0.
std::int64_t rounded_up(const time_stamp& time) noexcept {
  return !has_fractions && time.seconds < 0 && time.fraction != 0 ? 1 : 0;
}

/// Returns the time with its seconds moved to the clock that is shown: local time or UTC.
time_stamp in_shown_zone(time_stamp time) noexcept {
  time.seconds += rounded_up(time);
  const bool local = time.decimals >= time_stamp::local;
  time.decimals &= ~time_stamp::local;
  std::int64_t seconds;
  if ((local || all_are_local) &&
      !__builtin_add_overflow(time.seconds, offset_at(time.seconds), &seconds))
    time.seconds = seconds;
  return time;
}

/// Returns the number of decimals of "%S", rounded up to a unit of the standard library: 0, 3, 6 or
/// 9. Example: 3 for two decimals.
std::uint32_t decimals_shown(const time_stamp& time) noexcept {
  if (time.decimals == time_stamp::date_only) return 0;
  return (time.decimals + 2) / 3 * 3;
}

#if LEAT_FORMAT_FMT || LEAT_FORMAT_STD

using namespace std::chrono;

/// Converts a time to a unit that the library accepts: {fmt} before version 10 accepts only the
/// unit of the clock.
template <class Units>
auto to_library_unit(sys_time<Units> when) {
#  if LEAT_FORMAT_FMT && FMT_VERSION < 100000
  return floor<system_clock::duration>(when);
#  else
  return when;
#  endif
}

/// Converts a time in seconds for the library, for years that nanoseconds cannot represent.
auto far_time(std::int64_t second) {
#  if LEAT_FORMAT_FMT && FMT_VERSION < 100000
  return fmt::localtime(second);
#  elif LEAT_FORMAT_FMT
  return fmt::gmtime(second);
#  else
  return sys_seconds(seconds(second));
#  endif
}

std::string format_by_library(time_stamp time, std::string_view spec) {
  const time_stamp shown = in_shown_zone(time);
  if (!all_are_local) time.seconds = shown.seconds;
  time.decimals = shown.decimals;
  const std::string format = std::string("{:").append(spec).append("}");
  const auto text_of = [&](const auto& when) {
    return formatting::vformat(format, formatting::make_format_args(when));
  };
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 1'000'000'000 - 1;
  if (time.seconds > most || time.seconds < -most)
    return text_of(far_time(time.seconds + rounded_up(time)));
  const std::uint32_t decimals = decimals_shown(time);
  const auto text_in = [&](auto unit) {
    using units = decltype(unit);
    const nanoseconds fraction(
        decimals == 0 ? 0 : std::int64_t{nanoseconds_of(time.fraction, time.decimals)});
    const sys_time<units> when(seconds(time.seconds) + duration_cast<units>(fraction));
    return text_of(to_library_unit(when));
  };
  return decimals == 0   ? text_in(seconds(0))
         : decimals == 3 ? text_in(milliseconds(0))
         : decimals == 6 ? text_in(microseconds(0))
                         : text_in(nanoseconds(0));
}

#else

std::string format_by_library(time_stamp, std::string_view) { return {}; }

#endif

constexpr std::string_view weekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                         "Thursday", "Friday", "Saturday"};
constexpr std::string_view months[] = {"January",   "February", "March",    "April",
                                       "May",       "June",     "July",     "August",
                                       "September", "October",  "November", "December"};

/// Writes two numbers of two digits, with a character between them.
char* put_pairs(char* to, std::uint32_t first, char between, std::uint32_t second) noexcept {
  to = put_pair(to, first);
  *to = between;
  return put_pair(to + 1, second);
}

char* put_text(char* to, std::string_view text) noexcept {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

/// Returns the date of a day, from a cache of the last day.
civil_day day_at(std::int64_t day) noexcept {
  static thread_local constinit std::pair<std::int64_t, civil_day> last{0, civil_day(0)};
  if (last.first != day) [[unlikely]]
    last = {day, civil_day(day)};
  return last.second;
}

/// A point in time, in the calendar of the shown clock.
class calendar_time {
 public:
  explicit calendar_time(const time_stamp& time) noexcept
      : when_(time.seconds),
        date_(day_at(when_.day)),
        fraction_(time.fraction),
        decimals_(time.decimals),
        shown_(has_fractions ? decimals_shown(time) : 0) {
    const std::int64_t since_sunday = (when_.day + 4) % 7;  // 1970 began with a Thursday
    weekday_ = static_cast<std::uint32_t>(since_sunday < 0 ? since_sunday + 7 : since_sunday);
  }

  /// True if all years that a conversion may write have four digits.
  bool has_four_digit_years() const noexcept { return date_.year > 0 && date_.year < 9999; }

  char* put(char* to, std::string_view spec) const noexcept {
    return put_conversions(to, spec, [this](char* at, char c) { return put_conversion(at, c); });
  }

 private:
  char* put_conversion(char* to, char letter) const noexcept {
    switch (letter) {
      case 'Y':
        return put_year(to, date_.year);
      case 'm':
        return put_pair(to, date_.month);
      case 'd':
        return put_pair(to, date_.day);
      case 'H':
        return put_pair(to, hour());
      case 'M':
        return put_pair(to, minute());
      case 'S':
        return put_second(to);
      case 'F':
        to = put_year(to, date_.year);
        *to = '-';
        return put_pairs(to + 1, date_.month, '-', date_.day);
      case 'T':
        to = put_pairs(to, hour(), ':', minute());
        *to = ':';
        return put_second(to + 1);
      case 'R':
        return put_pairs(to, hour(), ':', minute());
      case 'D':
        to = put_pairs(to, date_.month, '/', date_.day);
        *to = '/';
        return put_pair(to + 1, year_of_century(date_.year));
      case 'b':
      case 'h':
        return put_text(to, months[date_.month - 1].substr(0, 3));
      case 'B':
        return put_text(to, months[date_.month - 1]);
      case 'a':
        return put_text(to, weekdays[weekday_].substr(0, 3));
      case 'A':
        return put_text(to, weekdays[weekday_]);
      case 'e':
        put_pair(to, date_.day);
        if (date_.day < 10) *to = ' ';
        return to + 2;
      case 'j':
        *to = static_cast<char>('0' + (date_.day_of_year + 1) / 100);
        return put_pair(to + 1, (date_.day_of_year + 1) % 100);
      case 'I':
        return put_pair(to, hour() % 12 == 0 ? 12 : hour() % 12);
      case 'p':
        return put_text(to, hour() < 12 ? "AM" : "PM");
      case 'y':
        return put_pair(to, year_of_century(date_.year));
      case 'C':
        return put_century(to);
      case 'u':
        *to = static_cast<char>('0' + (weekday_ == 0 ? 7 : weekday_));
        return to + 1;
      case 'w':
        *to = static_cast<char>('0' + weekday_);
        return to + 1;
      case 'U':
        return put_pair(to, (date_.day_of_year + 7 - weekday_) / 7);
      case 'W':
        return put_pair(to, (date_.day_of_year + 7 - since_monday()) / 7);
      case 'G':
        return put_year(to, year_of_week());
      case 'g':
        return put_pair(to, year_of_century(year_of_week()));
      case 'V':
        return put_pair(to, week());
      case 'n':
        *to = '\n';
        return to + 1;
      case 't':
        *to = '\t';
        return to + 1;
      default:  // '%'
        *to = letter;
        return to + 1;
    }
  }

  std::uint32_t hour() const noexcept { return when_.time / 3600; }
  std::uint32_t minute() const noexcept { return when_.time / 60 % 60; }
  std::uint32_t since_monday() const noexcept { return (weekday_ + 6) % 7; }
  /// Returns the Thursday of the week. A week belongs to the year of its Thursday.
  civil_day thursday() const noexcept {
    return civil_day(when_.day + 3 - std::int64_t{since_monday()});
  }
  std::int64_t year_of_week() const noexcept { return thursday().year; }
  std::uint32_t week() const noexcept { return thursday().day_of_year / 7 + 1; }
  static std::uint32_t year_of_century(std::int64_t year) noexcept {
    return static_cast<std::uint32_t>((year % 100 + 100) % 100);
  }

  static char* put_year(char* to, std::int64_t year) noexcept {
    const auto number = static_cast<std::uint64_t>(year);
    if (number <= 9999) [[likely]]
      return put_pair(put_pair(to, static_cast<std::uint32_t>(number / 100)),
                      static_cast<std::uint32_t>(number % 100));
    *to = '-';
    return year < 0 ? put_decimal(to + 1, 0 - number) : put_decimal(to, number);
  }
  /// Writes two digits, except for years without four digits.
  char* put_century(char* to) const noexcept {
    const std::int64_t century = date_.year / 100 - (date_.year % 100 < 0);
    if (century >= 0 && century <= 99) [[likely]]
      return put_pair(to, static_cast<std::uint32_t>(century));
    return put_year(to, century);
  }

  char* put_second(char* to) const noexcept {
    to = put_pair(to, when_.time % 60);
    if (shown_ == 0) return to;
    *to = '.';
    put_nine(to + 1, nanoseconds_of(fraction_, decimals_));
    return to + 1 + shown_;
  }

  day_and_time when_;
  civil_day date_;
  std::uint32_t weekday_ = 0;  // days since Sunday
  std::uint32_t fraction_, decimals_;
  std::uint32_t shown_;  // decimals of "%S"
};

/// Writes a time. Needs room for 16 bytes more than field_spec::width. The parser sets this width
/// to the most bytes that a specification with '%' writes.
char* put_calendar(char* to, time_stamp time, std::string_view spec) {
  const time_stamp shown = in_shown_zone(time);
  const calendar_time when(shown);
  if (when.has_four_digit_years() || !has_library) return when.put(to, spec);
  return put_text(to, format_by_library(time, spec));
}

}  // namespace

char* write_calendar(char* to, time_stamp value, std::string_view field) {
  const std::size_t begin = field.find(':') + 1;
  const std::string_view spec = field.substr(begin, field.size() - begin - 1);
  translate_errors([&] { to = put_calendar(to, value, spec); });
  return to;
}

std::string format_calendar(time_stamp time, const field_spec& spec, std::string_view text) {
  if (spec.type != '%') return format_by_library(time, text);
  std::string written(static_cast<std::size_t>(spec.width) + 16, '\0');
  const char* const end = put_calendar(written.data(), time, text);
  written.resize(static_cast<std::size_t>(end - written.data()));
  return written;
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
