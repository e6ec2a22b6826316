// File locks of leat.h.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <cerrno>

#include "support/c_files.hpp"
#include "support/files.hpp"

namespace {

using namespace leat_test;

TEST(c_locks, shared_locks_exclude_an_exclusive_lock) {
  const temporary_folder folder;
  const file_ptr a = open_file(folder / "a", "w+"), b = open_file(folder / "a", "r+");
  const int first = leat_fileno(a.get()), second = leat_fileno(b.get());
  leat_lock* const lock = leat_lock_descriptor(first, LEAT_LOCK_SHARED);
  ASSERT_NE(lock, nullptr);
  EXPECT_EQ(leat_try_lock_descriptor(second, LEAT_LOCK_EXCLUSIVE), nullptr);
  EXPECT_EQ(errno, EWOULDBLOCK);
  leat_lock* const also = leat_try_lock_descriptor(second, LEAT_LOCK_SHARED);
  ASSERT_NE(also, nullptr);
  EXPECT_EQ(leat_unlock(lock), 0);
  EXPECT_EQ(leat_unlock(also), 0);
  leat_lock* const alone = leat_try_lock_descriptor(second, LEAT_LOCK_EXCLUSIVE);
  EXPECT_NE(alone, nullptr);
  EXPECT_EQ(leat_unlock(alone), 0);
  EXPECT_EQ(leat_unlock(nullptr), 0);
}

TEST(c_locks, invalid_descriptors_are_refused) {
  EXPECT_EQ(leat_lock_descriptor(-1, LEAT_LOCK_SHARED), nullptr);
  EXPECT_EQ(errno, EBADF);
}

}  // namespace
