// Intended differences between leat and {fmt}, and differences between versions of {fmt}.
#pragma once

#include <cmath>
#include <string_view>
#include <variant>

#include "format/samples.hpp"

namespace leat::test {

/// Returns true if leat and a version of {fmt} may differ, without a fault of leat, for this value
/// and specification. float_test.cpp compares floating-point texts with printf.
inline bool is_deliberate(const sample& value, std::string_view spec) {
  const auto has = [&](std::string_view any) { return spec.find_first_of(any) != spec.npos; };
  // A bool is not a character: in the standard, and in {fmt} since version 10.
  if (std::holds_alternative<bool>(value)) return has("c");
  // The standard accepts a sign for a char that is shown as a number, {fmt} 12 does not.
  if (std::holds_alternative<char>(value)) return has("+- ");
  const bool is_long = std::holds_alternative<long double>(value);
  if (!is_long && !std::holds_alternative<double>(value) && !std::holds_alternative<float>(value))
    return false;
  // {fmt} mistakes some powers of two for their neighbours.
  int exponent;
  if (is_long && std::fabs(std::frexp(std::get<long double>(value), &exponent)) == 0.5L)
    return true;
  const bool is_precise = has(".") || has("aefgAEFG");
  // {fmt} 9 may write more digits of a long double than requested, and its '#' means "1.0".
  if (is_precise && (is_long || has("#"))) return true;
  // {fmt} puts zeros before "0x". Since version 10, the zero of {fmt} has the smallest exponent.
  if (has("aA")) return true;
  // {fmt} writes at most 767 digits. 309 digits may be before the point.
  const auto point = spec.find('.');
  return point != spec.npos && has("fF") &&
         (spec.substr(point).starts_with(".{") || spec.size() - point > 4);
}

/// Returns true if leat and a version of {fmt} may differ on purpose for this format string.
/// '}' is not a fill character in the standard, and in {fmt} since version 10. {fmt} refuses "00"
/// since version 12. leat does not depend on the locale, and refuses 'L'.
inline bool is_deliberate(std::string_view format) {
  const auto has = [&](std::string_view part) { return format.find(part) != format.npos; };
  return has(":}<") || has(":}>") || has(":}^") || has("00") || has("L");
}

}  // namespace leat::test
