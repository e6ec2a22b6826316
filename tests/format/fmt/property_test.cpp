// Random specifications and values: leat's text is {fmt}'s, interpreted and compiled.
#include <gtest/gtest.h>

#include "format/by_steps.hpp"
#include "format/compiled_field.hpp"
#include "format/known_differences.hpp"
#include "format/outcome.hpp"
#include "format/samples.hpp"

namespace leat::test {
namespace {

constexpr int cases = 400'000 / slowness;

template <class T>
detail::segment parsed(std::string_view format) {
  constexpr detail::arg_kind kinds[] = {detail::kind_of<T>(), detail::arg_kind::signed_64,
                                        detail::arg_kind::signed_64};
  detail::format_parser parser(format, kinds, std::size(kinds));
  detail::segment field;
  EXPECT_TRUE(parser.next(field));
  return field;
}

/// Formats by steps. If the format is interpreted or wrong, returns std::nullopt: as a constant, a
/// wrong format would be a compile error.
template <class... Args>
std::optional<outcome> by_steps_if_valid(std::string_view format, chooser& choose,
                                         const Args&... args) {
  const detail::arg_kind kinds[] = {detail::kind_of<std::decay_t<Args>>()...};
  try {
    detail::check_format(format, kinds, sizeof...(Args));
  } catch (const format_error&) {
    return std::nullopt;
  }
  return by_steps(format, choose.below(300), args...);
}

/// A format with fields in another order than that of the arguments. The first argument has the
/// specification. A width is the second argument, a precision the third argument.
std::string reordered(std::string spec) {
  if (const std::size_t at = spec.find(".{}"); at != spec.npos) spec.insert(at + 2, "2");
  if (const std::size_t at = spec.find("{}"); at != spec.npos) spec.insert(at + 1, "1");
  return fmt::format("{{1}} {{0:{}}}|{{2}}{{0:{}}}", spec, spec);
}

TEST(format_property, any_value_with_any_specification_is_the_same_as_with_fmt) {
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
          const auto compiled = by_steps_if_valid(format, choose, v, width, precision);
          if (compiled) {
            EXPECT_EQ(*compiled, expected) << format << ", " << width << ", " << precision;
          }
          const std::string other = reordered(spec);
          if (const auto gathered = by_steps_if_valid(other, choose, v, width, precision)) {
            EXPECT_EQ(*gathered, by_fmt(other, v, width, precision))
                << other << ", " << width << ", " << precision;
          }
          if (expected.refused) return;
          ++accepted;
          const detail::segment field = parsed<std::decay_t<decltype(v)>>(format);
          if (!field.is_static() || !detail::format_step::can_hold(field.spec)) return;
          EXPECT_EQ(compiled_field(v, field.spec), expected.text) << format;
        },
        value);
  }
  EXPECT_TRUE(HasFailure() || accepted > cases / 4) << "too few random specifications are valid";
}

TEST(format_property, any_positional_or_automatic_argument_is_the_same_as_with_fmt) {
  static constexpr std::string_view pieces[] = {
      "{}",       "{0}",    "{1}", "{2}", "{3}",  "{:>5}", "{1:<5}", "{0:{}}", "{0:{2}}", "{:{}}",
      "{1:.{2}}", "{:.{}}", "{{",  "}}",  "text", " ",     "{01}",   "{:x}",   "{2:+}",   "é"};
  chooser choose(7);
  int compiled = 0;
  for (int i = 0; i != cases / 4 && !HasFailure(); ++i) {
    std::string format;
    for (std::size_t n = choose.below(6); n != 0; --n) format += choose.one_of(pieces);
    const int number = static_cast<int>(choose.below(20));
    const outcome expected = by_fmt(format, number, "hello", 7);
    EXPECT_EQ(by_leat(format, number, "hello", 7), expected) << format;
    const auto steps = by_steps_if_valid(format, choose, number, "hello", 7);
    if (!steps) continue;
    ++compiled;
    EXPECT_EQ(*steps, expected) << format;
  }
  EXPECT_TRUE(HasFailure() || compiled > cases / 40) << "too few formats are compiled";
}

TEST(format_property, any_text_as_a_format_string_is_the_same_as_with_fmt) {
  static constexpr std::string_view pieces[] = {"{",  "}", "{", "}", "{}", "{:", "0", "1",   "9",
                                                "12", ":", "<", ">", ".",  "#",  "+", "d",   "x",
                                                "s",  "f", "é", " ", "a",  "_",  "!", "\xff"};
  chooser choose(11);
  for (int i = 0; i != cases && !HasFailure(); ++i) {
    std::string format;
    for (std::size_t n = choose.below(9); n != 0; --n) format += choose.one_of(pieces);
    if (is_deliberate(format)) continue;
    EXPECT_EQ(by_leat(format, 42, "text", 2.5), by_fmt(format, 42, "text", 2.5)) << format;
  }
}

}  // namespace
}  // namespace leat::test
