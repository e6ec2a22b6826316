// The structs of options of leat/c/*.h: members that this version does not know.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <cerrno>
#include <iterator>
#include <string>

#include "support/files.hpp"

namespace {

using namespace leat_test;

template <class Options>
Options with_unknown_option() {
  Options asked{};
  asked.reserved[std::size(asked.reserved) - 1] = 1;
  return asked;
}

template <class Handle>
void expect_refused(Handle* handle) {
  EXPECT_EQ(handle, nullptr);
  EXPECT_EQ(errno, EINVAL);
  errno = 0;
}

TEST(c_options, an_unknown_option_is_refused) {
  const temporary_folder folder;
  const std::string file = folder / "file";
  const char* const path = file.c_str();
  write_file(file, "a,b\n");
  errno = 0;

  const auto reading = with_unknown_option<leat_reader_options>();
  expect_refused(leat_reader_open(path, &reading));
  leat_reader* part = nullptr;
  EXPECT_EQ(leat_reader_split(path, 1, '\n', &reading, &part), 0U);
  const auto writing = with_unknown_option<leat_writer_options>();
  expect_refused(leat_writer_append(path, &writing));
  const auto rotation = with_unknown_option<leat_rotation>();
  expect_refused(leat_writer_rotating(path, &rotation, nullptr));
  const auto following = with_unknown_option<leat_follow_options>();
  expect_refused(leat_reader_follow(path, &following));
  const auto opening = with_unknown_option<leat_options>();
  expect_refused(leat_open(path, "r", &opening));
  leat_options rotating{};
  rotating.rotation = &rotation;
  expect_refused(leat_open(path, "a", &rotating));
  const auto access = with_unknown_option<leat_access_options>();
  expect_refused(leat_random_access_open(path, LEAT_MODE_READ, &access));
  const auto journal = with_unknown_option<leat_journal_options>();
  expect_refused(leat_journal_open((folder / "journal").c_str(), &journal));
  const auto journal_reading = with_unknown_option<leat_journal_read_options>();
  expect_refused(leat_journal_reader_open(path, &journal_reading));
  leat_device_functions functions{};
  functions.reserved[1] = &functions;
  expect_refused(leat_device_new(&functions, nullptr));
  EXPECT_EQ(read_all(file), "a,b\n");
}

TEST(c_options, an_unknown_option_of_lines_or_rows_is_refused) {
  leat_reader* const in = leat_reader_of_memory("a,b\n", 4);
  const auto lines = with_unknown_option<leat_line_options>();
  const auto rows = with_unknown_option<leat_row_options>();
  leat_text line{};
  leat_row row{};
  EXPECT_EQ(leat_reader_next_line(in, &lines, &line), -1);
  EXPECT_EQ(leat_last_error()->code, EINVAL);
  EXPECT_EQ(leat_reader_next_row(in, &rows, &row), -1);
  EXPECT_EQ(leat_last_error()->code, EINVAL);
  EXPECT_EQ(leat_reader_next_row(in, nullptr, &row), 1);
  EXPECT_EQ(row.fields, 2U);
  leat_reader_close(in);
}

}  // namespace
