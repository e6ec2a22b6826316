// Checks lines that several threads or processes write to one stream.
#pragma once

#include <gtest/gtest.h>

#include <charconv>
#include <cstddef>
#include <string_view>
#include <vector>

namespace leat_test {

/// Expects that the text has only whole lines "WRITER NUMBER TAIL". The writers are numbered from 0
/// to `writers` - 1, and each writer has written the numbers from 0 to `count` - 1 in this order.
/// `tail_of(writer, number)` returns the TAIL of the writer's line with this number.
template <class Tail>
void expect_whole_lines(std::string_view text, int writers, int count, const Tail& tail_of) {
  std::vector<int> next(static_cast<std::size_t>(writers), 0);
  while (!text.empty()) {
    const auto end = text.find('\n');
    ASSERT_NE(end, text.npos);
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    int writer = -1, number = -1;
    const char* at = std::from_chars(line.data(), line.data() + line.size(), writer).ptr;
    ASSERT_TRUE(writer >= 0 && writer < writers) << line.substr(0, 100);
    at = std::from_chars(at + 1, line.data() + line.size(), number).ptr;
    ASSERT_EQ(number, next[static_cast<std::size_t>(writer)]++) << line.substr(0, 100);
    ASSERT_EQ(line.substr(static_cast<std::size_t>(at + 1 - line.data())), tail_of(writer, number));
  }
  for (const int n : next) EXPECT_EQ(n, count);
}

}  // namespace leat_test
