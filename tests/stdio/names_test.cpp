// leat_remove and leat_rename.
#include <gtest/gtest.h>
#include <leat/leat.h>
#include <leat/file_stream.hpp>

#include <cerrno>
#include <string>

#include "support/files.hpp"

namespace {

using namespace leat_test;

TEST(names, in_utf_8_are_renamed_and_removed) {
  const temporary_folder folder;
  const std::string from = folder / "\u20ac", to = folder / "Gr\u00f6\u00dfe";
  leat::write_file(from, "text");
  EXPECT_EQ(leat_rename(from.c_str(), to.c_str()), 0);
  EXPECT_EQ(leat::read_file(to), "text");
  EXPECT_EQ(leat_remove(to.c_str()), 0);
  EXPECT_EQ(leat_remove(to.c_str()), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(leat_rename(from.c_str(), to.c_str()), -1);
  EXPECT_EQ(errno, ENOENT);
}

TEST(names, rename_replaces_an_existing_file_if_rename_of_libc_does) {
  const temporary_folder folder;
  const std::string from = folder / "from", to = folder / "to";
  write_file(from, "new");
  write_file(to, "old");
#if defined(_WIN32)
  EXPECT_EQ(leat_rename(from.c_str(), to.c_str()), -1);
  EXPECT_EQ(errno, EEXIST);
  EXPECT_EQ(read_all(to), "old");
#else
  EXPECT_EQ(leat_rename(from.c_str(), to.c_str()), 0);
  EXPECT_EQ(read_all(to), "new");
#endif
}

}  // namespace
