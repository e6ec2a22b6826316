// Parts of a file as devices (leat::open_parts). tests/text/split_test.cpp tests streams over
// parts.
#include "opening/parts.hpp"

#include <gtest/gtest.h>

#include <system_error>

#include "support/files.hpp"

namespace {

TEST(parts, keep_their_traits_after_they_are_closed) {
  const leat_test::temporary_folder folder;
  leat_test::write_file(folder / "file", "one\ntwo\n");
  std::error_code ec;
  const auto parts = leat::open_parts(folder / "file", 2, '\n', {}, ec);
  ASSERT_EQ(parts.size(), 2u);
  for (const auto& part : parts) {
    part->close(ec);
    EXPECT_FALSE(ec);
    EXPECT_TRUE(part->traits().positional);
  }
}

}  // namespace
