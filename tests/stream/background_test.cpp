// Buffers that the stream's own thread writes (`background`). The driver fuzz/writer.cpp makes
// random calls.
#include <gtest/gtest.h>
#include <unistd.h>
#include <leat/file_stream.hpp>
#include <leat/print.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "stream/open_with.hpp"
#include "support/files.hpp"
#include "support/loss_recorder.hpp"
#include "support/platform.hpp"
#include "support/process.hpp"
#include "support/sanitizer.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;

constexpr leat::writer_options background_options{.buffer_size = 64, .background = true};
constexpr leat::create_options background_create_options{.buffer_size = 64, .background = true};

/// Returns a writer over `device`, with the options of leat::create for direct I/O.
leat::file_writer direct_writer(std::unique_ptr<leat::device> device) {
  const leat::create_options options{.buffer_size = 64, .caching = leat::caching::direct};
  return leat::detail::opening::make<leat::file_writer>(std::move(device), leat::options(options),
                                                        "f");
}

std::string numbered_lines(int count) {
  std::string text;
  for (int i = 0; i != count; ++i) text += "line " + std::to_string(i) + '\n';
  return text;
}

/// A device whose writes block until the test lets them continue.
class blocking_device final : public leat::device {
 public:
  struct record {
    std::thread::id owner = std::this_thread::get_id();
    std::string content;
    std::atomic<bool> released{false};
    std::atomic<int> writes_by_other_threads{0};
  };
  explicit blocking_device(record& recorded, bool appends)
      : recorded_(&recorded), appends_(appends) {}
  leat::device_traits traits() const noexcept override {
    leat::device_traits result;
    result.positional = true;
    result.appends = appends_;
    return result;
  }
  std::size_t read_at(std::uint64_t, std::span<char>, std::error_code& ec) noexcept override {
    ec.clear();
    return 0;
  }
  std::size_t write_at(std::uint64_t, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    while (!recorded_->released) std::this_thread::sleep_for(std::chrono::microseconds(100));
    if (std::this_thread::get_id() != recorded_->owner) ++recorded_->writes_by_other_threads;
    std::size_t written = 0;
    for (const auto& piece : pieces) {
      recorded_->content += piece;
      written += piece.size();
    }
    ec.clear();
    return written;
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }

 private:
  record* recorded_;
  bool appends_;
};

/// A device with slow writes. Counts the writes of all threads except `owner`, and records whether
/// two writes overlapped.
class slow_device final : public leat::device {
 public:
  struct record {
    std::string content;
    std::atomic<int> active_writes{0};
    std::atomic<int> writes_by_other_threads{0};
    std::atomic<bool> overlapped{false};
    std::thread::id owner = std::this_thread::get_id();
  };
  explicit slow_device(record& recorded) : recorded_(&recorded) {}
  leat::device_traits traits() const noexcept override { return {}; }
  std::size_t read_at(std::uint64_t, std::span<char>, std::error_code& ec) noexcept override {
    ec.clear();
    return 0;
  }
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    if (recorded_->active_writes++ != 0) recorded_->overlapped = true;
    if (std::this_thread::get_id() != recorded_->owner) ++recorded_->writes_by_other_threads;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::size_t n = 0;
    for (const auto& piece : pieces) {
      const std::size_t begin = static_cast<std::size_t>(at) + n;
      recorded_->content.resize(std::max(recorded_->content.size(), begin + piece.size()));
      recorded_->content.replace(begin, piece.size(), piece);
      n += piece.size();
    }
    --recorded_->active_writes;
    ec.clear();
    return n;
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }

 private:
  record* recorded_;
};

