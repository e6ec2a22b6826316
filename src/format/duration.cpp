// Durations of integers: write_duration(). The functions of standard_values.hpp call it.
#include <leat/format.hpp>

#if LEAT_FORMAT_FMT

#  include <cstdint>
#  include <limits>
#  include <string_view>

#  include "format/calendar.hpp"
#  include "format/digits.hpp"
#  include "format/integer.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

/// The longest unit is "[9223372036854775807/9223372036854775807]s".
constexpr std::ptrdiff_t longest_unit = 44;

/// The names of {fmt} for a period of 1/factor and of `factor` seconds. Empty: there is no name.
struct unit_names {
  std::int64_t factor;
  std::string_view of_part, of_multiple;
};
constexpr bool is_new = FMT_VERSION >= 100200;
constexpr unit_names known_units[] = {{1, "s", ""},
                                      {1'000, "ms", "ks"},
                                      {1'000'000, "\xC2\xB5s", "Ms"},
                                      {1'000'000'000, "ns", "Gs"},
                                      {60, "", is_new ? "min" : "m"},
                                      {3'600, "", "h"},
                                      {86'400, "", is_new ? "d" : ""},
                                      {10, "ds", "das"},
                                      {100, "cs", "hs"},
                                      {1'000'000'000'000, "ps", "Ts"},
                                      {1'000'000'000'000'000, "fs", "Ps"},
                                      {1'000'000'000'000'000'000, "as", "Es"}};

/// The name of the unit. Empty if the period has no name.
std::string_view unit_name(const duration_type& type) noexcept {
  for (const unit_names& known : known_units) {
    if (type.num == 1 && type.den == known.factor) return known.of_part;
    if (type.den == 1 && type.num == known.factor) return known.of_multiple;
  }
  return {};
}

/// Writes the unit. Needs room for longest_unit bytes.
char* put_unit(char* to, const duration_type& type) noexcept {
  if (const std::string_view name = unit_name(type); !name.empty()) {
    for (const char c : name) *to++ = c;
    return to;
  }
  *to = '[';
  to = put_decimal(to + 1, static_cast<std::uint64_t>(type.num));
  if (type.den != 1) {
    *to = '/';
    to = put_decimal(to + 1, static_cast<std::uint64_t>(type.den));
  }
  *to++ = ']';
  *to = 's';
  return to + 1;
}

/// {fmt} refuses durations whose seconds overflow, with this message.
[[noreturn]] void fail() {
  throw format_error("cannot format duration", format_error::no_position);
}

/// The parts of a duration that conversions such as "%H" write.
struct duration_parts {
  duration_parts(std::int64_t number, const duration_type& type)
      : is_negative(type.is_signed && number < 0),
        count(is_negative ? 0 - static_cast<std::uint64_t>(number)
                          : static_cast<std::uint64_t>(number)),
        decimals(type.decimals) {
    const auto num = static_cast<std::uint64_t>(type.num);
    const auto den = static_cast<std::uint64_t>(type.den);
    // {fmt} computes in the unsigned form of the number's type.
    const std::uint64_t most =
        type.is_short ? std::numeric_limits<std::uint32_t>::max() : ~std::uint64_t{0};
    if (count > most / num) fail();
    seconds = count / den * num;
    nanoseconds = static_cast<std::uint32_t>(count % den * (1'000'000'000 / den));
  }

  bool is_negative;
  std::uint64_t count;    // without the sign
  std::uint64_t seconds;  // rounded toward zero
  std::uint32_t nanoseconds;
  std::uint32_t decimals;
};

/// Writes the conversions of a duration. As in {fmt}, a negative duration has one minus sign,
/// before its first number.
class duration_writer {
 public:
  duration_writer(std::int64_t count, const duration_type& type)
      : time_(count, type),
        type_(type),
        second_of_day_(static_cast<std::uint32_t>(time_.seconds % day_and_time::seconds_of_day)),
        needs_sign_(time_.is_negative) {}

  char* put(char* to, std::string_view spec) {
    return put_conversions(to, spec, [this](char* at, char c) { return put_conversion(at, c); });
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
        *to = hour() < 12 ? 'A' : 'P';
        to[1] = 'M';
        return to + 2;
      case 'Q':
        return put_decimal(put_sign(to), time_.count);
      case 'q':
        return put_unit(to, type_);
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

  const duration_parts time_;
  const duration_type& type_;
  const std::uint32_t second_of_day_;
  bool needs_sign_;
};

}  // namespace

char* write_unit(char* to, const char* limit, const duration_type& type) noexcept {
  return limit - to < longest_unit ? nullptr : put_unit(to, type);
}

char* write_duration(char* to, const char* limit, std::int64_t count, const duration_type& type,
                     std::string_view spec) {
  if (!spec.empty()) {
    // A conversion has two characters. "%q" writes the most bytes.
    const auto conversions = static_cast<std::ptrdiff_t>(spec.size() + 1) / 2;
    duration_writer writer(count, type);
    return limit - to < conversions * longest_unit ? nullptr : writer.put(to, spec);
  }
  constexpr std::ptrdiff_t most_digits = 24;
  if (limit - to < most_digits + longest_unit) return nullptr;
  // Durations of one type share the memory of their numbers' sizes.
  last_sizes& sizes = number_sizes().of(reinterpret_cast<std::uintptr_t>(&type));
  to = type.is_signed ? put_signed<std::uint64_t>(to, count, sizes)
                      : put_unsigned(to, static_cast<std::uint64_t>(count), sizes);
  return put_unit(to, type);
}

}  // namespace detail
}  // namespace v0
}  // namespace leat

#endif
