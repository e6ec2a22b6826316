// How files and records are opened and created, what may change later, and when changes are
// durable.
#include <leat/leat.hpp>

#include <gtest/gtest.h>

#if defined(__linux__)
#  include <sys/syscall.h>
#  include <unistd.h>
#endif

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "support/counted_device.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/refusals.hpp"

namespace {

using namespace leat_test;
using leat::access_options;
using leat::durability;
using leat::file;
using leat::mode;
using leat::records;

TEST(opening, a_missing_file_is_an_error_or_created) {
  const temporary_folder folder;
  const auto path = folder / "file";
  std::error_code ec;
  static_cast<void>(file::open(path, ec));
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  static_cast<void>(file::open(path, mode::update, ec));
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_FALSE(std::filesystem::exists(path));

  file created = file::open(path, mode::update_or_create, ec);
  EXPECT_FALSE(ec);
  created.write_at(0, "content", ec);
  EXPECT_FALSE(ec);
  created.close();
  file again = file::open(path, mode::update_or_create);
  again.write_at(3, "TENT");
  EXPECT_EQ(again.size(), 7U);
  again.close();
  EXPECT_EQ(read_all(path), "conTENT");

  ec = leat::errc::closed;
  file empty = file::create(path, ec);
  EXPECT_FALSE(ec);
  EXPECT_EQ(empty.size(), 0U);
  static_cast<void>(file::create(folder / "missing/file", ec));
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
}

#if defined(__linux__)
TEST(opening, the_folder_entry_of_a_new_file_is_synced_too) {
  constexpr int no_filters = 7;
  const auto child = run_in_child([] {
    const temporary_folder folder;
    file created = file::create(folder / "file");
    created.write_at(0, "content");
    constexpr long calls[] = {SYS_fsync};  // the folder; bytes are synced by fdatasync
    if (!refuse_calls(calls, EIO)) ::_exit(no_filters);
    std::error_code ec;
    created.sync(ec);
    require(ec == std::errc::io_error);
  });
  if (child.code == no_filters) GTEST_SKIP() << "the system allows no seccomp filters";
  EXPECT_TRUE(succeeded(child));
}
#endif

#if !defined(_WIN32)
TEST(opening, a_folder_is_an_error) {
  const temporary_folder folder;
  std::error_code ec;
  EXPECT_FALSE(file::open(folder.path(), mode::read, ec).is_open());
  EXPECT_EQ(ec, std::errc::is_a_directory);
}
#endif

TEST(opening, missing_records_are_an_error_or_created) {
  const temporary_folder folder;
  const auto path = folder / "file";
  std::error_code ec;
  static_cast<void>(records<int>::open(path, ec));
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  {
    auto counts = records<int>::open(path, mode::update_or_create, {.header = 8});
    EXPECT_TRUE(counts.empty());
    counts.append(5);
  }
  auto counts = records<int>::open(path, mode::update_or_create, {.header = 8}, ec);
  EXPECT_FALSE(ec);
  EXPECT_EQ(counts.size(), 1U);
  counts.update(std::array{0}, [](int& n) { ++n; });
  counts.close();
  EXPECT_EQ(records<int>::open(path, mode::read, ec).size(), 3U);
  EXPECT_EQ(records<int>::open(path)[2], 6);
  EXPECT_TRUE(records<int>::create(path, ec).empty());
  EXPECT_FALSE(ec);
}

TEST(opening, bytes_are_read_and_written_with_an_error_code) {
  const temporary_folder folder;
  file target = file::create(folder / "file");
  const std::array<std::byte, 3> from{std::byte{'a'}, std::byte{'b'}, std::byte{'c'}};
  std::error_code ec = leat::errc::closed;
  target.write_at(1, from, ec);
  EXPECT_FALSE(ec);
  std::array<std::byte, 2> into{};
  target.read_at(2, into, ec);
  EXPECT_FALSE(ec);
  EXPECT_EQ(into[0], std::byte{'b'});
  target.read_at(3, std::span(into), ec);
  EXPECT_EQ(ec, leat::errc::ended_early);
}

/// Calls `check` for every kind of change, with the operation's name and a function that makes the
/// change. The function takes an error code, or takes nothing and throws.
template <class Check>
void check_changes(const std::shared_ptr<request_log>& log, const Check& check) {
  file target(std::make_unique<counted_device>(log), mode::read, {}, "disk");
  records<int> numbers(file(std::make_unique<counted_device>(log), mode::read, {}, "disk"));
  const std::vector<int> values{1, 2};
  const std::vector<leat::byte_range> ranges{{0, 4}};
  const auto each = [](int& n) { ++n; };
  check("write", [&](auto&... ec) { target.write_at(0, "text", ec...); });
  check("resize", [&](auto&... ec) { target.resize(4, ec...); });
  check("write", [&](auto&... ec) { target.write_ranges(ranges, "text", ec...); });
  check("write", [&](auto&... ec) { numbers.set(0, 5, ec...); });
  check("write", [&](auto&... ec) { numbers.append(5, ec...); });
  check("resize", [&](auto&... ec) { numbers.resize(3, ec...); });
  check("write", [&](auto&... ec) { numbers.scatter(std::array{1, 9}, values, ec...); });
  check("write", [&](auto&... ec) { numbers.update(std::array{1, 9}, each, ec...); });
}

TEST(opening, changes_of_a_read_only_file_are_refused) {
  const auto log = std::make_shared<request_log>();
  log->content.assign(20, 'x');
  check_changes(log, [&](const std::string& operation, const auto& change) {
    const std::size_t sizes = log->sizes;
    std::error_code ec;
    change(ec);
    EXPECT_EQ(ec, leat::errc::read_only);
    EXPECT_EQ(ec, std::errc::bad_file_descriptor);
    try {
      change();
      ADD_FAILURE() << operation << " did not throw";
    } catch (const leat::io_error& error) {
      EXPECT_EQ(error.code(), leat::errc::read_only);
      EXPECT_EQ(error.operation(), operation);
      EXPECT_EQ(error.path(), "disk");
      const std::string message = "cannot " + operation + " 'disk': Open for reading only";
      EXPECT_TRUE(std::string(error.what()).starts_with(message)) << error.what();
    }
    EXPECT_EQ(log->reads + log->writes, 0U);
    EXPECT_EQ(log->sizes, sizes);
  });
  EXPECT_EQ(log->content, std::string(20, 'x'));
}

/// Returns the number of syncs while a file is changed in six ways.
std::size_t count_syncs(durability level) {
  const auto log = std::make_shared<request_log>();
  log->content.assign(40, 'x');
  const access_options access{.durability = level};
  records<int> numbers(file(std::make_unique<counted_device>(log), mode::update, access, "disk"));
  numbers.set(1, 5);
  numbers.append(6);
  numbers.resize(12);
  numbers.scatter(std::array{1, 2}, std::vector{3, 4});
  numbers.update(std::array{1, 2}, [](int& n) { ++n; });
  numbers.underlying().write_ranges(std::vector<leat::byte_range>{{0, 4}}, "text");
  return log->syncs;
}

TEST(opening, changes_are_synced_only_with_durability_system) {
  EXPECT_EQ(count_syncs(durability::none), 0U);
  EXPECT_EQ(count_syncs(durability::process), 0U);  // written bytes survive the process anyway
  EXPECT_EQ(count_syncs(durability::system), 6U);
}

TEST(opening, a_closed_file_has_the_written_bytes_and_can_be_closed_again) {
  const temporary_folder folder;
  std::error_code ec;
  file created = file::open(folder / "file", mode::update_or_create);
  const std::array<std::byte, 2> bytes{std::byte{'a'}, std::byte{'b'}};
  created.write_at(0, std::span<const std::byte>(bytes));
  std::array<std::byte, 2> back{};
  created.read_at(0, std::span<std::byte>(back));
  EXPECT_EQ(back, bytes);
  created.close(ec);
  EXPECT_FALSE(ec);
  created.close(ec);
  EXPECT_FALSE(ec) << "closing a closed file is no error";
  EXPECT_EQ(leat::read_file(folder / "file"), "ab");
}

TEST(file, made_of_a_null_device_is_closed) {
  leat::file none(nullptr);
  EXPECT_FALSE(none.is_open());
  std::error_code ec;
  char byte = 0;
  none.read_at(0, {&byte, 1}, ec);
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_FALSE(leat::journal(nullptr).is_open());
  EXPECT_FALSE(leat::journal_reader(nullptr).is_open());
}

}  // namespace
