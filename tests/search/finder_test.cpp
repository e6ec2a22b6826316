// leat::finder in special cases. needle_test.cpp tests the search itself.
#include <leat/finder.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using leat::finder;

TEST(finder, finds_the_empty_needle_at_every_position) {
  finder f("");
  EXPECT_EQ(f.find_in(""), 0u);
  EXPECT_EQ(f.find_in("hay", 3), 3u);
  EXPECT_EQ(f.find_in("hay", 4), finder::npos);
}

// Runs before main, when the runtime library may not have detected the processor yet.
const std::size_t found_before_main = finder("main").find_in("long before main");

TEST(finder, can_be_used_before_main) { EXPECT_EQ(found_before_main, 12u); }

}  // namespace
