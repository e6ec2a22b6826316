#include <leat/finder.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace {

using leat::finder;

TEST(finder, keeps_a_copy_of_the_needle) {
  std::string word = "needle";
  finder f(word);
  word = "------";
  EXPECT_EQ(f.needle(), "needle");
  EXPECT_EQ(f.find_in("a needle, another needle"), 2u);
  EXPECT_EQ(f.find_in("a needle, another needle", 3), 18u);
  EXPECT_EQ(f.find_in("a needle, another needle", 19), finder::npos);
  EXPECT_EQ(f.find_in("hay"), finder::npos);
  EXPECT_EQ(f.find_in("hay", 4), finder::npos);
}

TEST(finder, finds_the_empty_needle_wherever_it_looks) {
  finder f("");
  EXPECT_EQ(f.find_in(""), 0u);
  EXPECT_EQ(f.find_in("hay", 3), 3u);
  EXPECT_EQ(f.find_in("hay", 4), finder::npos);
}

TEST(finder, is_copied_with_its_needle) {
  for (const std::string_view word :
       {"short", "a needle that is too long to be kept in the object"}) {
    auto first = std::make_unique<finder>(word);
    finder second(*first), third("other");
    third = *first;
    first.reset();
    const std::string text = "hay " + std::string(word);
    EXPECT_EQ(second.needle(), word);
    EXPECT_EQ(second.find_in(text), 4u);
    EXPECT_EQ(third.find_in(text), 4u);
    third = static_cast<const finder&>(third);
    EXPECT_EQ(third.find_in(text), 4u);
  }
}

TEST(finder, leaves_the_empty_needle_when_moved_from) {
  finder first("needle"), second(std::move(first));
  EXPECT_EQ(second.find_in("a needle"), 2u);
  EXPECT_EQ(first.needle(), "");  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(first.find_in("hay", 1), 1u);
  finder copy(first);
  EXPECT_EQ(copy.find_in("hay", 2), 2u);
  first = std::move(second);
  EXPECT_EQ(first.find_in("a needle"), 2u);
  first = finder("hay");
  EXPECT_EQ(first.find_in("a hay"), 2u);
}

// Before main, when the runtime may not have asked the processor yet.
const std::size_t found_before_main = finder("main").find_in("long before main");

TEST(finder, works_before_main) { EXPECT_EQ(found_before_main, 12u); }

}  // namespace
