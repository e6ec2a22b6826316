// Parsing numbers, compared with the standard library.
#include "parse/number.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "support/guarded_memory.hpp"
#include "support/libraries.hpp"
#include "support/sanitizer.hpp"

namespace {

using namespace leat::detail;

template <class T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) && std::isnan(b) && std::signbit(a) == std::signbit(b);
    return a == b && std::signbit(a) == std::signbit(b);
  } else {
    return a == b;
  }
}

constexpr int untouched = 77;

/// Compares parse_number() with std::from_chars. A parser that reads too far finds the NUL of the
/// std::string.
template <class T>
testing::AssertionResult like_standard(const std::string& text) {
  T expected = untouched, got = untouched;
  const auto theirs = std::from_chars(text.data(), text.data() + text.size(), expected);
  if (theirs.ec != std::errc{}) expected = untouched;  // libc++ stores a limit
  const auto ours = parse_number(text.data(), text.data() + text.size(), got);
  if (ours.ptr == theirs.ptr && ours.ec == theirs.ec && same(expected, got))
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "'" << text << "': took " << ours.ptr - text.data() << " bytes instead of "
         << theirs.ptr - text.data() << ", error " << static_cast<int>(ours.ec) << " instead of "
         << static_cast<int>(theirs.ec) << ", value " << +got << " instead of " << +expected;
}

template <class T>
class parse_integers : public testing::Test {};
using integers = testing::Types<signed char, unsigned char, short, unsigned short, int, unsigned,
                                long, unsigned long, long long, unsigned long long>;
TYPED_TEST_SUITE(parse_integers, integers);

TYPED_TEST(parse_integers, accept_their_limits_and_nothing_beyond_in_every_base) {
  using limits = std::numeric_limits<TypeParam>;
  for (int base = 2; base <= 36; ++base) {
    for (const TypeParam limit : {limits::min(), limits::max()}) {
      char text[80];
      const auto written = std::to_chars(text, text + sizeof text, limit, base);
      const std::string exact(text, written.ptr);
      // Increments and decrements the last digit; adds leading zeros, a sign, another digit and
      // junk.
      for (int change = -1; change <= 1; ++change) {
        std::string near = exact;
        near.back() = static_cast<char>(near.back() + change);
        for (const std::string& all : {near, near + "0", near + "z", near + "-",
                                       "000000000000000000000000" + near, "-" + near}) {
          TypeParam expected = untouched, got = untouched;
          const char* const end = all.data() + all.size();
          const auto theirs = std::from_chars(all.data(), end, expected, base);
          const auto ours = parse_integer(all.data(), end, got, base);
          ASSERT_EQ(ours.ptr, theirs.ptr) << all << " base " << base;
          ASSERT_EQ(ours.ec, theirs.ec) << all << " base " << base;
          ASSERT_EQ(got, expected) << all << " base " << base;
        }
      }
    }
  }
}

TYPED_TEST(parse_integers, agree_with_from_chars) {
  std::mt19937_64 random(1);
  for (int i = 0; i != 50000; ++i) {
    std::string text = random() % 4 == 0 ? "-" : "";
    for (auto left = random() % 24; left != 0; --left)
      text += static_cast<char>('0' + random() % 10);
    if (random() % 4 == 0) text += static_cast<char>(random());
    ASSERT_TRUE(like_standard<TypeParam>(text));
  }
}

TEST(parse_integers, of_128_bits_accept_their_limits_and_nothing_beyond) {
  const auto most = static_cast<unsigned __int128>(-1);
  const std::string text = "340282366920938463463374607431768211455";
  unsigned __int128 value = 0;
  EXPECT_EQ(parse_integer(text.data(), text.data() + text.size(), value).ec, std::errc{});
  EXPECT_TRUE(value == most);
  const std::string above = "340282366920938463463374607431768211456";
  EXPECT_EQ(parse_integer(above.data(), above.data() + above.size(), value).ec,
            std::errc::result_out_of_range);
  const std::string least = "-170141183460469231731687303715884105728";
  __int128 negative = 0;
  EXPECT_EQ(parse_integer(least.data(), least.data() + least.size(), negative).ec, std::errc{});
  EXPECT_TRUE(negative == static_cast<__int128>(most / 2 + 1));
}

