// Logs of leat.h that begin a new file when the current file is full, or has been renamed.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "support/files.hpp"

namespace {

using namespace leat_test;

struct finished_files {
  std::vector<std::string> paths;
  int errors = 0;
};

void note_finished(const char* path, int error, void* context) {
  auto& all = *static_cast<finished_files*>(context);
  all.paths.emplace_back(path);
  all.errors += error != 0;
}

leat_options log_options(const leat_rotation& rotation) {
  leat_options options{};
  options.rotation = &rotation;
  return options;
}

TEST(c_rotation, a_full_log_is_rotated) {
  const temporary_folder folder;
  const std::string path = folder / "app.log";
  finished_files finished;
  leat_rotation rotation{};
  rotation.size = 8;
  rotation.keep = 2;
  rotation.finished = note_finished;
  rotation.context = &finished;
  const leat_options options = log_options(rotation);
  leat_file* const log = leat_open(path.c_str(), "a", &options);
  ASSERT_NE(log, nullptr);
  for (int i = 0; i != 5; ++i) EXPECT_EQ(leat_fprintf(log, "line %d\n", i), 7);
  EXPECT_EQ(leat_fclose(log), 0);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"app.log", "app.log.1", "app.log.2"}));
  EXPECT_EQ(read_all(path + ".2"), "line 2\n");
  EXPECT_EQ(read_all(path + ".1"), "line 3\n");
  EXPECT_EQ(read_all(path), "line 4\n");
  EXPECT_EQ(finished.paths.size(), 4U);
  EXPECT_EQ(finished.errors, 0);
}

TEST(c_rotation, each_call_is_written_to_the_file_with_durability_process) {
  const temporary_folder folder;
  const std::string path = folder / "app.log";
  leat_rotation rotation{};
  rotation.size = 8;
  leat_options options = log_options(rotation);
  options.durability = LEAT_DURABILITY_PROCESS;
  leat_file* const log = leat_open(path.c_str(), "a", &options);
  ASSERT_NE(log, nullptr);
  leat_fputs("line 0\n", log);
  leat_fputs("line 1\n", log);
  EXPECT_EQ(read_all(path + ".1"), "line 0\n");
  EXPECT_EQ(read_all(path), "line 1\n");
  EXPECT_EQ(leat_fclose(log), 0);
}

TEST(c_rotation, a_stream_writes_to_a_new_file_after_its_file_was_moved) {
  const temporary_folder folder;
  const std::string path = folder / "app.log";
  leat_options options{};
  options.reopen = 1;
  leat_file* const log = leat_open(path.c_str(), "a", &options);
  ASSERT_NE(log, nullptr);
  leat_fputs("one\n", log);
  EXPECT_EQ(leat_fflush(log), 0);
  std::filesystem::rename(path, path + ".1");
  leat_fputs("two\n", log);
  EXPECT_EQ(leat_fclose(log), 0);
  EXPECT_EQ(read_all(path + ".1"), "one\n");
  EXPECT_EQ(read_all(path), "two\n");
}

TEST(c_rotation, refuses_modes_and_formats_without_support) {
  const temporary_folder folder;
  const std::string path = folder / "app.log";
  leat_rotation rotation{};
  const leat_options options = log_options(rotation);
  for (const char* const mode : {"w", "r", "a+", "r+"}) {
    errno = 0;
    EXPECT_EQ(leat_open(path.c_str(), mode, &options), nullptr);
    EXPECT_EQ(errno, EINVAL);
  }
  rotation.compression = LEAT_COMPRESSION_GZIP;
  EXPECT_EQ(leat_open(path.c_str(), "a", &options), nullptr);
  EXPECT_TRUE(errno == ENOTSUP || errno == EOPNOTSUPP) << errno;  // different numbers on Windows
  EXPECT_EQ(folder.names(), std::vector<std::string>{});
}

TEST(c_rotation, a_failed_open_is_reported_with_its_path) {
  const temporary_folder folder;
  const std::string none = folder / "none/app.log", path = folder / "app.log";
  leat_rotation rotation{};
  leat_options reopens{}, rotates = log_options(rotation);
  reopens.reopen = 1;
  for (leat_options options : {reopens, rotates}) {
    errno = 0;
    EXPECT_EQ(leat_open(none.c_str(), "a", &options), nullptr);
    EXPECT_EQ(errno, ENOENT);
    EXPECT_EQ(leat_last_error()->path, none);
    // The text of the reason comes from the system.
    EXPECT_TRUE(
        std::string(leat_last_error()->message).starts_with("cannot open '" + none + "': "));
    options.live = 1;  // this option is for reading
    EXPECT_EQ(leat_open(path.c_str(), "a", &options), nullptr);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(leat_last_error()->path, path);
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>());
}

TEST(c_rotation, a_log_whose_name_has_no_suffix_is_not_compressed) {
  const temporary_folder folder;
  const std::string path = folder / "app.log";
  leat_options options{};
  options.reopen = 1;
  options.compression = LEAT_COMPRESSION_AUTOMATIC;
  leat_file* const log = leat_open(path.c_str(), "a", &options);
  ASSERT_NE(log, nullptr);
  EXPECT_GE(leat_fputs("line\n", log), 0);
  EXPECT_EQ(leat_fclose(log), 0);
  EXPECT_EQ(read_all(path), "line\n");
  EXPECT_EQ(leat_open((path + ".gz").c_str(), "a", &options), nullptr);
  EXPECT_EQ(errno, ENOTSUP);
  EXPECT_EQ(leat_last_error()->path, path + ".gz");
}

}  // namespace
