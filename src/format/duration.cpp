// Durations of integers: write_duration(). The functions of standard_values.hpp call it.
#include <leat/format.hpp>

#if LEAT_FORMAT_FMT

#  include <cstdint>
#  include <cstring>
#  include <limits>
#  include <string_view>

#  include "format/calendar.hpp"
#  include "format/digits.hpp"
#  include "format/integer.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

/// {fmt} refuses durations whose seconds overflow, with this message.
[[noreturn]] void fail() {
  throw format_error("cannot format duration", format_error::no_position);
}

/// Copies the unit with a fixed size. Needs room for a whole unit_text.
char* put_unit(char* to, const unit_text& unit) noexcept {
  std::memcpy(to, unit.text, 8);
  if (unit.size > 8) std::memcpy(to, unit.text, sizeof unit.text);
  return to + unit.size;
}

/// Writes the conversions of a duration. As in {fmt}, a negative duration has one minus sign,
/// before its first number.
class duration_writer {
 public:
  duration_writer(const duration_parts& time, const unit_text& unit) noexcept
      : time_(time),
        unit_(unit),
        second_of_day_(static_cast<std::uint32_t>(time.seconds % day_and_time::seconds_of_day)),
        needs_sign_(time.is_negative) {}

  char* put(char* to, std::string_view spec) {
    for (const char *at = spec.data(), *const end = at + spec.size(); at != end; ++at)
      if (*at == '%')
        to = put_conversion(to, *++at);
      else
        *to++ = *at;
    return to;
  }

 private:
  char* put_conversion(char* to, char letter) {
    switch (letter) {
      case 'H':
        return put_number(to, hour());
      case 'I':
        return put_number(to, hour() % 12 == 0 ? 12 : hour() % 12);
      case 'M':
        return put_number(to, minute());
      case 'S':
        return put_second(to);
      case 'R':
        return put_hour_and_minute(to);
      case 'T':
        to = put_hour_and_minute(to);
        *to = ':';
        return put_second(to + 1);
      case 'p':
        std::memcpy(to, hour() < 12 ? "AM" : "PM", 2);
        return to + 2;
      case 'Q':
        return put_decimal(put_sign(to), time_.count);
      case 'q':
        return put_unit(to, unit_);
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

  std::uint32_t hour() const noexcept { return second_of_day_ / 3600; }
  std::uint32_t minute() const noexcept { return second_of_day_ / 60 % 60; }

  char* put_sign(char* to) noexcept {
    *to = '-';
    to += needs_sign_;
    needs_sign_ = false;
    return to;
  }
  /// Writes two digits.
  char* put_number(char* to, std::uint32_t number) noexcept {
    return put_pair(put_sign(to), number);
  }
  char* put_hour_and_minute(char* to) noexcept {
    to = put_number(to, hour());
    *to = ':';
    return put_number(to + 1, minute());
  }
  char* put_second(char* to) {
    // {fmt} 11 and newer convert the duration to std::chrono::seconds.
    if (FMT_VERSION >= 110000 && time_.seconds > std::numeric_limits<std::int64_t>::max()) fail();
    to = put_number(to, second_of_day_ % 60);
    if (time_.decimals == 0) return to;
    *to = '.';
    put_nine(to + 1, time_.nanoseconds);
    return to + 1 + time_.decimals;
  }

  const duration_parts& time_;
  const unit_text& unit_;
  const std::uint32_t second_of_day_;
  bool needs_sign_;
};

}  // namespace

char* write_duration(char* to, const char* limit, std::int64_t count,
                     const unit_text& unit) noexcept {
  constexpr std::ptrdiff_t most_digits = 24;
  if (limit - to < most_digits + std::ptrdiff_t{sizeof unit.text}) return nullptr;
  last_sizes& sizes = number_sizes().of(reinterpret_cast<std::uintptr_t>(&unit));
  return put_unit(put_signed<std::uint64_t>(to, count, sizes), unit);
}

char* write_duration(char* to, const char* limit, const duration_parts& time, const unit_text& unit,
                     std::string_view spec) {
  if (time.is_too_long) fail();
  // "%Q" writes the most bytes, at most 21. Stores of "%q" have the size of a whole unit_text.
  constexpr std::size_t most_of_conversion = 24;
  if (limit - to <
      static_cast<std::ptrdiff_t>(spec.size() * most_of_conversion / 2 + sizeof unit.text))
    return nullptr;
  return duration_writer(time, unit).put(to, spec);
}

}  // namespace detail
}  // namespace v0
}  // namespace leat

#endif