TEST(parse_floating, agrees_with_from_chars_on_malformed_and_difficult_texts) {
  for (const char* text : {"",
                           "-",
                           "+1",
                           ".",
                           "-.",
                           "1e",
                           "1e+",
                           "1e-x",
                           "0x",
                           "1.2.3",
                           "5.",
                           ".5",
                           "-.5e1",
                           "e5",
                           "inf",
                           "-INF",
                           "infinity",
                           "InfinitY1",
                           "infinit",
                           "nan",
                           "-nan",
                           "NaN(a_1)",
                           "nan(",
                           "nan(-)",
                           "na",
                           "i",
                           "--1",
                           "- 1",
                           " 1",
                           "1E5",
                           "1e0005",
                           "0",
                           "-0",
                           "0e999999999999999999999999",
                           "1e999999999999999999999999",
                           "1e-999999999999999999999999",
                           "1e400",
                           "1e-400",
                           "-1e400",
                           "2.2250738585072011e-308",
                           "2.2250738585072014e-308",
                           "2.4703282292062327208e-324",
                           "2.4703282292062328e-324",
                           "4.9e-324",
                           "9007199254740993",
                           "9007199254740993.0",
                           "9007199254740992.99999999999999999999",
                           "9007199254740993.00000000000000000000001",
                           "1e23",
                           "8.5e22",
                           "1.7976931348623157e308",
                           "1.7976931348623158e308",
                           "1.7976931348623159e308",
                           "17976931348623158079372897140530341507993413271003782693617377898044496"
                           "8292764750946649017977"
                           "58720709633028641669288791094655554785194040263065748867150582068",
                           "16777217",
                           "16777217.0",
                           "16777217.000000000000000000000000001",
                           "3.4028235677973366e38",
                           "3.4028235677973367e38",
                           "1.4e-45",
                           "7.006492321624085e-46",
                           "7.0064923216240854e-46",
                           "12345678",
                           "1234567.",
                           "1234567.8",
                           "123456.78",
                           "12345678.9",
                           "0.000000000000000000000000000000000000000000012345"}) {
    EXPECT_TRUE(like_standard<double>(text));
    EXPECT_TRUE(like_standard<float>(text));
  }
}

/// Returns the exact decimal digits of the middle between `value` and the next larger number.
template <class Float>
std::string middle(Float value) {
  // A long double has more bits than a double, and also represents the middles of subnormal
  // numbers.
  const Float next = std::nextafter(value, std::numeric_limits<Float>::infinity());
  const long double sum = (static_cast<long double>(value) + static_cast<long double>(next)) / 2;
  char text[2000];
  const auto end =
      std::to_chars(text, text + sizeof text, sum, std::chars_format::scientific, 800).ptr;
  return {text, end};
}

template <class Float>
void expect_middles(int times) {
  using bits_type = std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>;
  std::mt19937_64 random(2);
  for (int i = 0; i != times; ++i) {
    auto value = std::fabs(std::bit_cast<Float>(static_cast<bits_type>(random())));
    if (i % 4 == 0) value = static_cast<Float>(random() % 1000000);
    if (i % 4 == 1) value = std::bit_cast<Float>(static_cast<bits_type>(random() % 1000000));
    if (!std::isfinite(value) || value == std::numeric_limits<Float>::max()) continue;
    const std::string tie = middle(value);
    const auto e = tie.find('e');
    const std::string zeros(random() % 300, '0');
    std::string below = tie;
    const auto last = below.find_last_of("123456789", e - 1);
    --below[last];
    ASSERT_TRUE(like_standard<Float>(tie));
    ASSERT_TRUE(like_standard<Float>(below));
    ASSERT_TRUE(like_standard<Float>(tie.substr(0, e) + zeros + "1" + tie.substr(e)));
    ASSERT_TRUE(like_standard<Float>(tie.substr(0, last) + tie.substr(e)));
  }
}

