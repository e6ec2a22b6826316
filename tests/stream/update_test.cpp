// Update mode (file_stream): reading and writing through one buffer.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/print.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "device/memory.hpp"
#include "support/files.hpp"
#include "support/handles.hpp"
#include "support/loss_recorder.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;

struct record {
  int id;
  int count;
};

TEST(update, changes_bytes_that_it_has_read) {
  const temporary_folder folder;
  const std::string path = folder / "table";
  write_file(path, "one two three\n");
  auto file = leat::update(path);
  char word[3];
  file.seek(4);
  file.read_exactly(word);
  EXPECT_EQ(std::string(word, 3), "two");
  file.seek(4);
  file.write("TWO");
  EXPECT_EQ(file.tell(), 7u);
  EXPECT_EQ(file.peek(6), " three");
  file.seek(0);
  EXPECT_EQ(file.peek(9), "one TWO t");
  file.close();
  EXPECT_EQ(read_all(path), "one TWO three\n");
}

TEST(update, changes_a_record_that_it_has_read) {
  const temporary_folder folder;
  const std::string path = folder / "table";
  leat::create(path).write(leat::bytes_of(record{7, 1}));
  auto file = leat::update(path);
  record seen{};
  file.read_exactly(leat::bytes_of(seen));
  ++seen.count;
  file.seek(0);
  file.write(leat::bytes_of(seen));
  file.close();
  record after{};
  leat::open(path).read_exactly(leat::bytes_of(after));
  EXPECT_EQ(after.id, 7);
  EXPECT_EQ(after.count, 2);
}

TEST(update, prints_into_the_middle_and_after_the_end) {
  const temporary_folder folder;
  const std::string path = folder / "text";
  write_file(path, "0123456789");
  auto file = leat::update(path);
  file.seek(3);
  file.print("{}", 77);
  EXPECT_EQ(file.get(), '5');
  file.seek(10);
  file.print("{}-{}", 1, 2);
  file.seek(0);
  EXPECT_EQ(file.peek(100), "01277567891-2");
  EXPECT_EQ(file.size(), 13u);
  file.close();
  EXPECT_EQ(read_all(path), "01277567891-2");
}

TEST(update, creates_a_missing_file_with_the_option_create) {
  const temporary_folder folder;
  for (const char* content : {"new", "NEW"}) {
    auto file = leat::update(folder / "table", {.create = true});
    EXPECT_EQ(file.size(), content[0] == 'n' ? 0u : 3u);  // existing content stays
    file.write(content);
    file.close();
    EXPECT_EQ(read_all(folder / "table"), content);
  }
#if defined(HAS_MODE_BITS)
  leat::update(folder / "private", {.create = true, .permissions = 0600}).close();
  EXPECT_EQ(mode_of(folder / "private"), 0600u);
#endif
}

TEST(update, of_a_missing_file_or_a_pipe_is_an_error) {
  const temporary_folder folder;
  std::error_code ec;
  EXPECT_FALSE(leat::update(folder / "none", ec).is_open());
  EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
#if defined(HAS_POSIX_FILES)
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(leat::update(folder / "pipe", ec).is_open());
  EXPECT_EQ(ec, std::errc::invalid_seek);
#endif
}

TEST(update, refuses_a_device_that_appends) {
  const auto script = new_script();
  script->traits.appends = true;
  EXPECT_THROW(static_cast<void>(leat::file_stream(device_of(script))), leat::io_error);
}

TEST(update, an_empty_write_after_the_end_does_not_extend_the_file) {
  const temporary_folder folder;
  auto file = leat::update(folder / "file", {.create = true});
  file.seek(1000);
  file.print("{}", "");
  file.write("");
  EXPECT_EQ(file.size(), 0u);
  file.put('x');
  EXPECT_EQ(file.size(), 1001u);
  file.close();
  EXPECT_EQ(read_all(folder / "file").size(), 1001u);
}

TEST(update, a_patch_may_end_at_the_position_but_not_after_it) {
  const temporary_folder folder;
  auto file = leat::update(folder / "file", {.create = true});
  file.write("0123456789");
  file.patch(7, "xyz");
  std::error_code ec;
  file.patch(8, "abc", ec);
  EXPECT_EQ(ec, std::errc::invalid_argument);
  file.close();
  EXPECT_EQ(read_all(folder / "file"), "0123456xyz");
}

