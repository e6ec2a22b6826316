// seek, tell and patch of writers.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>

#include "support/files.hpp"
#include "support/platform.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;

TEST(seek, moves_inside_the_buffer_without_a_call) {
  auto script = new_script();
  leat::file_writer out(device_of(script));
  out.write("0123456789");
  out.seek(2);
  out.write("ab");
  EXPECT_EQ(out.tell(), 4u);
  out.seek(10);
  out.write("end");
  EXPECT_TRUE(script->calls.empty());
  out.close();
  EXPECT_EQ(script->content, "01ab456789end");
  EXPECT_EQ(script->calls.size(), 1u);
}

/// Prints at every offset of a text. No call may change a byte after the last byte that it prints.
/// Sets `model` to the expected content.
void print_over(leat::writer& out, std::string& model) {
  constexpr std::string_view body = "0123456789012345678901234567890123456789";
  out.seek(0);
  out.write(body);
  model = std::string(body) + std::string(10, ' ');
  out.write(std::string(10, ' '));
  const auto overwrite = [&](std::size_t at, std::string_view text) {
    std::ranges::copy(text, model.begin() + static_cast<std::ptrdiff_t>(at));
    return text.size();
  };
  for (std::size_t at = 0; at != body.size(); ++at) {
    out.seek(at);
    std::size_t end = at;
    out.print("{}", 7);
    end += overwrite(end, "7");
    out.print("ab{}", true);
    end += overwrite(end, "abtrue");
    out.println("{}", 0.5);
    end += overwrite(end, "0.5\n");
    ASSERT_EQ(out.tell(), end);
  }
  out.seek(model.size());
  out.print("{}", "the end");
  model += "the end";
}

TEST(seek, print_after_a_seek_back_keeps_the_bytes_after_the_printed_text) {
  std::string model;
  auto script = new_script();
  leat::file_writer file(device_of(script));
  print_over(file, model);
  file.close();
  EXPECT_EQ(script->content, model);
  leat::string_writer grows;
  print_over(grows, model);
  EXPECT_EQ(grows.view(), model);
  char area[100];
  leat::memory_writer fixed{area};
  print_over(fixed, model);
  EXPECT_EQ(fixed.view(), model);
}

TEST(seek, moves_before_and_after_the_buffer) {
  auto script = new_script();
  leat::file_writer out(device_of(script), {.buffer_size = 8});
  out.write("0123456789abcdef");
  out.seek(1);
  out.write("X");
  out.seek(20);
  out.write("tail");
  out.flush();
  EXPECT_EQ(out.tell(), 24u);
  EXPECT_EQ(script->content, std::string("0X23456789abcdef\0\0\0\0tail", 24));
}

TEST(seek, keeps_bytes_after_the_cursor_when_the_stream_is_flushed_or_closed) {
  auto script = new_script();
  leat::file_writer out(device_of(script));
  out.write("0123456789");
  out.seek(3);
  out.flush();
  EXPECT_EQ(script->content, "0123456789");
  EXPECT_EQ(out.tell(), 3u);
  out.write("x");
  out.seek(0);
  out.close();
  EXPECT_EQ(script->content, "012x456789");
}

