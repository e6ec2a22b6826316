#include <fmt/format.h>
#include <leat/print.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "format/number_text.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

/// From which exponent on "{}" writes an exponent. For float that depends on the version of {fmt}.
template <class Float>
int first_exponent() {
  if constexpr (std::is_same_v<Float, float>) {
    static const int first = fmt::format("{}", 1e15F) == "1e+15" ? 7 : 16;
    return first;
  } else {
    return 16;
  }
}

constexpr int lowest_fixed_exponent = -4;

char* put_exponent(char* to, int exponent) noexcept {
  *to++ = 'e';
  *to++ = exponent < 0 ? '-' : '+';
  const unsigned magnitude = static_cast<unsigned>(std::abs(exponent));
  if (magnitude < 10) *to++ = '0';
  return write_decimal(to, std::uint64_t{magnitude});
}

char* put_zeros(char* to, int count) noexcept {
  std::memset(to, '0', static_cast<std::size_t>(count));
  return to + count;
}

char* put_digits(char* to, const char* digits, int count) noexcept {
  std::memcpy(to, digits, static_cast<std::size_t>(count));
  return to + count;
}

/// Writes digits[0].digits[1…] × 10^exponent.
char* put_shortest(char* to, const char* digits, int count, int exponent, int limit) noexcept {
  if (exponent < lowest_fixed_exponent || exponent >= limit) {
    *to++ = digits[0];
    if (count > 1) {
      *to++ = '.';
      to = put_digits(to, digits + 1, count - 1);
    }
    return put_exponent(to, exponent);
  }
  if (exponent < 0) {
    *to++ = '0';
    *to++ = '.';
    return put_digits(put_zeros(to, -exponent - 1), digits, count);
  }
  const int whole = exponent + 1;
  if (count <= whole) return put_zeros(put_digits(to, digits, count), whole - count);
  to = put_digits(to, digits, whole);
  *to++ = '.';
  return put_digits(to, digits + whole, count - whole);
}

/// Reads what to_chars wrote in scientific notation: "d.ddde-XX".
struct scientific {
  char digits[48];
  int count = 0;
  int exponent = 0;
};

scientific parse(const char* text, const char* end) noexcept {
  scientific result;
  for (; *text != 'e'; ++text)
    if (*text != '.') result.digits[result.count++] = *text;
  ++text;
  text += *text == '+';  // from_chars takes no plus sign
  std::from_chars(text, end, result.exponent);
  return result;
}

template <class Float>
char* write_any_shortest(char* to, Float value) noexcept {
  if (std::signbit(value)) {
    *to++ = '-';
    value = -value;
  }
  if (!std::isfinite(value)) {
    return put_digits(to, std::isnan(value) ? "nan" : "inf", 3);
  }
  char text[64];
  const auto result = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific);
  const scientific number = parse(text, result.ptr);
  return put_shortest(to, number.digits, number.count, number.exponent, first_exponent<Float>());
}

}  // namespace

template <>
char* write_shortest(char* to, float value) noexcept {
  return write_any_shortest(to, value);
}
template <>
char* write_shortest(char* to, double value) noexcept {
  return write_any_shortest(to, value);
}
template <>
char* write_shortest(char* to, long double value) noexcept {
  // Of several shortest texts {fmt} may choose another one than to_chars.
  return fmt::format_to(to, "{}", value);
}

void write_precise(number_text& out, char* buffer, double value, char type,
                   int precision) noexcept {
  const char kind = static_cast<char>(type | 0x20);
  if (kind == 'f') {
    if (const char* end = write_fixed(buffer, value, precision)) {
      out.digits = {buffer, static_cast<std::size_t>(end - buffer)};
      return;
    }
  }
  const auto format = kind == 'e'   ? std::chars_format::scientific
                      : kind == 'f' ? std::chars_format::fixed
                                    : std::chars_format::general;
  const auto result = std::to_chars(buffer, buffer + precise_size, value, format, precision);
  out.digits = {buffer, static_cast<std::size_t>(result.ptr - buffer)};
  if (const auto e = out.digits.find('e'); e != std::string_view::npos) {
    if (type != kind) buffer[e] = 'E';
    out.suffix = out.digits.substr(e);
    out.digits = out.digits.substr(0, e);
  }
}

char* write_value(char* to, float value) noexcept { return write_shortest(to, value); }
char* write_value(char* to, double value) noexcept { return write_shortest(to, value); }
char* write_value(char* to, long double value) noexcept { return write_shortest(to, value); }

}  // namespace detail
}  // namespace v0
}  // namespace leat
