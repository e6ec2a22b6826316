// leat::split: the parts of a file, for threads that read one part each.
#include <leat/leat.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "support/files.hpp"

namespace {

using leat_test::temporary_folder;
using leat_test::write_file;

/// Returns the texts of a file's parts. Expects that the positions of a part count from the start
/// of the file, and that each part except the last ends with a whole line.
std::vector<std::string> parts_of(const std::string& file, std::size_t count,
                                  char delimiter = '\n') {
  std::vector<std::string> all;
  auto parts = leat::split(file, count, {.delimiter = delimiter});
  EXPECT_GE(parts.size(), 1u);
  EXPECT_LE(parts.size(), std::max<std::size_t>(count, 1));
  std::uint64_t at = 0;
  for (auto& part : parts) {
    EXPECT_EQ(part.tell(), at);
    std::string text;
    for (int byte; (byte = part.get()) != EOF;) text += static_cast<char>(byte);
    at += text.size();
    EXPECT_EQ(part.tell(), at);
    EXPECT_EQ(part.size(), at);
    all.push_back(std::move(text));
  }
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    EXPECT_FALSE(all[i].empty());
    EXPECT_EQ(all[i].back(), delimiter);
  }
  return all;
}

std::string joined(const std::vector<std::string>& parts) {
  return std::accumulate(parts.begin(), parts.end(), std::string());
}

TEST(split, parts_have_about_the_same_size) {
  const temporary_folder folder;
  std::string text;
  for (int i = 0; i != 10'000; ++i) text += "1234567\n";
  write_file(folder / "even", text);
  const auto parts = parts_of(folder / "even", 4);
  ASSERT_EQ(parts.size(), 4u);
  for (const auto& part : parts) EXPECT_EQ(part.size(), 20'000u);
}

TEST(split, keeps_a_line_longer_than_a_part_whole) {
  const temporary_folder folder;
  const std::string text = "a\n" + std::string(100'000, 'x') + "\nb\n";
  write_file(folder / "long", text);
  const auto parts = parts_of(folder / "long", 8);
  EXPECT_EQ(joined(parts), text);
  EXPECT_LE(parts.size(), 2u);
}

TEST(split, refuses_missing_files_and_folders) {
  const temporary_folder folder;
  std::error_code ec;
  EXPECT_TRUE(leat::split(folder / "missing", 2, ec).empty());
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_EQ(leat::last_error().code(), ec);
  EXPECT_EQ(leat::last_error().path(), folder / "missing");
  EXPECT_THROW(leat::split(folder / "missing", 2), leat::io_error);
  EXPECT_TRUE(leat::split(folder.path(), 2, ec).empty());
  EXPECT_EQ(ec, std::errc::is_a_directory);
}

#if !defined(_WIN32)
TEST(split, refuses_pipes_and_devices) {
  const leat_test::pipe_pair pipe;
  std::error_code ec;
  for (const std::string& name :
       {"/dev/fd/" + std::to_string(pipe.reader()), std::string("/dev/null")}) {
    EXPECT_TRUE(leat::split(name, 2, ec).empty());
    EXPECT_EQ(ec, std::errc::invalid_seek) << name;
    EXPECT_THROW(leat::split(name, 2), leat::io_error) << name;
  }
}
#endif

}  // namespace