TEST(background, drops_whole_calls_instead_of_waiting) {
  for (const bool appends : {false, true}) {
    blocking_device::record recorded;
    leat::file_writer out(
        std::make_unique<blocking_device>(recorded, appends),
        {.buffer_size = 100, .background = true, .when_full = leat::when_full::drop});
    std::string expected;
    std::uint64_t dropped = 0;
    // If one of these calls waited, the test would never end.
    for (int i = 0; i != 1000; ++i) {
      const std::string line = "line " + std::to_string(i) + '\n';
      if (i % 2 == 0)
        out.println("line {}", i);
      else
        out.write(line);
      if (out.dropped() == dropped) expected += line;
      dropped = out.dropped();
    }
    EXPECT_GT(dropped, 970U);
    EXPECT_LT(dropped, 1000U);
    recorded.released = true;
    out.flush();
    out.println("end");
    out.close();
    EXPECT_EQ(recorded.content, expected + "end\n");
    EXPECT_EQ(out.dropped(), dropped);
    EXPECT_EQ(out.lost(), 0U);
  }
}

TEST(background, waits_if_a_part_of_a_call_is_in_the_buffer) {
  slow_device::record seen;
  leat::file_writer out(
      std::make_unique<slow_device>(seen),
      {.buffer_size = 8192, .background = true, .when_full = leat::when_full::drop});
  std::string expected(6'200, 'a');
  out.write(expected);
  out.flush();
  // The second call of the loop fills a buffer of 6,088 bytes. The rest of the call has 5,912
  // bytes, more than the next buffer (4,096 bytes).
  for (const char byte : {'b', 'c'}) {
    const std::string bytes(6'000, byte);
    out.write(bytes);
    expected += bytes;
  }
  out.close();
  EXPECT_EQ(out.dropped(), 0U);
  EXPECT_TRUE(seen.content == expected);
}

TEST(background, waits_for_the_thread_if_drop_is_not_requested) {
  blocking_device::record recorded;
  recorded.released = true;
  leat::file_writer out(std::make_unique<blocking_device>(recorded, true), background_options);
  for (int i = 0; i != 1000; ++i) out.println("line {}", i);
  EXPECT_EQ(out.dropped(), 0U);
  out.close();
  EXPECT_EQ(recorded.content, numbered_lines(1000));
}

TEST(background, small_appended_lines_are_written_by_the_thread) {
  blocking_device::record recorded;
  recorded.released = true;
  leat::file_writer out(std::make_unique<blocking_device>(recorded, true), {.background = true});
  for (int i = 0; i != 1'000'000; ++i) out.println("line {}", i);  // the buffer grows to 4 MiB
  out.close();
  EXPECT_GT(recorded.writes_by_other_threads.load(), 0);
  EXPECT_TRUE(recorded.content == numbered_lines(1'000'000));
}

TEST(background, a_shared_stream_drops_whole_calls_too) {
  blocking_device::record recorded;
  leat::file_writer below(
      std::make_unique<blocking_device>(recorded, true),
      {.buffer_size = 100, .background = true, .when_full = leat::when_full::drop});
  leat::synchronized out(std::move(below));
  for (int i = 0; i != 1000; ++i) out.println("line {}", i);
  EXPECT_GT(out.dropped(), 970U);
  recorded.released = true;
  out.close();
}

TEST(background, two_buffers_are_written_in_order) {
  slow_device::record seen;
  const std::string text = numbered_lines(500);
  auto out = direct_writer(std::make_unique<slow_device>(seen));
  for (std::size_t at = 0; at < text.size(); at += 10)
    out.write(std::string_view(text).substr(at, 10));
  out.close();
  EXPECT_TRUE(seen.content == text);
  EXPECT_GT(seen.writes_by_other_threads, 0);
  EXPECT_FALSE(seen.overlapped);
}

TEST(background, writes_nothing_more_after_a_failure_with_two_buffers) {
  for (std::uint64_t room = 0; room < 700; room += 9) {
    const auto script = std::make_shared<device_script>();
    script->room = room;
    auto out = direct_writer(std::make_unique<scripted_device>(script));
    const std::string text = numbered_lines(70);
    for (std::size_t at = 0; at < text.size(); at += 10)
      out.write(std::string_view(text).substr(at, 10));
    std::error_code ec;
    out.close(ec);
    const std::size_t kept = std::min<std::size_t>(room, text.size());
    ASSERT_EQ(ec == std::errc::no_space_on_device, kept != text.size()) << room;
    ASSERT_EQ(out.lost(), text.size() - kept) << room;
    ASSERT_EQ(script->content, text.substr(0, kept)) << room;
  }
}

TEST(background, a_thread_of_the_stream_writes_all_bytes_in_order) {
  slow_device::record seen;
  const std::string text = numbered_lines(100);
  {
    leat::file_writer out(std::make_unique<slow_device>(seen), background_options);
    for (std::size_t i = 0; i < text.size(); i += 7) out.write(text.substr(i, 7));
    out.close();
  }
  EXPECT_EQ(seen.content, text);
  EXPECT_GT(seen.writes_by_other_threads, 0);
  EXPECT_FALSE(seen.overlapped);
}

TEST(background, starts_no_thread_if_the_output_fits_one_buffer) {
  slow_device::record seen;
  leat::file_writer out(std::make_unique<slow_device>(seen), background_options);
  out.write(std::string(64, 'x'));
  out.close();
  EXPECT_EQ(seen.writes_by_other_threads, 0);
  EXPECT_EQ(seen.content.size(), 64U);
}

TEST(background, is_not_used_by_streams_that_flush_at_each_call) {
  slow_device::record seen;
  leat::file_writer out(std::make_unique<slow_device>(seen),
                        {.buffer_size = 64, .flush = leat::flush_when::call, .background = true});
  for (int i = 0; i != 10; ++i) out.write(std::string(30, 'x'));
  EXPECT_EQ(seen.content.size(), 300U);
  EXPECT_EQ(seen.writes_by_other_threads, 0);
  out.close();
}

TEST(background, a_failure_is_reported_with_its_position_and_count) {
  for (const bool appends : {false, true}) {
    auto script = new_script();
    script->room = 100;
    script->traits.appends = appends;
    leat::file_writer out(device_of(script), background_options, "the device");
    std::uint64_t accepted = 0;
    for (int i = 0; i != 50; ++i) {
      const std::string line = "line " + std::to_string(i) + '\n';
      out.write(line);
      accepted += line.size();
    }
    EXPECT_EQ(out.error(), std::errc::no_space_on_device)
        << "error() reports the failure before close()";
    try {
      out.close();
      ADD_FAILURE();
    } catch (const leat::io_error& error) {
      EXPECT_EQ(error.offset(), 100U);
      EXPECT_EQ(error.unwritten(), accepted - 100);
      EXPECT_STREQ(error.operation(), "write");
    }
    EXPECT_EQ(script->content, numbered_lines(50).substr(0, 100));
    EXPECT_EQ(script->closes, 1);
  }
}

TEST(background, a_failure_is_counted_once_despite_later_calls) {
  auto script = new_script();
  script->room = 10;
  leat::file_writer out(device_of(script), background_options);
  const std::string text = numbered_lines(9);  // 63 bytes; one more byte fills the buffer
  out.write(text + "buffer");
  std::error_code ec;
  out.patch(0, "patch", ec);
  EXPECT_EQ(ec, std::errc::no_space_on_device);
  for (int i = 0; i != 3; ++i) {
    out.flush(ec);
    EXPECT_EQ(ec, std::errc::no_space_on_device);
    out.seek(0, ec);
    EXPECT_EQ(out.lost(), text.size() + 6 - 10);
  }
  out.close(ec);
  EXPECT_EQ(out.lost(), text.size() + 6 - 10);
}

TEST(background, an_unreported_failure_is_reported_to_the_loss_handler) {
  loss_recorder losses;
  auto script = new_script();
  script->room = 70;
  {
    leat::file_writer out(device_of(script), background_options);
    out.write(std::string(50, 'x'));
    out.write(std::string(50, 'y'));  // hands the first buffer over; the rest is written at the end
  }
  const auto reported = losses.take();
  ASSERT_EQ(reported.size(), 1U);
  EXPECT_EQ(reported[0].unwritten(), 30U);
}

TEST(background, flush_waits_until_the_thread_has_written) {
  slow_device::record seen;
  leat::file_writer out(std::make_unique<slow_device>(seen), background_options);
  for (int i = 0; i != 20; ++i) {
    out.write(std::string(40, 'x'));
    if (i % 5 == 4) {
      out.flush();
      EXPECT_EQ(seen.content.size(), 40U * static_cast<unsigned>(i + 1));
    }
  }
  out.close();
}

TEST(background, writes_files_of_all_kinds) {
  const temporary_folder folder;
  const std::string text = numbered_lines(20'000);
  const auto write_all = [&](leat::file_writer out) {
    for (std::size_t i = 0; i < text.size(); i += 100) out.write(text.substr(i, 100));
    out.close();
  };
  const std::uint64_t size = text.size();
  write_all(leat::create(folder / "created", {.background = true, .preallocate = size}));
  write_all(leat::replace(folder / "replaced", {.background = true, .preallocate = size}));
  write_all(leat::append(folder / "appended", {.background = true, .preallocate = size}));
  write_all(leat::append(folder / "appended", {.background = true, .preallocate = size}));
  EXPECT_EQ(read_all(folder / "created"), text);
  EXPECT_EQ(read_all(folder / "replaced"), text);
  EXPECT_EQ(read_all(folder / "appended"), text + text);
  leat::replace(folder / "replaced", {.background = true, .preallocate = size}).discard();
  EXPECT_EQ(read_all(folder / "replaced"), text);
}

#if defined(HAS_FORK)
TEST(background, a_child_does_not_write_the_buffer_of_the_thread) {
  const temporary_folder folder;
  auto out = leat::create(folder / "file", background_create_options);
  const std::string text = numbered_lines(50);
  out.write(text.substr(0, 50));
  out.write(text.substr(50, 50));
  const pid_t child = start_child([&] { out.close(); });
  out.write(text.substr(100));
  out.close();
  require(wait_for(child) == 0);
  EXPECT_EQ(read_all(folder / "file"), text);
}

// The child inherits the position up to which the thread has written. Without this position, one
// process would overwrite the bytes of the other process.
TEST(background, a_child_that_also_writes_does_not_overwrite_bytes_of_the_parent) {
  const temporary_folder folder;
  for (int i = 0; i != rounds(50); ++i) {
    auto out = leat::create(folder / "file", background_create_options);
    out.write(std::string(64, 'p'));
    out.write("p");  // pending, while the thread writes the first buffer; fork() writes both
    const pid_t child = start_child([&] {
      out.write("child");
      out.close();
    });
    require(wait_for(child) == 0);
    out.close();
    EXPECT_EQ(read_all(folder / "file"), std::string(65, 'p') + "child");
  }
}
#endif

#if defined(HAS_FORK) && defined(HAS_POSIX_FILES)
TEST(background, a_signal_that_the_program_blocks_stays_blocked) {
  const temporary_folder folder;
  const auto child = run_in_child([&] {
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGPIPE);
    require(::pthread_sigmask(SIG_BLOCK, &blocked, nullptr) == 0);
    require(::raise(SIGPIPE) == 0);  // stays pending
    auto out = leat::create(folder / "f", background_create_options);
    for (int i = 0; i != 100; ++i) out.print("a line with number {}\n", i);
    out.close();
    sigset_t pending;
    require(::sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1);
  });
  EXPECT_TRUE(succeeded(child)) << child.err;
}

TEST(background, a_broken_pipe_ends_the_program_with_and_without_background) {
  for (const bool background : {false, true}) {
    std::array<int, 2> ends{};
    require(::pipe(ends.data()) == 0);
    ::close(ends[0]);
    const auto result = run_in_child([&] {
      leat::file_writer out(leat::adopt(ends[1]), {.buffer_size = 64, .background = background});
      for (int i = 0; i != 100; ++i) out.write("to nobody");
      std::error_code ec;
      out.close(ec);
    });
    ::close(ends[1]);
    EXPECT_EQ(result.signal, SIGPIPE) << background;
  }
}
#endif

}  // namespace
