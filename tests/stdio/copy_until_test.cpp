#include "stdio/copy_until.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace leat::stdio {
namespace {

/// What is copied lies at the end of its memory, so that the sanitizers see each byte too much.
void expect_copied(until_way way, const std::string& text, char delimiter) {
  const std::size_t found = text.find(delimiter);
  const std::string right = text.substr(0, found == std::string::npos ? found : found + 1);
  const std::vector<char> from(text.begin(), text.end());
  std::vector<char> to(right.size());
  const copied made = way(to.data(), from.data(), from.size(), delimiter);
  ASSERT_EQ(made.size, right.size()) << text.size();
  EXPECT_EQ(made.complete, found != std::string::npos) << text.size();
  EXPECT_EQ(std::string_view(to.data(), to.size()), right);

  std::string around(right.size() + 300, '#');
  way(around.data(), from.data(), from.size(), delimiter);
  EXPECT_EQ(around, right + std::string(300, '#')) << "a byte behind the copy has changed";
}

TEST(copy_until, copies_lines_of_all_lengths_and_no_byte_more) {
  for (const until_way way : until_ways()) {
    for (std::size_t size = 0; size != 300; ++size) {
      for (const std::size_t behind : {0U, 1U, 5U, 200U}) {
        std::string text(size, 'x');
        expect_copied(way, text, '\n');
        text += '\n' + std::string(behind, 'y');
        expect_copied(way, text, '\n');
        expect_copied(way, text, 'x');
      }
    }
  }
}

TEST(copy_until, finds_the_first_of_several_delimiters_whatever_byte_it_is) {
  std::mt19937 random(3);
  for (const until_way way : until_ways()) {
    for (int round = 0; round != 2000; ++round) {
      std::string text(random() % 400, '\0');
      const auto kinds = 2 + random() % 100;
      for (char& byte : text) byte = static_cast<char>(200 + random() % kinds);
      expect_copied(way, text, static_cast<char>(200 + random() % kinds));
      expect_copied(way, text, '\0');
    }
  }
}

}  // namespace
}  // namespace leat::stdio