// A former bug: the search for the end of a line began at the last change. The last change was
// already in the file, and the position of the last change was beyond the end of the buffer.
TEST(update, an_empty_patch_writes_nothing) {
  auto script = new_script();
  script->content = numbered_text(8000);
  leat::file_stream file(device_of(script), {.buffer_size = 8192, .flush = leat::flush_when::line});
  file.seek(7000);
  file.write("a line\n");
  file.patch(0, "");
  file.close();
  EXPECT_EQ(script->calls.size(), 1u);
}

TEST(update, changes_direction_in_the_buffer_without_a_call) {
  const auto script = new_script();
  script->content = numbered_text(5000);
  leat::file_stream file(device_of(script));
  file.seek(100);
  EXPECT_EQ(file.peek(1).size(), 1u);
  const auto calls = script->calls.size() + script->reads.size();
  for (std::uint64_t at = 100; at < 4000; at += 100) {
    file.seek(at);
    const int byte = file.get();
    file.seek(at);
    file.put(static_cast<char>(byte ^ 1));
  }
  EXPECT_EQ(script->calls.size() + script->reads.size(), calls);
  file.close();
}

TEST(update, counts_the_bytes_of_failed_writes_and_can_still_read) {
  const auto script = new_script();
  script->content = "0123456789";
  script->room = 0;
  leat::file_stream file(device_of(script));
  file.write("ab");
  EXPECT_THROW(file.flush(), leat::io_error);
  EXPECT_EQ(file.lost(), 2u);
  EXPECT_EQ(file.error(), std::errc::no_space_on_device);
  file.seek(0);
  EXPECT_EQ(file.peek(3), "012");
  file.write("c");
  EXPECT_EQ(file.lost(), 3u);
  std::error_code ec;
  file.close(ec);
  EXPECT_EQ(ec, std::errc::no_space_on_device);
}

