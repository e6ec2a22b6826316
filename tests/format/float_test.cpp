// Floating-point numbers: the values at the edges of their formats, in every form.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "format/outcome.hpp"

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
  constexpr int step = limits::max_exponent / (sizeof(Float) > 8 ? 8 : 100);  // those are slow
  for (int exponent = 0; exponent < limits::max_exponent; exponent += step)
    for (const int sign : {-1, 1}) values.push_back(std::ldexp(Float{1}, sign * exponent));
  const std::size_t positive = values.size();
  for (std::size_t i = 0; i != positive; ++i) values.push_back(-values[i]);
  return values;
}

template <class Float>
class floating : public testing::Test {};
using float_types = testing::Types<float, double, long double>;
TYPED_TEST_SUITE(floating, float_types);

TYPED_TEST(floating, edges_in_every_form) {
  static constexpr const char* forms[] = {
      "{:e}",      "{:E}",    "{:f}",    "{:F}",    "{:g}",    "{:G}",      "{:a}",
      "{:A}",      "{:.0f}",  "{:.0e}",  "{:.0g}",  "{:.0}",   "{:.1f}",    "{:.3}",
      "{:.17g}",   "{:.20e}", "{:.40f}", "{:+}",    "{: }",    "{:+.2f}",   "{:012}",
      "{:+012}",   "{:<30}|", "{:>30}",  "{:*^31}", "{:#}",    "{:#g}",     "{:#.0f}",
      "{:030.3f}", "{:0>40}", "{:#.3e}", "{:.300}", "{:<010}", "{:é^40.2e}"};
  for (const TypeParam value : edges<TypeParam>()) {
    const outcome shortest = by_fmt("{}", value);
    EXPECT_EQ(leat::format("{}", value), shortest.text);
    for (const char* form : forms)
      EXPECT_EQ(by_leat(form, value), by_fmt(form, value)) << form << " of " << shortest;
  }
}

TYPED_TEST(floating, very_precise) {
  for (const TypeParam value : {std::numeric_limits<TypeParam>::denorm_min(), TypeParam{1} / 3,
                                std::numeric_limits<TypeParam>::max(), TypeParam{0}})
    for (const char* form : {"{:.{}f}", "{:.{}e}", "{:.{}g}", "{:.{}}", "{:6000.{}f}"})
      for (const int precision : {100, 457, 458, 459, 700, 766, 767, 768, 1074, 1100, 5000})
        EXPECT_EQ(by_leat(form, value, precision), by_fmt(form, value, precision))
            << form << " with " << precision;
}

TEST(float_literals, compiled) {
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
