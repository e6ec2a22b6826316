// How `leat cp` plans its copies: names in the target's folder, conflicts, new names.
#include "classics/copy_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "measuring/scratch_folder.hpp"
#include "support/platform.hpp"
#include "system/path_text.hpp"

namespace bench {
namespace {

namespace fs = std::filesystem;

TEST(name_in_folder, is_the_last_part_of_the_address) {
  const auto name = name_in_folder;
  EXPECT_EQ(name("http://h/d/small?path=/x/y#f"), "small");
  EXPECT_EQ(name("https://h:80/small#a/b?c/d"), "small");
  EXPECT_EQ(name("HTTP://h/d/small?x"), "small");
  EXPECT_EQ(name("http://h/d/a%20b%c3%a4"), "a b\xc3\xa4");
  EXPECT_EQ(name("http://h/100%"), "100%");
  EXPECT_EQ(name("http://h/1%2"), "1%2");
  EXPECT_EQ(name("http://h/%zz"), "%zz");
  EXPECT_EQ(name("http://h/..."), "...");
  // The name of an object may contain ?, # and %.
  EXPECT_EQ(name("s3://bucket/d/what?#100%25"), "what?#100%25");
  EXPECT_EQ(name("s3://bucket/key"), "key");
  EXPECT_EQ(name("a/b.c"), "b.c");
}

TEST(name_in_folder, does_not_lead_out_of_the_folder) {
  for (const std::string name :
       {"..%2f..%2fetc", "a%2Fb", "%2e%2E", "%2e", "a%00b", "a%0ab", "%1b", "%ff", "a%e2%80%aeb"})
    EXPECT_EQ(name_in_folder("http://h/d/" + name), name);
  for (const std::string address :
       {"http://h", "http://h/", "http://h/d/", "http://h?a/b", "http://h/?a/b", "http://h/#a/b",
        "http://h/d/..", "http://h/.", "http://h/..?x", "s3://bucket", "s3://bucket/",
        "s3://bucket/d/", "s3://bucket/d/..", "s3://bucket/."})
    EXPECT_EQ(name_in_folder(address), "") << address;
#if defined(_WIN32)
  EXPECT_EQ(name_in_folder("http://h/a%5cb"), "a%5cb");
  EXPECT_EQ(name_in_folder("s3://bucket/c:\\d"), "");
#endif
}

class plans : public ::testing::Test {
 protected:
  plans() {
    for (const auto* folder : {"a", "b", "to"}) fs::create_directory(scratch_.path() / folder);
    for (const auto* file : {"a/f", "b/f", "b/g", "to/old"})
      std::ofstream(scratch_.path() / file) << file;
  }
  std::string full_name(std::string_view name) const {
    return name.find("://") != name.npos
               ? std::string(name)
               : utf8_from_path(scratch_.path()) + "/" + std::string(name);
  }
  /// Returns the number of conflicts among these copies.
  std::size_t conflicts(const std::vector<std::string>& sources,
                        std::string_view target = "to") const {
    std::vector<std::string> found, names;
    for (const auto& one : sources) names.push_back(full_name(one));
    plan_copies(names, full_name(target), true, found);
    return found.size();
  }
  scratch_folder scratch_{fs::temp_directory_path()};
};

TEST_F(plans, count_copies_with_the_same_target_as_conflicts) {
  EXPECT_EQ(conflicts({"a/f", "b/g"}), 0U);
  EXPECT_EQ(conflicts({"a/f", "b/f"}), 1U);
  EXPECT_EQ(conflicts({"a/f", "b/f", "a/../a/f"}), 2U);
  EXPECT_EQ(conflicts({"a/f", "a/f"}), 1U);
  EXPECT_EQ(conflicts({"a/f", "a//./f"}), 1U);
  EXPECT_EQ(conflicts({"a/f", "b/f"}, "to/../to//"), 1U);
  EXPECT_EQ(conflicts({"s3://x/f", "s3://y/f"}), 1U);
  EXPECT_EQ(conflicts({"s3://x/f", "a/f"}), 1U);
  EXPECT_EQ(conflicts({"http://h/f?a", "http://h/d/%66#x"}), 1U);
  EXPECT_EQ(conflicts({"a/f", "b/f"}, "s3://bucket/"), 1U);
  EXPECT_EQ(conflicts({"a/f", "b/f"}, "S3://bucket/d/"), 1U);
  EXPECT_EQ(conflicts({"a/f", "b/g"}, "s3://bucket/d/"), 0U);
}

TEST_F(plans, count_copies_that_overwrite_a_source_or_each_other_as_conflicts) {
  EXPECT_EQ(conflicts({"a/f", "b/g"}, "a"), 0U);  // the copy of a/f to itself is refused later
  EXPECT_EQ(conflicts({"s3://x/f", "s3://to/f"}, "s3://to/"), 2U);
#if !defined(_WIN32)
  // The targets of the two copies, to/g and to/f, are names of one file.
  fs::create_hard_link(scratch_.path() / "to/old", scratch_.path() / "to/g");
  fs::create_symlink("old", scratch_.path() / "to/f");
  EXPECT_EQ(conflicts({"a/f", "b/g"}), 1U);
  EXPECT_EQ(conflicts({"a/f", "to/old"}, "to"), 2U);
  EXPECT_EQ(conflicts({"a/f"}), 0U);
  fs::create_directory_symlink("to", scratch_.path() / "also");
  EXPECT_EQ(conflicts({"b/g", "also/old"}, "to"), 2U);
#endif
}

TEST_F(plans, detect_the_same_object_and_the_same_file) {
  EXPECT_TRUE(is_same_file("s3://bucket/key", "S3://bucket/key"));
  EXPECT_FALSE(is_same_file("s3://bucket/key", "s3://bucket//key"));
  EXPECT_FALSE(is_same_file("s3://bucket/key", "s3://bucket/Key"));
  EXPECT_TRUE(is_same_file(full_name("a/f"), full_name("b/..//a/./f")));
  EXPECT_FALSE(is_same_file(full_name("a/f"), full_name("b/f")));
  EXPECT_FALSE(is_same_file(full_name("a/f"), full_name("a/none")));
}

TEST_F(plans, report_which_target_names_are_new) {
  std::vector<std::string> found;
  std::ofstream(scratch_.path() / "b/old") << "other";
  const auto all =
      plan_copies({full_name("a/f"), full_name("b/old")}, full_name("to"), true, found);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].is_new);
  EXPECT_FALSE(all[1].is_new);
  EXPECT_EQ(all[0].to, full_name("to") + "/f");
}

}  // namespace
}  // namespace bench