// Without an error, the program would not notice that the lost bytes are missing in the file.
TEST(update, reports_lost_bytes_when_it_seeks_back) {
  const auto script = new_script();
  script->room = 70'000;
  leat::file_stream file(device_of(script));
  const std::string text = numbered_text(200'000);
  file.write(text);
  std::uint64_t unwritten = 0;
  try {
    file.seek(0);
  } catch (const leat::io_error& error) {
    EXPECT_EQ(error.code(), std::errc::no_space_on_device);
    unwritten = error.unwritten();
  }
  EXPECT_EQ(unwritten, text.size() - 70'000);
  EXPECT_EQ(file.lost(), unwritten);
  file.seek(0);  // succeeds, because the failure was reported
  EXPECT_EQ(file.read_all(), text.substr(0, 70'000));
  file.write("more");
  std::error_code ec;
  file.seek(0, ec);
  EXPECT_EQ(ec, std::errc::no_space_on_device);
  file.close(ec);
  EXPECT_EQ(ec, std::errc::no_space_on_device);
}

// Before a read reuses the buffer, the changes are written back. If this write fails, the read must
// fail, because the file has the old bytes.
TEST(update, reports_a_failed_write_back_as_the_error_of_the_read) {
  for (const std::size_t wanted : {100U, 1000U}) {
    const auto script = new_script();
    script->content = std::string(1000, 'x');
    script->room = 0;
    leat::file_stream file(device_of(script), {.buffer_size = 64});
    file.write("abc");
    file.seek(0);
    std::string into(wanted, '?');
    std::error_code ec;
    EXPECT_EQ(file.read(std::span(into), ec), 0u);
    EXPECT_EQ(ec, std::errc::no_space_on_device);
    EXPECT_EQ(file.lost(), 3u);
    file.seek(0);  // succeeds, because the failure was reported
    EXPECT_EQ(file.read(std::span(into), ec), wanted);
    EXPECT_EQ(into, std::string(wanted, 'x'));
    file.write("more");
    EXPECT_EQ(file.get(ec), -1);
    EXPECT_EQ(ec, std::errc::no_space_on_device);
    file.close(ec);
    EXPECT_EQ(ec, std::errc::no_space_on_device);
  }
}

TEST(update, reports_losses_of_a_destroyed_stream_to_the_loss_handler) {
  loss_recorder losses;
  const auto script = new_script();
  script->room = 0;
  {
    leat::file_stream(device_of(script)).write("abc");
  }
  const auto reported = losses.take();
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].unwritten(), 3u);
}

TEST(update, retries_a_failed_read_after_writes_over_its_position) {
  const auto script = new_script();
  script->content = std::string(400, 'x');
  script->read_limit = 100;
  leat::file_stream file(device_of(script));
  char area[200];
  EXPECT_EQ(file.read(std::span(area)), 100u);
  file.seek(0);
  file.write(std::string(300, 'w'));
  script->read_limit = ~std::uint64_t{0};
  EXPECT_EQ(file.read(std::span(area)), 100u);
  EXPECT_EQ(std::string(area, 100), std::string(100, 'x'));
  std::error_code ec;
  file.close(ec);
  EXPECT_EQ(ec, std::errc::io_error) << "the failure of the first read";
}

TEST(update, large_reads_go_directly_into_the_memory_of_the_caller) {
  const auto script = new_script();
  script->content = numbered_text(1 << 20);
  leat::file_stream file(device_of(script));
  const auto first = static_cast<char>(file.get());
  file.seek(0);
  file.write("y");
  std::string text(1 << 20, '?');
  script->reads.clear();
  EXPECT_EQ(file.read(std::span(text)), text.size() - 1);
  text.pop_back();
  EXPECT_EQ(first + text, numbered_text(1 << 20));
  for (const auto& read : script->reads)
    EXPECT_TRUE(read.into >= text.data() && read.into <= text.data() + text.size());
}

TEST(update, reports_a_failed_read_at_close) {
  const auto script = new_script();
  script->content = "0123456789";
  script->read_limit = 4;
  leat::file_stream file(device_of(script));
  char area[8];
  EXPECT_EQ(file.read(std::span(area)), 4u);
  file.seek(0);
  std::error_code ec;
  file.close(ec);
  EXPECT_EQ(ec, std::errc::io_error);
}

TEST(update, keeps_the_buffer_in_a_moved_stream) {
  leat::file_stream a(std::make_unique<leat::memory_device>("hello world"));
  a.seek(6);
  a.write("W");
  leat::file_stream b(std::move(a));
  EXPECT_FALSE(a.is_open());  // NOLINT: the state of a moved-from stream is specified
  EXPECT_EQ(b.tell(), 7u);
  a = std::move(b);
  a.seek(0);
  EXPECT_EQ(a.peek(20), "hello World");
}

#if defined(HAS_FORK)
TEST(update, writes_the_changes_once_after_a_fork) {
  const temporary_folder folder;
  const std::string path = folder / "table";
  write_file(path, "0123456789");
  auto file = leat::update(path);
  file.seek(2);
  file.write("ab");
  EXPECT_TRUE(succeeded(run_in_child([&] {
    file.seek(2);
    require(file.peek(2) == "ab");
    file.close();
  })));
  EXPECT_EQ(read_all(path), "01ab456789");
  write_file(path, "9876543210");
  file.close();  // nothing is left to write
  EXPECT_EQ(read_all(path), "9876543210");
}
#endif

TEST(update, reads_a_long_line_with_a_buffer_of_one_byte) {
  const std::string text(300'000, 'x');
  leat::file_stream file(std::make_unique<leat::memory_device>(text), {.buffer_size = 1});
  std::string line;
  EXPECT_TRUE(file.read_line(line));
  EXPECT_EQ(line.size(), text.size());
}

TEST(update, reads_long_lines_in_pieces_and_has_its_usual_buffer_afterwards) {
  const std::size_t lengths[] = {10, 3'000'000, 65'536, 5, 8'000'000, 300'000, 1'000'000, 65'535};
  auto script = new_script();
  script->traits.reads_ahead = true;  // otherwise the pieces double
  for (const std::size_t length : lengths) script->content.append(length, 'x').append("\n");
  script->content.append(1'000'000, 'y');
  leat::file_stream file(device_of(script));
  for (const std::size_t length : lengths) {
    std::string line;
    ASSERT_TRUE(file.read_line(line));
    EXPECT_EQ(line.size(), length);
  }
  for (const auto& read : script->reads) EXPECT_LE(read.requested, 256u << 10);
  for (int i = 0; i != 1'000'000; ++i) ASSERT_EQ(file.get(), 'y');
  EXPECT_LE(script->reads.back().requested, 64u << 10);
}

TEST(update, writes_buffered_bytes_of_a_long_line) {
  std::string pool(1'000'000, ' ');
  for (std::size_t i = 0; i != pool.size(); ++i) pool[i] = static_cast<char>('a' + i % 26);
  for (const std::size_t start : {0u, 5u, 70'000u, 999'000u, 1'000'000u}) {
    for (const std::size_t size : {10u, 60'000u, 100'000u}) {
      SCOPED_TRACE(testing::Message() << "start " << start << ", size " << size);
      auto script = new_script();
      script->content = pool;
      leat::file_stream file(device_of(script));
      const std::string_view line = file.peek(pool.size());
      ASSERT_EQ(line.size(), pool.size());
      file.skip(start);
      file.write(line.substr(3, size));
      file.put('!');
      file.flush();
      EXPECT_FALSE(file.error());
      EXPECT_EQ(file.tell(), start + size + 1);
      std::string expected = pool;
      expected.resize(std::max(pool.size(), start + size + 1));
      expected.replace(start, size + 1, pool.substr(3, size) + "!");
      EXPECT_TRUE(script->content == expected);
      file.seek(0);
      EXPECT_TRUE(file.read_all() == expected);
    }
  }
}

TEST(update, reports_changes_that_a_read_can_not_write) {
  using call = void (*)(leat::file_stream&, std::error_code&);
  constexpr call calls[] = {
      [](auto& file, auto& ec) { EXPECT_EQ(file.peek(300'000, ec), ""); },
      [](auto& file, auto& ec) { EXPECT_EQ(file.read_all(ec), ""); },
      [](auto& file, auto& ec) { EXPECT_EQ(file.read_all(1 << 20, ec), ""); },
      [](auto& file, auto& ec) { EXPECT_FALSE(file.find("no", ec)); },
      [](auto& file, auto& ec) { EXPECT_EQ(file.line_around(ec).text, ""); },
      [](auto& file, auto& ec) { EXPECT_EQ(file.skip(200'000, ec), 0u); },
      [](auto& file, auto& ec) { EXPECT_FALSE(file.template parse<int>(ec)); },
      [](auto& file, auto& ec) { EXPECT_FALSE(file.template parse<double>(ec)); },
      [](auto& file, auto& ec) {
        std::string line;
        EXPECT_FALSE(file.read_line(line, ec));
      },
      [](auto& file, auto& ec) {
        auto lines = file.lines(ec);
        EXPECT_TRUE(lines.begin() == lines.end());
        static_cast<void>(lines.begin());
      },
      [](auto& file, auto& ec) {
        for ([[maybe_unused]] auto row : file.rows(ec)) ADD_FAILURE();
      },
      [](auto& file, auto& ec) {
        for ([[maybe_unused]] auto word : file.words(ec)) ADD_FAILURE();
      }};
  for (const char fill : {'7', ' '}) {
    for (std::size_t i = 0; i != std::size(calls); ++i) {
      SCOPED_TRACE(testing::Message() << "call " << i << ", bytes '" << fill << "'");
      auto script = new_script();
      script->content = std::string(1 << 20, fill);
      leat::file_stream file(device_of(script));
      EXPECT_EQ(file.peek(8192).size(), 8192u);
      file.write(std::string(100, fill));
      file.seek(50);
      script->room = 0;
      std::error_code ec;
      calls[i](file, ec);
      EXPECT_EQ(ec, std::errc::no_space_on_device);
      EXPECT_EQ(file.lost(), 100u);
    }
  }
}

TEST(update, of_a_new_file_reads_its_own_output) {
  const temporary_folder folder;
  auto f = leat::update(folder / "file", {.create = true});
  f.write("text");
  f.flush();
  f.seek(1);
  std::string line;
  EXPECT_TRUE(f.read_line(line));
  EXPECT_EQ(line, "ext");
  EXPECT_EQ(f.error(), std::error_code{});
}

TEST(update, calls_of_a_closed_stream_report_that_the_stream_is_closed) {
  const temporary_folder folder;
  auto f = leat::update(folder / "file", {.create = true});
  f.write("text");
  f.close();
  char byte;
  EXPECT_EQ(f.error(), leat::errc::closed);
  const auto error_of = [](auto call) {
    std::error_code ec;
    call(ec);
    return ec;
  };
  EXPECT_EQ(error_of([&](auto& ec) { f.read(std::span(&byte, 1), ec); }), leat::errc::closed);
  EXPECT_EQ(error_of([&](auto& ec) { f.size(ec); }), leat::errc::closed);
  EXPECT_EQ(error_of([&](auto& ec) { f.flush(ec); }), leat::errc::closed);
  EXPECT_EQ(error_of([&](auto& ec) { f.patch(0, "T", ec); }), leat::errc::closed);
  EXPECT_EQ(error_of([&](auto& ec) { f.seek(0, ec); }), leat::errc::closed);
  EXPECT_EQ(read_all(folder / "file"), "text");
}

}  // namespace
