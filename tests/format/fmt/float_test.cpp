// Floating-point numbers: extreme values, random values and ties, in every notation.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <charconv>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "format/outcome.hpp"
#include "format/samples.hpp"
#include "format/scientific.hpp"
#include "support/libraries.hpp"
#include "support/platform.hpp"

namespace leat::test {
namespace {

template <class Float>
std::vector<Float> edges() {
  using limits = std::numeric_limits<Float>;
  std::vector<Float> values{0,
                            1,
                            limits::min(),
                            limits::max(),
                            limits::lowest(),
                            limits::denorm_min(),
                            limits::min() - limits::denorm_min(),
                            limits::epsilon(),
                            limits::infinity(),
                            limits::quiet_NaN(),
                            static_cast<Float>(0.1),
                            static_cast<Float>(2.5),
                            static_cast<Float>(123456.789)};
  Float power = 1;
  for (int exponent = 0; exponent != 30; ++exponent, power *= 10)
    for (const Float value : {power, 1 / power, power - 1, std::nextafter(power, Float{0}),
                              std::nextafter(power, limits::max()), power / 3})
      values.push_back(value);
  constexpr int step = limits::max_exponent / (sizeof(Float) > 8 ? 8 : 100);  // long double is slow
  for (int exponent = 0; exponent < limits::max_exponent; exponent += step)
    for (const int sign : {-1, 1}) values.push_back(std::ldexp(Float{1}, sign * exponent));
  const std::size_t positive = values.size();
  for (std::size_t i = 0; i != positive; ++i) values.push_back(-values[i]);
  return values;
}

/// Formats with C's printf, which is exact in glibc.
template <class Float>
std::string by_printf(const std::string& form, Float value, int precision) {
  std::string text(20'000, '\0');
  int size;
  if constexpr (std::is_same_v<Float, long double>)
    size = std::snprintf(text.data(), text.size(), form.c_str(), precision, value);
  else
    size = std::snprintf(text.data(), text.size(), form.c_str(), precision, double{value});
  text.resize(static_cast<std::size_t>(size));
  return text;
}

/// Compares leat with printf, for example "{:+#012.3e}" with "%+#012.3e".
template <class Float>
void expect_as_printf(Float value, const std::string& flags, int precision, char type) {
  const std::string form = std::isfinite(value) ? flags : flags.substr(0, flags.find('0'));
  const std::string length = std::is_same_v<Float, long double> ? "L" : "";
  const std::string expected = by_printf("%" + form + ".*" + length + type, value, precision);
  // glibc 2.36 loses the zeros of "%#.3g" if rounding gives a power of ten, as 999.9 gives
  // 1.00e+03.
  const bool loses = (type | 0x20) == 'g' && flags.find('#') != flags.npos && precision != 1;
  if (loses && expected.find(type == 'g' ? "1.e" : "1.E") != expected.npos) return;
  std::string spec = "{:";
  // {fmt} aligns NaN and infinity to the left.
  if (!std::isfinite(value)) spec += '>';
  spec += form;
  if (precision >= 0) spec += ".{}";
  spec += type;
  spec += '}';
  const outcome text = precision >= 0 ? by_leat(spec, value, precision) : by_leat(spec, value);
  EXPECT_EQ(text, (outcome{expected, false, {}})) << spec << ", " << precision;
}

template <class Float>
class floating : public testing::Test {};
using float_types = testing::Types<float, double, long double>;
TYPED_TEST_SUITE(floating, float_types);

TYPED_TEST(floating, shortest_texts_of_edges_are_the_same_as_with_fmt) {
  for (const TypeParam value : edges<TypeParam>()) {
    const outcome shortest = by_fmt("{}", value);
    // {fmt} is wrong about some powers of two, see below.
    if (sizeof value > 8 && std::isfinite(value) &&
        std::strtold(shortest.text.c_str(), nullptr) != static_cast<long double>(value))
      continue;
    EXPECT_EQ(leat::format("{}", value), shortest.text);
    for (const char* form : {"{:+}", "{: }", "{:012}", "{:+012}", "{:<30}|", "{:>30}", "{:*^31}",
                             "{:#}", "{:0>40}", "{:<010}", "{:é^40}"})
      EXPECT_EQ(by_leat(form, value), by_fmt(form, value)) << form << " of " << shortest;
  }
}

#if defined(HAS_EXACT_PRINTF)
TYPED_TEST(floating, edges_with_a_type_or_a_precision_are_the_same_as_with_printf) {
  if (!leat_test::uses_glibc) GTEST_SKIP() << leat_test::compares_with_glibc;
  static constexpr std::array<const char*, 6> all{"", "+#060", "+", "#", "30", "+012"};
  static constexpr std::array<int, 14> some{-1, 0, 17, 1, 2, 3, 6, 12, 15, 16, 18, 20, 40, 300};
  const std::span precisions(some.data(), leat_test::emulated    ? 3
                                          : leat_test::sanitized ? 7
                                                                 : some.size());
  // long double is slow.
  const std::span flags(all.data(), leat_test::emulated     ? 1
                                    : sizeof(TypeParam) > 8 ? 2
                                                            : all.size());
  for (const TypeParam value : edges<TypeParam>())
    for (const char* flag : flags)
      for (const int precision : precisions)
        for (const char type : {'a', 'e', 'f', 'g', 'A', 'E', 'F', 'G'})
          expect_as_printf(value, flag, precision, type);
}
#endif

#if defined(HAS_EXACT_PRINTF)
TYPED_TEST(floating, ties_and_their_neighbours_are_rounded_as_with_printf) {
  if (!leat_test::uses_glibc) GTEST_SKIP() << leat_test::compares_with_glibc;
  chooser choose(31);
  for (int i = 0; i != 20'000 / slowness && !this->HasFailure(); ++i) {
    const int decimals = 1 + static_cast<int>(choose.below(6));
    const auto unit = static_cast<TypeParam>(std::pow(10.0, static_cast<double>(decimals)));
    const auto whole = static_cast<TypeParam>(choose.bits() >> choose.below(64));
    // An odd multiple of 2^-(decimals + 1) is exact in binary, and has decimals + 1 decimals. The
    // last of these decimals is a 5.
    const auto tie = static_cast<TypeParam>(2 * choose.below(1 << 12) + 1) /
                     static_cast<TypeParam>(2 << decimals);
    for (const TypeParam value : {whole + tie, (whole + TypeParam{0.5}) / unit, tie / unit})
      for (const TypeParam near : {std::nextafter(value, TypeParam{0}), value,
                                   std::nextafter(value, std::numeric_limits<TypeParam>::max())})
        expect_as_printf(near, "", decimals, 'f');
  }
}
#endif

TYPED_TEST(floating, many_digits_are_the_same_as_with_printf) {
  if (!leat_test::uses_glibc) GTEST_SKIP() << leat_test::compares_with_glibc;
  for (const TypeParam value : {std::numeric_limits<TypeParam>::denorm_min(), TypeParam{1} / 3,
                                std::numeric_limits<TypeParam>::max(), TypeParam{0},
                                std::nextafter(TypeParam{1}, TypeParam{0})})
    for (const char type : {'a', 'e', 'f', 'g'})
      for (const int precision : {100, 457, 458, 459, 700, 766, 767, 768, 1073, 1074, 1100, 5000})
        for (const char* flags : {"", "#", "6000"}) expect_as_printf(value, flags, precision, type);
}

/// A random value: an integer, a short decimal, a tie at some precision, or random bits.
template <class Float>
Float any_value(chooser& choose) {
  const auto sign = static_cast<Float>(choose.one_in(2) ? -1 : 1);
  switch (choose.below(4)) {
    case 0:
      return sign * static_cast<Float>(choose.bits() >> choose.below(64));
    case 1:
      return sign * static_cast<Float>(choose.below(1'000'000)) /
             static_cast<Float>(std::pow(10.0, static_cast<double>(choose.below(7))));
    case 2:
      return sign * std::ldexp(static_cast<Float>(choose.below(1 << 20)),
                               -static_cast<int>(choose.below(25)));
    default:
      return any_float<Float>(choose);
  }
}

#if defined(HAS_EXACT_PRINTF)
TYPED_TEST(floating, any_value_with_a_type_and_a_precision_is_the_same_as_with_printf) {
  if (!leat_test::uses_glibc) GTEST_SKIP() << leat_test::compares_with_glibc;
  chooser choose(20);
  constexpr int cases = (sizeof(TypeParam) > 8 ? 20'000 : 400'000) / slowness;
  static constexpr std::array<char, 8> types{'a', 'e', 'f', 'g', 'A', 'E', 'F', 'G'};
  static constexpr std::array<const char*, 8> flags{"", "", "", "+", "#", "25", "040", "+#030"};
  for (int i = 0; i != cases && !this->HasFailure(); ++i) {
    const auto value = any_value<TypeParam>(choose);
    const int precision = static_cast<int>(choose.below(choose.one_in(20) ? 400 : 22)) - 1;
    expect_as_printf(value, choose.one_of(flags), precision, choose.one_of(types));
  }
}
#endif

#if defined(__GLIBC__)  // glibc's printf and strtold are exact
/// libstdc++'s to_chars does not always give the nearest text of a long double.
TEST(floats, shortest_text_of_a_long_double_is_the_shortest_of_printf_that_round_trips) {
  chooser choose(22);
  constexpr int cases = 40'000 / slowness;
  for (int i = 0; i != cases && !HasFailure(); ++i) {
    const auto value = any_value<long double>(choose);
    if (!std::isfinite(value)) continue;
    std::array<char, 64> expected;
    int digits = 0;
    do {
      std::snprintf(expected.data(), expected.size(), "%.*Le", digits++, value);
    } while (std::strtold(expected.data(), nullptr) != value);
    EXPECT_EQ(in_scientific_notation(leat::format("{}", value)), expected.data());
  }
}
#endif

TYPED_TEST(floating, shortest_text_is_the_one_of_to_chars) {
  if (std::is_same_v<TypeParam, long double>) GTEST_SKIP() << "compared with printf above";
  chooser choose(21);
  constexpr int cases = 2'000'000 / slowness;
  for (int i = 0; i != cases && !this->HasFailure(); ++i) {
    const auto value = any_value<TypeParam>(choose);
    std::array<char, 64> expected;
    const auto end = std::to_chars(expected.data(), expected.data() + expected.size(), value,
                                   std::chars_format::scientific);
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(in_scientific_notation(leat::format("{}", value)),
              std::string_view(expected.data(), end.ptr));
  }
}

/// The next number below a power of two is half as far away as the next number above: a text that
/// is too short could be read as the number below.
TYPED_TEST(floating, shortest_text_of_each_power_of_two_round_trips) {
  if (sizeof(TypeParam) > 8 && !leat_test::uses_glibc)
    GTEST_SKIP() << "only glibc's strtold is exact";
  using limits = std::numeric_limits<TypeParam>;
  constexpr int step = leat_test::sanitized || leat_test::emulated ? 61 : 7;
  for (int power = limits::min_exponent - limits::digits; power < limits::max_exponent;
       power += step) {
    const TypeParam value = std::ldexp(TypeParam{1}, power);
    const std::string text = leat::format("{}", -value);
    if constexpr (std::is_same_v<TypeParam, float>)
      ASSERT_EQ(std::strtof(text.c_str(), nullptr), -value) << text;
    else if constexpr (std::is_same_v<TypeParam, double>)
      ASSERT_EQ(std::strtod(text.c_str(), nullptr), -value) << text;
    else
      ASSERT_EQ(std::strtold(text.c_str(), nullptr), -value) << text;
  }
}

TEST(float_literals, are_written_by_compiled_format_strings) {
  EXPECT_EQ(leat::format("{:.2f} {:8.3e} {:+g} {:G}", 3.14159, 31415.9, 1e10, 1e-10),
            "3.14 3.142e+04 +1e+10 1E-10");
  EXPECT_EQ(leat::format("{:.3f}", std::numeric_limits<double>::max()).size(), 309 + 4);
  EXPECT_EQ(leat::format("{} {} {}", -0.0, -std::numeric_limits<double>::infinity(),
                         std::copysign(std::numeric_limits<double>::quiet_NaN(), -1.0)),
            "-0 -inf -nan");
  EXPECT_EQ(
      leat::format("{:06}|{:<6F}|{:^+7}", std::numeric_limits<float>::infinity(),
                   std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()),
      fmt::format("{:06}|{:<6F}|{:^+7}", std::numeric_limits<float>::infinity(),
                  std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()));
}

}  // namespace
}  // namespace leat::test
