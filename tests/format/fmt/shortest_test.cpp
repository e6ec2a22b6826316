// The shortest text of a double, by each implementation that this processor supports.
// float_test.cpp tests print with the implementation that CPU dispatch chooses.
#include "format/shortest.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <leat/format.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>

#include "format/scientific.hpp"

namespace leat::test {
namespace {

/// The text that print promises: with an exponent if the exponent is below -4 or above 15.
std::string expected_text(double value) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 64> memory;
  const auto end = std::to_chars(memory.data(), memory.data() + memory.size(), value,
                                 std::chars_format::scientific)
                       .ptr;
  std::string text(memory.data(), end);
  const int exponent = std::stoi(text.substr(text.find('e') + 1));
  if (exponent < -4 || exponent > 15) return text;
  const std::string sign = text[0] == '-' ? "-" : "";
  std::string digits;
  for (const char c : text.substr(sign.size(), text.find('e') - sign.size()))
    if (c != '.') digits += c;
  if (exponent < 0)
    return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const auto before = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= before) return sign + digits + std::string(before - digits.size(), '0');
  return sign + digits.substr(0, before) + '.' + digits.substr(before);
}

/// The supported implementations, listed once: CPUID takes microseconds in a virtual machine.
std::span<const doubles::implementation> every_implementation() {
  static const std::span<const doubles::implementation> all = doubles::implementations();
  return all;
}

void expect_text(double value) {
  const std::string expected = expected_text(value);
  std::size_t number = 0;
  for (const doubles::implementation write_shortest : every_implementation()) {
    std::array<char, 64> memory;
    const std::string_view text(memory.data(), write_shortest(memory.data(), value));
    ASSERT_EQ(text, expected) << fmt::format("{:a}, implementation {}", value, number);
    ++number;
  }
}

void expect_both_signs(double value) {
  expect_text(value);
  expect_text(-value);
}

TEST(shortest_texts, have_an_implementation_in_portable_code) {
  ASSERT_FALSE(every_implementation().empty());
  EXPECT_EQ(every_implementation().back(), &doubles::by_portable_code);
}

TEST(shortest_texts, of_every_exponent_are_correct) {
  std::mt19937_64 random(1);
  for (std::uint64_t biased = 0; biased != 2048; ++biased) {
    const std::uint64_t exponent = biased << 52;
    for (const std::uint64_t fraction :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 51, (std::uint64_t{1} << 52) - 1})
      expect_both_signs(std::bit_cast<double>(exponent | fraction));
    for (int i = 0; i != 50; ++i)
      expect_both_signs(std::bit_cast<double>(exponent | random() >> 12));
  }
}

TEST(shortest_texts, of_every_count_of_digits_and_every_exponent_are_correct) {
  std::mt19937_64 random(2);
  std::uint64_t least = 1;
  for (int count = 1; count <= 17; ++count, least *= 10)
    for (int exponent = -330; exponent <= 310; exponent += std::abs(exponent) < 40 ? 1 : 7)
      for (int i = 0; i != 3; ++i) {
        const std::uint64_t digits = least + random() % (9 * least);
        const std::string decimal = fmt::format("{}e{}", digits, exponent - count);
        double value = 0;
        std::from_chars(decimal.data(), decimal.data() + decimal.size(), value);
        expect_both_signs(value);
      }
}

TEST(shortest_texts, around_powers_of_ten_are_correct) {
  for (int exponent = -323; exponent <= 308; ++exponent) {
    const std::string decimal = fmt::format("1e{}", exponent);
    double value = 0;
    std::from_chars(decimal.data(), decimal.data() + decimal.size(), value);
    const auto bits = std::bit_cast<std::int64_t>(value);
    for (std::int64_t step = -20; step <= 20; ++step)
      expect_text(std::bit_cast<double>(std::max<std::int64_t>(bits + step, 0)));
  }
}

TEST(shortest_texts, of_integers_and_halves_are_correct) {
  std::mt19937_64 random(3);
  for (int bits = 1; bits <= 64; ++bits)
    for (int i = 0; i != 100; ++i) {
      const auto whole = static_cast<double>(random() >> (64 - bits));
      for (const double divisor : {1.0, 2.0, 4.0, 8.0, 1024.0}) expect_both_signs(whole / divisor);
    }
}

TEST(shortest_texts, are_correct_if_the_fast_path_cannot_decide) {
  // Ties between two texts of one length, midpoints between two neighbours, and extreme values.
  for (const double value : {9007199254740993.5, 4503599627370497.5, 1.8014398509481984e16,
                             30364933696218072.0, 62707368547787376.0, 281874606364844384.0, 5e-324,
                             2.5, 9.5, 1e23, 9.007199254740993e22, 2.2250738585072014e-308})
    expect_both_signs(value);
  std::mt19937_64 random(4);
  for (int i = 0; i != 20'000; ++i)  // many of these values are ties
    expect_text(std::ldexp(static_cast<double>(random() >> 11), 1 + static_cast<int>(i % 8)));
}

TEST(shortest_texts, write_nothing_outside_of_their_buffer) {
  constexpr std::size_t margin = 64, room = 32;  // max_size() of a double
  std::mt19937_64 random(5);
  for (int i = 0; i != 20'000; ++i) {
    const auto value = std::bit_cast<double>(random());
    for (const doubles::implementation write_shortest : every_implementation()) {
      std::string memory(margin + room + margin, '#');
      char* const to = memory.data() + margin;
      ASSERT_EQ(std::string(to, write_shortest(to, value)), expected_text(value));
      ASSERT_EQ(memory.substr(0, margin), std::string(margin, '#'));
      ASSERT_EQ(memory.substr(margin + room), std::string(margin, '#'));
    }
  }
}

}  // namespace
}  // namespace leat::test
