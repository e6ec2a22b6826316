// leat::append: lines of several processes in one file, buffers, and the rights that a sync needs.
#include <gtest/gtest.h>
#include <leat/leat.h>
#include <leat/file.hpp>
#include <leat/file_stream.hpp>
#include <leat/print.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "support/files.hpp"
#include "support/platform.hpp"
#if defined(HAS_MODE_BITS)
#  include <unistd.h>
#endif
#include "support/process.hpp"
#include "support/whole_lines.hpp"

namespace {

using namespace leat_test;

/// A line is "PROCESS NUMBER TAIL". Returns the TAIL, whose length mostly depends on both
/// arguments.
std::string tail_of(int process, int number) {
  std::size_t size = static_cast<std::size_t>(number * 37 + process * 11) % 300;
  if (number % 500 == 100) size = 12'000;  // longer than any `buffer_size` below
  if (number == 700) size = 100'000;
  return std::string(size, static_cast<char>('a' + (number + process) % 26));
}

[[maybe_unused]] void append_lines(const std::string& path, int process, int count,
                                   const leat::append_options& options) {
  auto out = leat::append(path, options);
  for (int i = 0; i != count; ++i) {
    const std::string tail = tail_of(process, i);
    if (i % 3 == 0) {
      out.println("{} {} {}", process, i, tail);
      continue;
    }
    out.print("{} {} ", process, i);  // a line from several calls
    for (std::size_t at = 0; at < tail.size(); at += 1000)
      out.write(std::string_view(tail).substr(at, 1000));
    out.put('\n');
  }
  out.close();
}

class appending_processes : public testing::TestWithParam<leat::append_options> {};

#if defined(HAS_FORK)
TEST_P(appending_processes, keep_lines_whole) {
  const temporary_folder folder;
  const int count = sanitized ? 2000 : 10'000;
  std::vector<pid_t> children;
  for (int p = 0; p != 4; ++p)
    children.push_back(start_child([&] { append_lines(folder / "log", p, count, GetParam()); }));
  for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
  expect_whole_lines(read_all(folder / "log"), 4, count, tail_of);
}
#endif

[[maybe_unused]] std::string name_of(const testing::TestParamInfo<leat::append_options>& info) {
  return "buffer_" + std::to_string(info.param.buffer_size);
}

#if defined(HAS_FORK)
INSTANTIATE_TEST_SUITE_P(sizes, appending_processes,
                         testing::Values(leat::append_options{},
                                         leat::append_options{.buffer_size = 1},
                                         leat::append_options{.buffer_size = 500},
                                         leat::append_options{.buffer_size = 8192}),
                         name_of);
#endif

TEST(append, creates_the_file_and_appends_after_its_end) {
  const temporary_folder folder;
  for (const char* line : {"first\n", "second\n"}) {
    auto out = leat::append(folder / "log");
    out.write(line);
    out.close();
  }
  EXPECT_EQ(read_all(folder / "log"), "first\nsecond\n");
  auto out = leat::append(folder / "log");
  EXPECT_EQ(out.tell(), 13u);
  write_file(folder / "log", "");
  out.write("third\n");
  out.close();
  EXPECT_EQ(read_all(folder / "log"), "third\n") << "the bytes go to the end of the changed file";
}

TEST(append, an_unfinished_line_is_not_written_before_a_flush) {
  const temporary_folder folder;
  auto out = leat::append(folder / "log", {.buffer_size = 16});
  out.write("whole\n");
  out.write("unfinished line");
  EXPECT_EQ(read_all(folder / "log"), "whole\n");
  out.write(std::string(500, '.'));
  EXPECT_EQ(read_all(folder / "log"), "whole\n");
  out.flush();
  EXPECT_EQ(read_all(folder / "log"), "whole\nunfinished line" + std::string(500, '.'));
  out.write("\nx");
  out.close();
  EXPECT_TRUE(read_all(folder / "log").ends_with("..\nx"));
}

TEST(append, a_line_of_megabytes_is_written_in_parts_before_it_ends) {
  const temporary_folder folder;
  auto out = leat::append(folder / "log");
  std::string expected;
  for (int i = 0; i != 50; ++i) {
    const std::string piece(100'000, static_cast<char>('a' + i % 26));
    out.write(piece);
    expected += piece;
  }
  EXPECT_GT(read_all(folder / "log").size(), 3'000'000u);
  out.put('\n');
  out.close();
  EXPECT_TRUE(read_all(folder / "log") == expected + '\n');
}

#if defined(HAS_MODE_BITS) && defined(HAS_FORK)
TEST(durability_system, needs_no_permission_to_list_the_folder) {
  const temporary_folder folder;
  const auto path = [&](const char* name) { return folder / name; };
  write_file(path("old"), "old\n");
  std::filesystem::permissions(path("old"), std::filesystem::perms::all);
  std::filesystem::permissions(folder / "", std::filesystem::perms(0333));
  const auto child = run_in_child([&] {
    if (::geteuid() == 0) require(::setgid(65534) == 0 && ::setuid(65534) == 0);
    for (const char* name : {"old", "new"}) {
      auto log = leat::append(path(name), {.durability = leat::durability::system});
      log.println("line");
      log.close();
      auto synced = leat::append(path(name));
      synced.println("line");
      synced.sync();
      synced.close();
    }
    leat::create(path("made"), {.durability = leat::durability::system}).close();
    auto replaced = leat::replace(path("replaced"), {.durability = leat::durability::system});
    replaced.println("line");
    replaced.close();
    auto file = leat::file::create(path("random"));
    file.write_at(0, "text");
    file.sync();
    leat_options options{};
    options.durability = LEAT_DURABILITY_SYSTEM;
    for (const char* name : {"old", "c"}) {
      leat_file* const f = leat_open(path(name).c_str(), "a", &options);
      require(f != nullptr && leat_fputs("line\n", f) >= 0 && leat_fclose(f) == 0);
    }
  });
  std::filesystem::permissions(folder / "", std::filesystem::perms::owner_all);
  EXPECT_TRUE(succeeded(child)) << child.err;
  EXPECT_EQ(read_all(path("old")), "old\nline\nline\nline\n");
  EXPECT_EQ(read_all(path("new")), "line\nline\n");
}
#endif

}  // namespace
