// The experiments' helpers for other libraries: files, checks of contents, and reported failures.
#include "experiments/peers.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>

#include "measuring/scratch_folder.hpp"
#include "support/platform.hpp"
#include "tools/failure_message.hpp"

namespace bench {
namespace {

namespace fs = std::filesystem;

TEST(files_to_read, are_not_reported_as_uncached_while_they_are_mapped) {
  const scratch_folder folder(fs::temp_directory_path());
  const auto path = folder.path() / "f";
  make_file(path, std::string(100'000, 'x'), 3);
  EXPECT_EQ(fs::file_size(path), 300'000u);
  const mapped_bytes held(path);
  EXPECT_EQ(held.view(), std::string(300'000, 'x'));
  EXPECT_FALSE(drop_from_cache(path));
}

TEST(content, that_differs_is_reported_with_the_position_of_the_difference) {
  const scratch_folder folder(fs::temp_directory_path());
  raw_file file(folder.path() / "f");
  file.write("abcd");
  file.close();
  EXPECT_NO_THROW(require_content(folder.path() / "f", "abcd"));
  const auto message = [&](std::string_view expected) {
    return failure_message([&] { require_content(folder.path() / "f", expected); });
  };
  EXPECT_EQ(message("abcde"), "wrote 4 bytes instead of 5");
  EXPECT_EQ(message("abXd"), "wrote wrong bytes; the first is byte 2");
}

TEST(peers, report_a_file_that_ends_too_early) {
  const scratch_folder folder(fs::temp_directory_path());
  const fs::path path = folder.path() / "f";
  raw_file(path).write("abcd");
  char bytes[5];
  errno = ENOENT;
  EXPECT_EQ(failure_message([&] { raw_file(path, access::read).read_at(0, bytes, sizeof bytes); }),
            "cannot read '" + path.string() + "': Input/output error");
}

#if defined(HAS_SYSTEM_FILES)
TEST(peers, report_a_full_disk_and_a_missing_folder) {
  EXPECT_EQ(failure_message([] {
              c_file file("/dev/full");
              std::fputs("x", file.get());
              file.close();
            }),
            "cannot write '/dev/full': No space left on device");
  EXPECT_EQ(failure_message([] { raw_file("/dev/full").write("x"); }),
            "cannot write '/dev/full': No space left on device");
  EXPECT_EQ(failure_message([] { c_file("/nonexistent/x"); }),
            "cannot open '/nonexistent/x': No such file or directory");
}
#endif

}  // namespace
}  // namespace bench
