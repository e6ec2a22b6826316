// Searching a text that arrives in parts (windows).
#include "search/windows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace {

using leat::search::find_in_windows;
using leat::search::needle;

/// Delivers a text in steps of `step` bytes, and keeps the bytes that drop() has not removed.
struct window {
  std::string_view all;
  std::size_t step;
  std::size_t begin = 0, end = 0;

  std::string_view text() const { return all.substr(begin, end - begin); }
  void drop(std::size_t n) {
    ASSERT_LE(n, end - begin);
    begin += n;
  }
  bool fill(std::size_t wanted) {
    EXPECT_LT(end - begin, wanted) << "fill() was called although the text has `wanted` bytes";
    while (end - begin < wanted && end != all.size()) end = std::min(end + step, all.size());
    return end - begin >= wanted;
  }
};

TEST(find_in_windows, finds_occurrences_inside_windows_and_across_their_borders) {
  const std::string text = "aabaaabaababaabbbaab";
  for (const std::string_view wanted : {"a", "ab", "aab", "abab", "bbb", "baab", "abba"})
    for (std::size_t step = 1; step != text.size() + 2; ++step) {
      window seen{text, step};
      needle n(wanted);
      std::size_t from = 0;
      while (find_in_windows(n, seen)) {
        ASSERT_EQ(seen.begin, text.find(wanted, from)) << wanted << ", " << step;
        ASSERT_LE(seen.end, seen.begin + wanted.size() + step - 1)
            << "read more than the position needs";
        from = seen.begin + 1;
        seen.drop(1);
      }
      ASSERT_EQ(text.find(wanted, from), std::string::npos) << wanted << ", " << step;
      EXPECT_EQ(seen.end, text.size());
      EXPECT_LT(seen.end - seen.begin, wanted.size());
    }
}

TEST(find_in_windows, requests_no_bytes_for_an_empty_needle) {
  window seen{"abc", 1};
  needle empty;
  EXPECT_TRUE(find_in_windows(empty, seen));
  EXPECT_EQ(seen.end, 0U);
}

}  // namespace
