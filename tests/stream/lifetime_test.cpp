// Streams that are closed, were moved from, were never opened or could not be opened.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/follow.hpp>
#include <leat/mapped_file.hpp>
#include <leat/memory.hpp>
#include <leat/print.hpp>
#include <leat/rotating.hpp>

#include <chrono>
#include <string>
#include <utility>

#include "support/files.hpp"
#include "support/loss_recorder.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;

/// Expects that `out` is not open: calls fail without a crash, and written bytes count as lost.
/// Only queries, discard(), and close() without a new loss succeed.
void expect_closed(leat::file_writer& out) {
  std::error_code ec;
  EXPECT_FALSE(out.is_open());
  EXPECT_EQ(out.native_handle(), leat::no_handle);
  EXPECT_EQ(out.error(), leat::errc::closed);
  out.flush(ec);
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_THROW(out.flush(), leat::io_error);
  out.seek(3, ec);
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_THROW(out.seek(3), leat::io_error);
  out.patch(0, "x", ec);
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_THROW(out.patch(0, ""), leat::io_error);
  EXPECT_EQ(out.release(ec), leat::no_handle);
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_THROW(out.release(), leat::io_error);
  out.discard();
  EXPECT_NO_THROW(out.close());
  out.close(ec);
  EXPECT_FALSE(ec);
  out.tell();

  const auto before = out.lost();
  out.put('a');
  out.write("bc");
  out.write(std::string(100'000, 'd'));
  out.print("{}{}", 1, "e");
  out.println();
  EXPECT_EQ(out.lost() - before, 100'006u);
  out.flush(ec);
  EXPECT_EQ(ec, leat::errc::closed);
  EXPECT_EQ(out.error(), leat::errc::closed);
  EXPECT_NO_THROW(out.close()) << "the loss has been reported";
  out.put('f');
  EXPECT_THROW(out.close(), leat::io_error);
}

TEST(lifetime, a_stream_that_was_never_opened_is_closed) {
  const loss_recorder losses;
  leat::file_writer out;
  EXPECT_EQ(out.lost(), 0u);
  expect_closed(out);
}

TEST(lifetime, a_moved_from_stream_is_closed) {
  loss_recorder losses;
  auto script = new_script();
  leat::file_writer first(device_of(script));
  first.write("abc");
  leat::file_writer second(std::move(first));
  expect_closed(first);  // NOLINT(bugprone-use-after-move)
  second.write("def");
  leat::file_writer third;
  third = std::move(second);
  expect_closed(second);  // NOLINT(bugprone-use-after-move)
  third.put('!');
  EXPECT_EQ(third.tell(), 7u);
  third.close();
  EXPECT_EQ(script->content, "abcdef!");
  expect_closed(third);
  EXPECT_TRUE(losses.take().empty());
}

TEST(lifetime, a_move_keeps_a_full_buffer) {
  auto script = new_script();
  leat::file_writer first(device_of(script), {.buffer_size = 4});
  first.write("abcd");
  leat::file_writer second(std::move(first));
  second.write("efghi");
  second.seek(1);
  first = std::move(second);
  first.put('B');
  first.close();
  EXPECT_EQ(script->content, "aBcdefghi");
}

TEST(lifetime, a_stream_that_is_moved_to_itself_stays_open) {
  auto script = new_script();
  leat::file_writer out(device_of(script));
  out.write("abc");
  leat::file_writer& same = out;
  out = std::move(same);
  EXPECT_TRUE(out.is_open());
  out.write("def");
  out.close();
  EXPECT_EQ(script->content, "abcdef");

  leat::string_writer text;
  text.write("abc");
  leat::string_writer& same_text = text;
  text = std::move(same_text);
  text.write("def");
  EXPECT_EQ(text.view(), "abcdef");

  char area[8];
  leat::memory_writer fixed{std::span<char>(area)};
  fixed.write("abc");
  leat::memory_writer& same_fixed = fixed;
  fixed = std::move(same_fixed);
  fixed.write("def");
  EXPECT_EQ(fixed.view(), "abcdef");
}

TEST(lifetime, a_move_of_a_closed_stream_moves_the_count_of_lost_bytes) {
  loss_recorder losses;
  leat::file_writer out;
  out.write("lost");
  {
    leat::file_writer other(std::move(out));
    EXPECT_EQ(other.lost(), 4u);
    EXPECT_EQ(out.lost(), 0u);  // NOLINT(bugprone-use-after-move)
  }
  const auto reported = losses.take();
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].unwritten(), 4u);
  EXPECT_EQ(reported[0].code(), leat::errc::closed);
}

TEST(lifetime, a_discarded_stream_is_closed) {
  const loss_recorder losses;
  auto script = new_script();
  leat::file_writer out(device_of(script));
  out.write("abc");
  out.discard();
  expect_closed(out);
  EXPECT_TRUE(script->calls.empty());
  EXPECT_EQ(script->destructions, 1);
}

TEST(lifetime, a_stream_with_an_interval_is_closed_by_a_move_and_by_close) {
  const loss_recorder losses;
  auto script = new_script();
  leat::file_writer first(device_of(script), {.flush_interval = std::chrono::hours(1)});
  first.write("abc");
  leat::file_writer second(std::move(first));
  expect_closed(first);  // NOLINT(bugprone-use-after-move)
  second.write("def");
  EXPECT_TRUE(second.is_open());
  second.close();
  EXPECT_EQ(script->content, "abcdef");
  expect_closed(second);
}

TEST(lifetime, the_destructor_writes_pending_bytes) {
  const temporary_folder folder;
  {
    auto out = leat::create(folder / "file");
    out.write("abc");
  }
  EXPECT_EQ(read_all(folder / "file"), "abc");
}

TEST(lifetime, memory_writers_end_with_close) {
  loss_recorder losses;
  {
    char area[8];
    leat::memory_writer out{std::span<char>(area)};
    out.write("abc");
    out.close();
    EXPECT_EQ(out.view(), "abc");
    out.put('d');
    out.print("{}", 12);
    EXPECT_EQ(out.view(), "abc");
    EXPECT_EQ(out.lost(), 3u);
    EXPECT_EQ(out.error(), leat::errc::closed);
    std::error_code ec;
    out.seek(0, ec);
    EXPECT_EQ(ec, leat::errc::closed);
    out.patch(0, "x", ec);
    EXPECT_EQ(ec, leat::errc::closed);
    out.put('e');
  }
  const auto reported = losses.take();
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].unwritten(), 4u);
}