TEST(parse_floating, agrees_with_from_chars_at_the_middle_of_two_numbers) {
  if (std::numeric_limits<long double>::digits < 64)
    GTEST_SKIP() << "a long double is no wider than a double";
  expect_middles<double>(leat_test::rounds(2500));
  expect_middles<float>(leat_test::rounds(2500));
}

template <class Float>
void expect_random_texts(int times) {
  std::mt19937_64 random(3);
  for (int i = 0; i != times; ++i) {
    std::string text = random() % 2 == 0 ? "-" : "";
    const auto digits = 1 + random() % (i % 2 == 0 ? 19 : 40);
    const auto point = random() % 45;
    for (std::uint64_t k = 0; k != digits; ++k) {
      if (k == point) text += '.';
      text += static_cast<char>('0' + random() % 10);
    }
    if (random() % 2 == 0) {
      text += 'e';
      text += std::to_string(static_cast<int>(random() % (i % 3 == 0 ? 700 : 60)) -
                             (i % 3 == 0 ? 360 : 30));
    }
    ASSERT_TRUE(like_standard<Float>(text));
  }
}

TEST(parse_floating, agrees_with_from_chars_on_random_texts) {
  expect_random_texts<double>(leat_test::rounds(1000000));
  expect_random_texts<float>(leat_test::rounds(1000000));
}

template <class Float, class Bits>
void expect_round_trips(int times) {
  std::mt19937_64 random(4);
  for (int i = 0; i != times; ++i) {
    const auto value = std::bit_cast<Float>(static_cast<Bits>(random()));
    if (std::isnan(value)) continue;
    char text[100];
    for (const bool hex : {false, true}) {
      const char* const end =
          (hex ? std::to_chars(text, text + sizeof text, value, std::chars_format::hex)
               : std::to_chars(text, text + sizeof text, value))
              .ptr;
      Float got = 0;
      const auto [stop, error] =
          hex ? parse_hexadecimal(text, end, got) : parse_floating(text, end, got);
      ASSERT_TRUE(error == std::errc{} && stop == end && same(got, value))
          << std::string(text, static_cast<std::size_t>(end - text));
    }
  }
}

TEST(parse_floating, parses_written_values_back) {
  expect_round_trips<double, std::uint64_t>(leat_test::rounds(500000));
  expect_round_trips<float, std::uint32_t>(leat_test::rounds(500000));
}

TEST(parse_floating, parses_written_long_doubles_back) {
  if (leat_test::uses_libcxx) GTEST_SKIP() << "libc++ writes long doubles as doubles";
  using limits = std::numeric_limits<long double>;
  std::mt19937_64 random(5);
  for (int i = 0; i != 3000; ++i) {
    const int exponent = i % 4 != 0 ? static_cast<int>(random() % 600) - 300
                                    : static_cast<int>(random() % 30000) - 15000;
    const long double value = std::ldexp(static_cast<long double>(random()), exponent);
    if (!std::isfinite(value) || value == 0) continue;
    char text[100];
    for (const bool hex : {false, true}) {
      const char* const end =
          (hex ? std::to_chars(text, text + sizeof text, value, std::chars_format::hex)
               : std::to_chars(text, text + sizeof text, value))
              .ptr;
      long double got = 0;
      const auto error =
          hex ? parse_hexadecimal(text, end, got).ec : parse_floating(text, end, got).ec;
      ASSERT_TRUE(error == std::errc{} && got == value)
          << std::string(text, static_cast<std::size_t>(end - text));
    }
  }
  for (const long double value : {limits::max(), limits::min(), limits::denorm_min()}) {
    char text[100];
    const char* const end = std::to_chars(text, text + sizeof text, value).ptr;
    long double got = 0;
    EXPECT_EQ(parse_floating(text, end, got).ec, std::errc{});
    EXPECT_EQ(got, value);
  }
}

