// The private folder of a measurement, and the removal of the folder.
#include "measuring/scratch_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <optional>

#include "measuring/experiment.hpp"
#include "support/platform.hpp"

namespace bench {
namespace {

namespace fs = std::filesystem;

TEST(scratch_folder, is_private_and_removed_at_the_end) {
  fs::path path;
  {
    const scratch_folder folder(fs::temp_directory_path());
    path = folder.path();
    EXPECT_TRUE(path.filename().string().starts_with("leat-bench-"));
#if defined(HAS_MODE_BITS)
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
#endif
    fs::create_directory(path / "deeper");
    std::ofstream(path / "deeper" / "file") << "x";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(scratch_folder, clear_removes_the_content_but_not_the_folder) {
  scratch_folder folder(fs::temp_directory_path());
  std::ofstream(folder.path() / "file") << "x";
  folder.clear();
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(scratch_folder, a_move_transfers_the_ownership) {
  std::optional<scratch_folder> first(fs::temp_directory_path());
  const scratch_folder second(std::move(*first));
  first.reset();
  EXPECT_TRUE(fs::exists(second.path()));
}

TEST(scratch_folder, in_a_missing_folder_is_an_error) {
  try {
    const scratch_folder folder("/nonexistent");
    FAIL() << "the constructor threw no failure";
  } catch (const failure& error) {
    EXPECT_THAT(error.what(), ::testing::StartsWith("cannot create a folder in '/nonexistent': "));
  }
}

}  // namespace
}  // namespace bench
