// Reads beyond a text: allowed within the page of the text's last byte, but not under Valgrind.
#include "base/over_read.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

#include "support/guarded_memory.hpp"

namespace {

TEST(over_read, into_the_next_page_is_avoided_by_a_copy) {
  leat::test::guarded_memory memory(4096);
  const std::string_view text = memory.at_end("123");
  char copy[8];
  const char* const found = leat::extend_to(text.data(), text.size(), copy);
  EXPECT_EQ(found, copy);
  EXPECT_EQ(std::string_view(found, 3), text);
}

TEST(over_read, is_avoided_by_a_copy_under_valgrind) {
  leat::test::guarded_memory memory(4096);
  const std::string_view text = memory.at_begin("123");
  char copy[8];
  const bool before = std::exchange(leat::is_run_by_valgrind, false);
#if !defined(LEAT_MEMORY_IS_CHECKED)
  EXPECT_EQ(leat::extend_to(text.data(), text.size(), copy), text.data());
#endif
  leat::is_run_by_valgrind = true;
  EXPECT_EQ(leat::extend_to(text.data(), text.size(), copy), copy);
  EXPECT_EQ(std::string_view(copy, 3), text);
  leat::is_run_by_valgrind = before;
}

}  // namespace