TEST(parse_floating, ignores_the_rounding_mode) {
  for (const int mode : {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO}) {
    for (const std::string_view text :
         {"0.1", "-0.3", "1e23", "9007199254740993", "4.9e-324", "123456789.123456789",
          "4112.900000000001", "9007199254740993.00000000000000000000001"}) {
      double expected = 0, got = 0;
      parse_floating(text.data(), text.data() + text.size(), expected);
      std::fesetround(mode);
      parse_floating(text.data(), text.data() + text.size(), got);
      std::fesetround(FE_TONEAREST);
      EXPECT_EQ(got, expected) << text;
    }
  }
}

TEST(parse_hexadecimal, agrees_with_from_chars_on_ties_long_mantissas_and_malformed_texts) {
  for (const std::string_view text : {"",
                                      "-",
                                      ".",
                                      "p1",
                                      "1p",
                                      "1p+",
                                      "1p-x",
                                      "g",
                                      "0x1",
                                      "1.8",
                                      "-.8p1",
                                      "AbC.dEfp-3",
                                      "0p9999",
                                      "1.00000000000008p0",
                                      "1.00000000000018p0",
                                      "1.000000000000080000000000000000000001p0",
                                      "1.fffffffffffff8p0",
                                      "1.fffffffffffff8p1023",
                                      "1.fffffffffffffp1023",
                                      "0.8p-1074",
                                      "0.80000000000000000000000000000001p-1074",
                                      "0.00000000000008p-1022",
                                      "1p1024",
                                      "inf",
                                      "nan"}) {
    double expected = untouched, got = untouched;
    const char* const end = text.data() + text.size();
    const auto theirs = std::from_chars(text.data(), end, expected, std::chars_format::hex);
    if (theirs.ec != std::errc{}) expected = untouched;  // libc++ stores a limit
    const auto ours = parse_hexadecimal(text.data(), end, got);
    EXPECT_EQ(ours.ptr - text.data(), theirs.ptr - text.data()) << text;
    EXPECT_EQ(ours.ec, theirs.ec) << text;
    EXPECT_TRUE(same(got, expected)) << text << ": " << got << " instead of " << expected;
  }
}

TEST(parse_numbers, read_no_byte_after_the_end) {
  leat::test::guarded_memory memory(4096);
  for (const std::string_view text : {"",
                                      "-",
                                      "1",
                                      "12",
                                      "123",
                                      "1234",
                                      "12345",
                                      "123456",
                                      "1234567",
                                      "12345678",
                                      "1234567.",
                                      "1234567.5",
                                      "-12.34",
                                      "1e",
                                      "1e+",
                                      "1e5",
                                      "nan",
                                      "nan(",
                                      "nan(a",
                                      "in",
                                      "inf",
                                      "infinit",
                                      "123456789012345678901234567890",
                                      "0.1234567",
                                      "0.12345"}) {
    SCOPED_TRACE(text);
    const std::string_view copy = memory.at_end(text);
    const char* const first = copy.data();
    const char* const end = first + copy.size();
    double value = 0;
    long double longer = 0;
    int integer = 0;
    double hexadecimal = 0;
    EXPECT_LE(parse_floating(first, end, value).ptr, end);
    EXPECT_LE(parse_floating(first, end, longer).ptr, end);
    EXPECT_LE(parse_hexadecimal(first, end, hexadecimal).ptr, end);
    EXPECT_LE(parse_integer(first, end, integer).ptr, end);
    EXPECT_TRUE(like_standard<double>(std::string(text)));
  }
}

}  // namespace
