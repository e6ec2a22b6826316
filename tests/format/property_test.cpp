// Random specifications and values: whatever {fmt} makes of them, leat makes too, on every path.
#include <gtest/gtest.h>

#include "format/compiled_field.hpp"
#include "format/outcome.hpp"
#include "format/samples.hpp"

namespace leat::test {
namespace {

constexpr int cases = 400'000 / slowness;

/// Where leat deliberately differs from this or another version of {fmt}. What it makes of
/// floating-point numbers then is tested against printf.
bool is_deliberate(const sample& value, std::string_view spec) {
  const auto has = [&](std::string_view any) { return spec.find_first_of(any) != spec.npos; };
  // A bool is no character: so says the standard, and {fmt} since version 10.
  if (std::holds_alternative<bool>(value)) return spec.ends_with('c');
  // The standard takes a sign for a char shown as a number, {fmt} 12 doesn't.
  if (std::holds_alternative<char>(value)) return has("+- ");
  const bool is_long = std::holds_alternative<long double>(value);
  if (!is_long && !std::holds_alternative<double>(value) && !std::holds_alternative<float>(value))
    return false;
  const bool is_precise = has(".") || has("aefgAEFG");
  // {fmt} 9 may make more digits of a long double than it was asked for, and '#' is "1.0" there.
  if (is_precise && (is_long || has("#"))) return true;
  // {fmt} fills with zeros before "0x", and since version 10 zero has the smallest exponent.
  if (has("aA")) return true;
  // {fmt} makes no more than 767 digits, of which 309 can stand before the point.
  const auto point = spec.find('.');
  return point != spec.npos && has("fF") && (spec[point + 1] == '{' || spec.size() - point > 3);
}

template <class T>
detail::segment parsed(std::string_view format) {
  constexpr detail::arg_kind kinds[] = {detail::kind_of<T>(), detail::arg_kind::signed_64,
                                        detail::arg_kind::signed_64};
  detail::format_parser parser(format, kinds, std::size(kinds));
  detail::segment field;
  EXPECT_TRUE(parser.next(field));
  return field;
}

TEST(format_property, any_value_with_any_specification) {
  chooser choose(20240501);
  int accepted = 0;
  for (int i = 0; i != cases && !HasFailure(); ++i) {
    const sample value = any_sample(choose);
    const std::string spec = any_spec(choose);
    if (is_deliberate(value, spec)) continue;
    const std::string format = fmt::format("{{:{}}}", spec);
    const int width = static_cast<int>(choose.below(40)) - choose.one_in(20) * 40;
    const int precision = static_cast<int>(choose.below(choose.one_in(30) ? 1500 : 30));
    std::visit(
        [&](const auto& v) {
          const outcome expected = by_fmt(format, v, width, precision);
          const outcome interpreted = by_leat(format, v, width, precision);
          EXPECT_EQ(interpreted, expected) << format << ", " << width << ", " << precision;
          if (expected.refused) return;
          ++accepted;
          const detail::segment field = parsed<std::decay_t<decltype(v)>>(format);
          if (!field.is_static() || field.spec.exotic) return;
          EXPECT_EQ(compiled_field(v, field.spec), expected.text) << format;
        },
        value);
  }
  EXPECT_TRUE(HasFailure() || accepted > cases / 4) << "too few specifications make sense";
}

TEST(format_property, any_positional_or_automatic_argument) {
  static constexpr std::string_view pieces[] = {
      "{}",       "{0}",    "{1}", "{2}", "{3}",  "{:>5}", "{1:<5}", "{0:{}}", "{0:{2}}", "{:{}}",
      "{1:.{2}}", "{:.{}}", "{{",  "}}",  "text", " ",     "{01}",   "{:x}",   "{2:+}",   "é"};
  chooser choose(7);
  for (int i = 0; i != cases / 4 && !HasFailure(); ++i) {
    std::string format;
    for (std::size_t n = choose.below(6); n != 0; --n) format += choose.one_of(pieces);
    const int number = static_cast<int>(choose.below(20));
    EXPECT_EQ(by_leat(format, number, "hello", 7), by_fmt(format, number, "hello", 7)) << format;
  }
}

TEST(format_property, any_text_as_a_format_string) {
  static constexpr std::string_view pieces[] = {"{",  "}", "{", "}", "{}", "{:", "0", "1",   "9",
                                                "12", ":", "<", ">", ".",  "#",  "+", "d",   "x",
                                                "s",  "f", "é", " ", "a",  "_",  "!", "\xff"};
  chooser choose(11);
  for (int i = 0; i != cases && !HasFailure(); ++i) {
    std::string format;
    for (std::size_t n = choose.below(9); n != 0; --n) format += choose.one_of(pieces);
    // '}' is no fill character in the standard and since {fmt} 10; "00" is refused since {fmt} 12.
    if (format.find(":}<") != format.npos || format.find(":}>") != format.npos) continue;
    if (format.find("00") != format.npos) continue;
    EXPECT_EQ(by_leat(format, 42, "text", 2.5), by_fmt(format, 42, "text", 2.5)) << format;
  }
}

}  // namespace
}  // namespace leat::test