TEST(lifetime, string_writers_end_with_close_and_start_again_with_take) {
  loss_recorder losses;
  leat::string_writer out;
  out.write("abc");
  out.close();
  out.write("dropped");
  EXPECT_THROW(out.flush(), leat::io_error);
  EXPECT_EQ(out.take(), "abc");
  out.write("anew");
  EXPECT_EQ(out.view(), "anew");
  EXPECT_FALSE(out.error());
  EXPECT_TRUE(losses.take().empty());
}

// The error of the opening stays, because a program without exceptions may ask for this error
// later.
TEST(a_stream_that_could_not_be_opened, keeps_the_error_of_the_opening) {
  const temporary_folder folder;
  const std::string missing = folder / "missing";
  const auto no_such_file = std::errc::no_such_file_or_directory;
  std::error_code ec;

  auto in = leat::open(std::string_view(missing), ec);
  EXPECT_FALSE(in.is_open());
  EXPECT_EQ(in.error(), no_such_file);
  for (std::string_view line : in.lines(ec)) FAIL() << line;
  EXPECT_EQ(ec, no_such_file);
  EXPECT_EQ(in.get(ec), leat::reader::end_of_file);
  EXPECT_EQ(ec, no_such_file);
  try {
    in.seek(1);
    FAIL();
  } catch (const leat::io_error& error) {
    EXPECT_EQ(std::string(error.what()), leat::message(in.error(), "open", missing));
  }
  in.close(ec);
  EXPECT_FALSE(ec) << "open() has reported the error";
  auto moved = std::move(in);
  EXPECT_EQ(moved.error(), no_such_file);
  EXPECT_EQ(in.error(), leat::errc::closed);  // NOLINT(bugprone-use-after-move)
  moved = leat::open("/dev/null");
  EXPECT_FALSE(moved.error());

  EXPECT_EQ(leat::map_file(missing, ec).error(), no_such_file);
  EXPECT_EQ(leat::follow("s3://bucket/key", ec).error(), std::errc::operation_not_supported);
  EXPECT_EQ(leat::rotating("s3://bucket/key", {}, ec).error(), ec);
  EXPECT_TRUE(ec);

  {
    auto both = leat::update(missing, ec);
    EXPECT_EQ(both.error(), no_such_file);
    EXPECT_EQ(both.get(ec), leat::reader::end_of_file);
    EXPECT_EQ(ec, no_such_file);
    both = leat::update(missing, ec);
    auto other = std::move(both);
    other.flush(ec);
    EXPECT_EQ(ec, no_such_file);
  }

  loss_recorder losses;
  {
    auto out = leat::create(folder / "missing/file", ec);
    out.write("abc");
    EXPECT_EQ(out.lost(), 3u);
    auto shared = leat::synchronized(std::move(out));
    shared.write("de");
  }
  const auto reported = losses.take();
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(
      std::string(reported[0].what()),
      leat::message(reported[0].code(), "open", missing + "/file") + " (5 bytes not written)");
}

}  // namespace
