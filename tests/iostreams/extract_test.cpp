// Compares the integers that `>>` extracts with std::from_chars, and tests every implementation
// that extracts lines.
#include "iostreams/extract.hpp"

#include <gtest/gtest.h>
#include <leat/fstream.hpp>

#include <charconv>
#include <limits>
#include <random>
#include <string>

#include "parse/read_value.hpp"

namespace {

/// Expects the same end and value as from std::from_chars, or null if std::from_chars fails.
template <class Int>
void expect_as_from_chars(const std::string& number) {
  // If fewer than 16 bytes are left, the integer takes a slower path.
  for (const std::size_t rest : {1u, 4u, 8u, 15u, 16u, 17u, 40u, 60u}) {
    for (const char after : {' ', '\n', ',', 'x', '-', '\xF1'}) {
      const std::string text = ' ' + number + after + std::string(rest, '7') + ' ';
      const char* const end = text.data() + text.size();
      const char* const begin = text.data() + text.find_first_not_of(" \n");
      Int value = 77, expected = 77;
      const auto [stop, error] = std::from_chars(begin, end, expected);
      const char* const found = leat::detail::read_value(text.data(), end, false, value);
      if (error != std::errc{}) {
        ASSERT_EQ(found, nullptr) << text;
      } else {
        ASSERT_EQ(found, stop) << text;
        ASSERT_EQ(value, expected) << text;
      }
    }
  }
}

template <class Int>
class integers_to_read : public testing::Test {};
using integers = testing::Types<short, unsigned short, int, unsigned, long, unsigned long,
                                long long, unsigned long long>;
TYPED_TEST_SUITE(integers_to_read, integers);

TYPED_TEST(integers_to_read, have_the_values_of_from_chars) {
  using limits = std::numeric_limits<TypeParam>;
  std::mt19937_64 random(3);
  for (const char* const text : {"", "-", "0", "-0", "00012", "--1", "-x", "x", "/", ":"})
    expect_as_from_chars<TypeParam>(text);
  expect_as_from_chars<TypeParam>(std::to_string(limits::min()));
  expect_as_from_chars<TypeParam>(std::to_string(limits::max()));
  expect_as_from_chars<TypeParam>(std::to_string(limits::max()) + '0');
  for (int i = 0; i != 2000; ++i) {
    const std::string digits = std::to_string(random() >> random() % 64);
    expect_as_from_chars<TypeParam>(digits);
    expect_as_from_chars<TypeParam>('-' + digits);
    expect_as_from_chars<TypeParam>(std::string(random() % 20, '0') + digits);
  }
}

TEST(line_implementations, extract_whole_lines) {
  for (const auto take_line : leat::detail::line_implementations()) {
    for (std::size_t size = 0; size != 300; ++size) {
      for (const std::size_t rest : {0u, 1u, 63u, 64u, 127u, 128u, 500u}) {
        std::string text(size, 'l');
        text += '\n' + std::string(rest, 'r');
        leat::detail::string_buffer from(text, std::ios::in);
        from.sgetc();
        std::string line(size % 7 * 10, '-');
        ASSERT_TRUE(take_line(from, line, '\n')) << size << ' ' << rest;
        ASSERT_EQ(line, text.substr(0, size));
        ASSERT_EQ(line.c_str()[size], '\0');
        ASSERT_EQ(from.end() - from.next(), static_cast<std::ptrdiff_t>(rest));
        ASSERT_FALSE(take_line(from, line, '\n'));
      }
    }
  }
}

}  // namespace