TEST(seek, a_large_write_after_a_seek_into_the_buffer_overwrites_buffered_bytes) {
  for (const std::size_t size : {8u, 64u, 5000u, 300'000u}) {
    auto script = new_script();
    leat::file_writer out(device_of(script), {.buffer_size = 64});
    out.write(std::string(60, '.'));
    out.seek(10);
    const std::string large(size, 'L');
    out.write(large);
    out.put('!');
    out.close();
    std::string expected(60, '.');
    if (expected.size() < 11 + size) expected.resize(11 + size);
    expected.replace(10, size + 1, large + '!');
    EXPECT_TRUE(script->content == expected) << size;
  }
}

/// For example, an object in object storage takes new content only in order.
TEST(seek, is_not_supported_by_devices_that_write_in_order) {
  const auto script = std::make_shared<leat_test::device_script>();
  script->traits.positional = false;
  script->traits.commits = true;
  leat::file_writer out(device_of(script));
  out.write("text");
  std::error_code ec;
  out.seek(0, ec);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  out.patch(0, "T", ec);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  EXPECT_FALSE(out.error()) << "a refusal is no failure of the stream";
  EXPECT_EQ(out.tell(), 4U);
  out.close();
  EXPECT_EQ(script->content, "text");
  try {
    const leat::file_stream both(device_of(script));
    ADD_FAILURE();
  } catch (const leat::io_error& error) {
    EXPECT_EQ(error.code(), std::errc::operation_not_supported);
  }
}

TEST(seek, is_refused_by_appending_streams_and_pipes) {
  const temporary_folder folder;
  auto log = leat::append(folder / "log");
  log.write("line\n");
  std::error_code ec;
  log.seek(0, ec);
  EXPECT_EQ(ec, std::errc::invalid_seek);
  log.patch(0, "L", ec);
  EXPECT_EQ(ec, std::errc::invalid_seek);
  EXPECT_FALSE(log.error()) << "a refusal is no failure of the stream";
  log.close();
  EXPECT_EQ(read_all(folder / "log"), "line\n");

  const pipe_pair pipe;
  leat::file_writer through(leat::borrow(pipe.writer()));
  EXPECT_THROW(through.seek(0), leat::io_error);
  EXPECT_THROW(through.patch(0, ""), leat::io_error);
  through.write("ok");
  EXPECT_EQ(through.tell(), 2u);
  through.close();
}

TEST(seek, works_beyond_four_gigabytes) {
  const temporary_folder folder;
  constexpr std::uint64_t far = 5'000'000'000;
  auto out = leat::create(folder / "sparse");
  out.write("header\n");
  out.seek(far);
  EXPECT_EQ(out.tell(), far);
  out.print("{}\n", "far away");
  EXPECT_EQ(out.tell(), far + 9);
  out.patch(far + 4, "AWAY");  // in the buffer, over "away"
  out.patch(0, "HEAD");        // in the file
  out.flush();
  out.patch(far, "FAR");
  out.patch(far - 2, "><");
  EXPECT_EQ(out.tell(), far + 9);
  out.put('.');
  out.close();
  EXPECT_EQ(std::filesystem::file_size(folder / "sparse"), far + 10);
  std::ifstream file(folder / "sparse", std::ios::binary);
  std::string head(7, '?'), tail(13, '?');
  EXPECT_TRUE(file.read(head.data(), 7));
  EXPECT_TRUE(file.seekg(static_cast<std::streamoff>(far - 2)));
  file.read(tail.data(), 13);
  EXPECT_EQ(head, "HEADer\n");
  EXPECT_EQ(tail.substr(0, static_cast<std::size_t>(file.gcount())), "><FAR AWAY\n.");
}

TEST(seek, to_a_position_that_no_file_has_fails_at_the_write) {
  const temporary_folder folder;
  auto out = leat::create(folder / "file");
  out.write("abc");
  out.seek(std::numeric_limits<std::uint64_t>::max() - 5);
  out.write("lost");
  std::error_code ec;
  out.close(ec);
  EXPECT_TRUE(ec);
  EXPECT_EQ(out.lost(), 4u);
  EXPECT_EQ(read_all(folder / "file"), "abc");
}

TEST(patch, changes_bytes_before_and_after_the_start_of_the_buffer) {
  auto script = new_script();
  leat::file_writer out(device_of(script), {.buffer_size = 100});
  out.write("0123456789");
  out.flush();
  out.write("abcdef");
  const auto calls = script->calls.size();
  out.patch(12, "CD");
  EXPECT_EQ(script->calls.size(), calls) << "bytes in the buffer are patched there";
  out.patch(8, "89AB");
  EXPECT_EQ(script->calls.size(), calls + 1);
  out.patch(0, "");
  EXPECT_EQ(out.tell(), 16u);
  out.write("!");
  out.close();
  EXPECT_EQ(script->content,
            "01234567"
            "89ABCDef!");
}

TEST(patch, accepts_a_span_of_bytes) {
  auto script = new_script();
  leat::file_writer out(device_of(script));
  out.write("____");
  const std::byte letters[] = {std::byte{'a'}, std::byte{'b'}};
  out.patch(1, std::span<const std::byte>(letters));
  std::error_code ec = leat::errc::closed;
  out.patch(2, std::span<const std::byte>(letters), ec);
  EXPECT_FALSE(ec);
  out.close();
  EXPECT_EQ(script->content, "_aab");
}

TEST(patch, refuses_bytes_after_the_position) {
  auto script = new_script();
  leat::file_writer out(device_of(script));
  out.write("0123456789");
  std::error_code ec;
  out.patch(8, "abc", ec);
  EXPECT_EQ(ec, std::errc::invalid_argument);
  out.patch(11, "", ec);
  EXPECT_EQ(ec, std::errc::invalid_argument);
  out.patch(std::numeric_limits<std::uint64_t>::max(), "abc", ec);
  EXPECT_EQ(ec, std::errc::invalid_argument);
  out.seek(5);
  out.patch(5, "x", ec);
  EXPECT_EQ(ec, std::errc::invalid_argument) << "patch() accepts only bytes before tell()";
  out.patch(10, "", ec);
  EXPECT_TRUE(ec);
  try {
    out.patch(4, "xy");
    ADD_FAILURE();
  } catch (const leat::io_error& error) {
    EXPECT_STREQ(error.operation(), "patch");
    EXPECT_EQ(error.offset(), 4u);
    EXPECT_EQ(error.code(), std::errc::invalid_argument);
  }
  out.close();
  EXPECT_EQ(script->content, "0123456789");
  EXPECT_EQ(out.lost(), 0u);
}

TEST(patch, that_fails_counts_the_bytes_in_the_buffer_as_lost) {
  auto script = new_script();
  leat::file_writer out(device_of(script));
  out.write("0123456789");
  out.flush();
  out.write("abcdef");
  script->room = 0;
  std::error_code ec;
  out.patch(2, "XYZ", ec);
  EXPECT_EQ(ec, std::errc::no_space_on_device);
  EXPECT_EQ(out.lost(), 9u) << "three bytes of the patch, six of the buffer";
  script->room = 1000;
  out.write("more");
  EXPECT_EQ(out.lost(), 13u);
  EXPECT_THROW(out.close(), leat::io_error);
  EXPECT_EQ(script->content, "0123456789");
}

TEST(patch, that_fails_half_way_reports_the_position) {
  auto script = new_script();
  leat::file_writer out(device_of(script), {.buffer_size = 4});
  out.write("0123456789ab");
  out.put('c');
  script->room = 2;
  try {
    out.patch(1, "ABCDE");
    ADD_FAILURE();
  } catch (const leat::io_error& error) {
    EXPECT_STREQ(error.operation(), "patch");
    EXPECT_EQ(error.offset(), 3u);
    EXPECT_EQ(error.unwritten(), 4u) << "three bytes of the patch and one in the buffer";
  }
  EXPECT_EQ(script->content, "0AB3456789ab");
}

}  // namespace
