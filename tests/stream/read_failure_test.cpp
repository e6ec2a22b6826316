// Failures of readers. A failed read: the bytes before the failure are delivered, then the failure
// is reported, and the next call reads again. Also: a reader that can't be opened or closed.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>

#include <memory>
#include <string>

#include "support/files.hpp"
#include "support/libraries.hpp"
#include "support/loss_recorder.hpp"
#include "support/platform.hpp"
#include "support/readers.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;

constexpr std::size_t limit = 10;

std::shared_ptr<device_script> failing_script() {
  auto script = new_script();
  script->content = "0123456789abcdefghij";
  script->read_limit = limit;
  return script;
}

/// Tests of a reader whose device fails after ten bytes.
class failing_reader : public testing::TestWithParam<std::size_t> {
 protected:
  leat::file_reader open() { return open(script); }
  leat::file_reader open(const std::shared_ptr<device_script>& device) {
    return leat::file_reader(device_of(device), {.buffer_size = GetParam()}, "f");
  }

  template <class Call>
  void expect_failure(Call call, const std::string& expected) {
    try {
      call();
      ADD_FAILURE() << "the call must throw a leat::io_error";
    } catch (const leat::io_error& error) {
      EXPECT_EQ(error.what(), expected);
      EXPECT_EQ(error.code(), std::errc::io_error);
      EXPECT_EQ(error.offset(), limit);
      EXPECT_EQ(error.path(), "f");
      EXPECT_EQ(error.unwritten(), 0u);
    }
  }

  static constexpr std::uint64_t far = 90'000;  // more than 32 KiB, so skip() seeks
  const std::string reason = message_of(std::errc::io_error);
  const std::string message = "cannot read 'f': " + reason + " (at byte 10)";
  std::shared_ptr<device_script> script = failing_script();
  char area[20] = {};
};

INSTANTIATE_TEST_SUITE_P(sizes, failing_reader, testing::ValuesIn(buffer_sizes));

TEST_P(failing_reader, read_returns_the_bytes_before_a_failure) {
  auto in = open();
  EXPECT_EQ(in.read(std::span(area)), limit);
  EXPECT_EQ(std::string_view(area, limit), "0123456789");
  expect_failure([&] { in.read(std::span(area)); }, message);
  EXPECT_EQ(in.error(), std::errc::io_error);
  EXPECT_EQ(in.tell(), limit);
  in.close();
}

TEST_P(failing_reader, get_returns_the_bytes_before_a_failure) {
  auto in = open();
  for (char c = '0'; c <= '9'; ++c) EXPECT_EQ(in.get(), c);
  expect_failure([&] { in.get(); }, message);
  std::error_code ec;
  EXPECT_EQ(in.get(ec), leat::reader::end_of_file);
  EXPECT_EQ(ec, std::errc::io_error);
  script->read_limit = 100;
  EXPECT_EQ(in.get(ec), 'a') << "after the report, the next call reads again";
  EXPECT_FALSE(ec);
  EXPECT_FALSE(in.error());
}

TEST_P(failing_reader, peek_and_window_return_the_bytes_before_a_failure) {
  auto in = open();
  EXPECT_EQ(in.peek(20), "0123456789");
  const std::size_t reads = script->reads.size();
  EXPECT_EQ(in.peek(20), "0123456789");
  EXPECT_EQ(script->reads.size(), reads) << "nothing is read while the failure is unreported";
  std::error_code ec = leat::errc::closed;
  EXPECT_EQ(in.window(ec), "0123456789");
  EXPECT_FALSE(ec);
  in.skip(10);
  EXPECT_EQ(in.window(ec), "");
  EXPECT_EQ(ec, std::errc::io_error);
  expect_failure([&] { in.peek(1); }, message);
  expect_failure([&] { in.window(); }, message);
}

TEST_P(failing_reader, reports_the_number_of_bytes_that_read_exactly_could_not_read) {
  auto in = open();
  expect_failure([&] { in.read_exactly(std::span(area)); },
                 "cannot read 'f': " + reason + " (at byte 10, 10 bytes not read)");
  try {
    in.read_exactly(std::span(area).first(7));
    ADD_FAILURE();
  } catch (const leat::io_error& error) {
    EXPECT_EQ(error.unread(), 7u) << "unread() counts the missing bytes even if no byte was read";
  }
  std::error_code ec;
  in.read_exactly(std::span(area), ec);
  EXPECT_EQ(ec, std::errc::io_error);

  script->read_limit = 100;
  in.read_exactly(std::span(area).first(6), ec);
  EXPECT_FALSE(ec);
  try {
    in.read_exactly(std::span(area).first(7));
    ADD_FAILURE();
  } catch (const leat::io_error& error) {
    EXPECT_STREQ(error.what(),
                 "cannot read 'f': The input ended early (at byte 20, 3 bytes not read)");
    EXPECT_EQ(error.unread(), 3u);
  }
  EXPECT_EQ(std::string_view(area, 4), "ghij");
  in.read_exactly(std::span(area).first(0), ec);
  EXPECT_FALSE(ec);
  in.close(ec);
  EXPECT_FALSE(ec);
}

