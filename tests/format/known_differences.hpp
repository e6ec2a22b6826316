// Where leat and {fmt} differ on purpose, or versions of {fmt} do.
#pragma once

#include <cmath>
#include <string_view>
#include <variant>

#include "format/samples.hpp"

namespace leat::test {

/// Where leat deliberately differs from this or another version of {fmt}. What it makes of
/// floating-point numbers then is tested against printf.
inline bool is_deliberate(const sample& value, std::string_view spec) {
  const auto has = [&](std::string_view any) { return spec.find_first_of(any) != spec.npos; };
  // A bool is no character: so says the standard, and {fmt} since version 10.
  if (std::holds_alternative<bool>(value)) return has("c");
  // The standard takes a sign for a char shown as a number, {fmt} 12 doesn't.
  if (std::holds_alternative<char>(value)) return has("+- ");
  const bool is_long = std::holds_alternative<long double>(value);
  if (!is_long && !std::holds_alternative<double>(value) && !std::holds_alternative<float>(value))
    return false;
  // {fmt} takes some powers of two for their neighbours.
  int exponent;
  if (is_long && std::fabs(std::frexp(std::get<long double>(value), &exponent)) == 0.5L)
    return true;
  const bool is_precise = has(".") || has("aefgAEFG");
  // {fmt} 9 may make more digits of a long double than it was asked for, and '#' is "1.0" there.
  if (is_precise && (is_long || has("#"))) return true;
  // {fmt} fills with zeros before "0x", and since version 10 zero has the smallest exponent.
  if (has("aA")) return true;
  // {fmt} makes no more than 767 digits, of which 309 can stand before the point.
  const auto point = spec.find('.');
  return point != spec.npos && has("fF") &&
         (spec.substr(point).starts_with(".{") || spec.size() - point > 3);
}

/// '}' is no fill character in the standard and since {fmt} 10; "00" is refused since {fmt} 12.
/// leat is independent of the locale and refuses 'L'.
inline bool is_deliberate(std::string_view format) {
  const auto has = [&](std::string_view part) { return format.find(part) != format.npos; };
  return has(":}<") || has(":}>") || has(":}^") || has("00") || has("L");
}

}  // namespace leat::test
