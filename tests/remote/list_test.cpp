// Lists of the objects of a real store.
#include <gtest/gtest.h>

#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "remote/store.hpp"

namespace {

using objects = leat_test::with_store;

TEST_F(objects, are_listed_in_pages) {
  std::vector<std::string> expected;
  for (int i = 0; i != 1005; ++i) {
    expected.push_back("s3://bucket/many/" + std::to_string(10'000 + i));
    test_store().put("many/" + std::to_string(10'000 + i), "");
  }
  std::vector<std::string> got;
  for (const auto& one : leat::remote::list("s3://bucket/many/")) got.push_back(one.address);
  EXPECT_EQ(got, expected);
}

TEST_F(objects, are_listed_with_sizes_and_etags) {
  std::vector<std::string> expected;
  for (int i = 0; i != 5; ++i) {
    const std::string key = "list/a & <b> é" + std::to_string(i);
    test_store().put(key, std::string(static_cast<std::size_t>(i), 'x'));
    expected.push_back("s3://bucket/" + key);
  }
  std::vector<std::string> got;
  for (const auto& one : leat::remote::list("s3://bucket/list/")) {
    EXPECT_EQ(one.size, got.size());
    EXPECT_FALSE(one.etag.empty());
    got.push_back(one.address);
    EXPECT_EQ(leat::read_file(one.address).size(), one.size);
  }
  EXPECT_EQ(got, expected);
}

/// versitygw does not encode keys in lists, so these keys have only characters that XML can
/// contain.
TEST_F(objects, are_listed_with_keys_that_look_encoded) {
  std::vector<std::string> expected;
  for (const char* key : {"odd/%41", "odd/a+b c", "odd/\u00e9"}) {
    test_store().put(key, "x");
    expected.push_back("s3://bucket/" + std::string(key));
  }
  std::vector<std::string> got;
  for (const auto& one : leat::remote::list("s3://bucket/odd/")) {
    got.push_back(one.address);
    EXPECT_EQ(leat::read_file(one.address), "x");
  }
  std::ranges::sort(expected);
  std::ranges::sort(got);
  EXPECT_EQ(got, expected);
}

}  // namespace