TEST_P(failing_reader, skips_unreadable_bytes_by_a_seek) {
  script->content.resize(far + 1, 'x');
  auto in = open();
  EXPECT_EQ(in.skip(far), far);
  EXPECT_EQ(in.tell(), far);
  expect_failure([&] { in.seek(0), in.skip(10), in.get(); }, message);
  script->traits.positional = false;
  script->read_cursor = 0;
  auto stream = open();
  std::error_code ec;
  EXPECT_EQ(stream.skip(15, ec), 10u);
  EXPECT_EQ(ec, std::errc::io_error);
}

TEST_P(failing_reader, reports_the_failure_before_it_skips_more) {
  script->content.resize(limit + far, 'x');
  auto in = open();
  EXPECT_EQ(in.peek(20).size(), limit);
  std::error_code ec;
  EXPECT_EQ(in.skip(15, ec), limit);
  EXPECT_EQ(ec, std::errc::io_error);
  EXPECT_EQ(in.skip(far, ec), far);
  EXPECT_FALSE(ec);
  in.close();
}

TEST_P(failing_reader, reports_unreported_failures_at_close) {
  const loss_recorder losses;
  {
    auto in = open();
    EXPECT_EQ(in.read(std::span(area)), limit);
    expect_failure([&] { in.close(); }, message);
    EXPECT_EQ(script->closes, 1) << "close() closes the device despite the failure";
    in.close();
  }
  {
    auto in = open();
    EXPECT_EQ(in.read(std::span(area)), limit);
    std::error_code ec;
    in.close(ec);
    EXPECT_EQ(ec, std::errc::io_error);
    EXPECT_FALSE(in.is_open());
  }
  EXPECT_EQ(script->destructions, 2);
}

TEST_P(failing_reader, reports_unreported_failures_to_the_loss_handler) {
  loss_recorder losses;
  {
    auto in = open();
  }
  {
    auto in = open();
    std::error_code ec;
    EXPECT_EQ(in.read(std::span(area)), limit);
    EXPECT_EQ(in.read(std::span(area), ec), 0u);
  }
  EXPECT_TRUE(losses.take().empty()) << "nothing failed, or the failure was reported";
  {
    auto in = open();
    EXPECT_EQ(in.read(std::span(area)), limit);
    auto moved = std::move(in);
    auto other = open();
    EXPECT_EQ(other.read(std::span(area)), limit);
    other = std::move(moved);
    EXPECT_EQ(losses.take().size(), 1u);
  }
  const auto reported = losses.take();
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].what(), message);
}

TEST_P(failing_reader, keeps_the_failure_after_a_seek) {
  loss_recorder losses;
  {
    auto in = open();
    EXPECT_EQ(in.read(std::span(area)), limit);
    in.seek(15);
    EXPECT_EQ(in.tell(), 15u);
    in.seek(2);
    EXPECT_EQ(in.get(), '2');
    expect_failure([&] { in.close(); }, message);
  }
  EXPECT_TRUE(losses.take().empty());
  {
    auto in = open();
    EXPECT_EQ(in.read(std::span(area)), limit);
    in.seek(17);
  }
  EXPECT_EQ(losses.take().size(), 1u);
  {
    auto in = open();
    EXPECT_EQ(in.peek(20).size(), limit);
    in.seek(2);
    EXPECT_EQ(in.skip(8), 8u);
    std::error_code ec;
    if (in.get(ec) == leat::reader::end_of_file) {
      EXPECT_EQ(ec, std::errc::io_error);
    }
    in.close(ec);
  }
  EXPECT_TRUE(losses.take().empty());
}

TEST_P(failing_reader, reports_that_closing_failed) {
  script->close_failure = std::make_error_code(std::errc::io_error);
  auto in = open();
  EXPECT_EQ(in.get(), '0');
  try {
    in.close();
    ADD_FAILURE();
  } catch (const leat::io_error& error) {
    EXPECT_EQ(error.what(), "cannot close 'f': " + reason);
  }
  in.close();
}

#if defined(HAS_POSIX_FILES)
TEST(read_failure, of_a_folder_is_reported_by_the_first_read) {
  const temporary_folder folder;
  auto in = leat::open(folder.path());
  std::error_code ec;
  EXPECT_EQ(in.get(ec), leat::reader::end_of_file);
  EXPECT_EQ(ec, std::errc::is_a_directory);
  EXPECT_EQ(in.skip(1, ec), 0u);
  EXPECT_EQ(ec, std::errc::is_a_directory);
}
#endif

TEST(read_failure, at_opening_names_the_file) {
  const temporary_folder folder;
  const std::string path = folder / "none";
  std::error_code ec;
  EXPECT_FALSE(leat::open(path, ec).is_open());
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
  try {
    static_cast<void>(leat::open(path));
    ADD_FAILURE();
  } catch (const leat::io_error& error) {
    std::string expected = "cannot open '";
    expected.append(path).append("': ").append(ec.message());
    EXPECT_EQ(error.what(), expected);
  }
}

/// If there is no memory for `buffer_size`, a reader takes a smaller buffer.
TEST(read_failure, does_not_result_from_a_buffer_size_larger_than_memory) {
  for (const std::size_t size : {std::size_t{1} << 62, ~std::size_t{0}, ~std::size_t{0} / 2 + 1}) {
    auto script = new_script();
    script->content = "0123456789";
    leat::file_reader in(device_of(script), {.buffer_size = size}, "f");
    EXPECT_EQ(in.get(), '0');
    in.seek(5);
    EXPECT_EQ(in.get(), '5');
  }
}

}  // namespace
