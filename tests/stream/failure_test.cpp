// Failed writes: how long a failure stays, which calls report the failure, when the loss handler
// gets the failure, and the exact count of lost bytes.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/print.hpp>

#include <memory>
#include <random>
#include <string>
#include <utility>

#include "support/files.hpp"
#include "support/libraries.hpp"
#include "support/loss_recorder.hpp"
#include "support/sanitizer.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;

TEST(failure, stays_and_later_output_is_counted_as_lost) {
  auto script = new_script();
  script->room = 10;
  leat::file_writer out(device_of(script), {.buffer_size = 8}, "the device");
  for (int i = 0; i != 3; ++i) out.write("abcdefgh");
  EXPECT_EQ(out.error(), std::errc::no_space_on_device);
  script->room = 1000;
  script->failure = std::make_error_code(std::errc::io_error);
  out.put('x');
  out.print("{}", 12345);
  out.write(std::string(100, 'y'));
  for (int i = 0; i != 2; ++i) {
    try {
      out.flush();
      ADD_FAILURE();
    } catch (const leat::io_error& error) {
      EXPECT_EQ(error.code(), std::errc::no_space_on_device) << "the first failure is the one kept";
      EXPECT_EQ(error.offset(), 10u);
      EXPECT_EQ(error.unwritten(), 14u + 106u);
      EXPECT_EQ(error.path(), "the device");
      EXPECT_STREQ(error.operation(), "write");
    }
  }
  std::error_code ec;
  out.seek(0, ec);
  EXPECT_EQ(ec, std::errc::no_space_on_device);
  out.patch(0, "a", ec);
  EXPECT_EQ(ec, std::errc::no_space_on_device);
  out.close(ec);
  EXPECT_EQ(ec, std::errc::no_space_on_device);
  EXPECT_EQ(script->content, "abcdefghab");
  EXPECT_EQ(script->closes, 1);
}

// The device fails at byte n, for many n below 700: written + lost == accepted.
TEST(failure, at_any_byte_is_counted_exactly) {
  for (const std::size_t buffer_size : {1u, 7u, 64u, 4096u, 0u}) {
    for (std::uint64_t n = 0; n < 700; n += (n < 300 ? 7 : 41)) {
      for (const auto& [appends, background] :
           {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
        auto script = new_script();
        script->room = n;
        script->random_sizes = n % 3 == 0;
        script->traits.appends = appends;
        std::uint64_t accepted = 0;
        std::mt19937 random(static_cast<unsigned>(n));
        leat::file_writer out(device_of(script),
                              {.buffer_size = buffer_size, .background = background});
        const std::string line = "some line or other\n";
        while (accepted < 900) {
          if (random() % 9 == 0) {
            const std::string large(random() % 200, 'L');
            out.write(large);
            accepted += large.size();
          } else if (random() % 5 == 0) {
            std::error_code ec;
            out.flush(ec);
          } else {
            out.write(line);
            accepted += line.size();
          }
        }
        std::error_code ec;
        out.close(ec);
        ASSERT_EQ(ec, std::errc::no_space_on_device);
        ASSERT_EQ(script->content.size(), n);
        ASSERT_EQ(n + out.lost(), accepted) << buffer_size << ' ' << n << ' ' << appends;
      }
    }
  }
}

TEST(failure, of_a_large_write_after_a_seek_backwards_is_counted_exactly) {
  auto script = new_script();
  script->room = 0;
  leat::file_writer out(device_of(script), {.buffer_size = 16});
  out.write("0123456789");
  out.seek(4);
  out.write(std::string(50, 'x'));  // overwrites a part of the buffer; the buffer is written first
  std::error_code ec;
  out.close(ec);
  EXPECT_EQ(out.lost(), 60u);
}

TEST(failure, of_a_device_that_writes_nothing_is_no_progress) {
  auto script = new_script();
  script->idle_calls = 1 << 20;
  leat::file_writer out(device_of(script));
  out.write("abc");
  std::error_code ec;
  out.flush(ec);
  EXPECT_EQ(ec, leat::errc::no_progress);
  EXPECT_EQ(out.lost(), 3u);
}

/// A device whose first write calls write() of the stream over this device. A signal handler that
/// interrupts a write may do the same.
class reentrant_device final : public leat::device {
 public:
  explicit reentrant_device(std::string& content) : content_(content) {}
  leat::device_traits traits() const noexcept override { return {}; }
  std::size_t read_at(std::uint64_t, std::span<char>, std::error_code&) noexcept override {
    return 0;
  }
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    ec.clear();
    if (stream != nullptr) std::exchange(stream, nullptr)->write("inner");
    content_.resize(std::max<std::size_t>(content_.size(), at));
    const std::size_t before = content_.size();
    for (const auto piece : pieces) content_ += piece;
    return content_.size() - before;
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }

  leat::writer* stream = nullptr;

 private:
  std::string& content_;
};

TEST(failure, whose_position_is_unknown_can_be_cleared) {
  std::string content;
  auto below = std::make_unique<reentrant_device>(content);
  reentrant_device& nested = *below;
  leat::file_writer out(std::move(below));
  nested.stream = &out;
  out.write("outer ");
  std::error_code ec;
  out.flush(ec);
  EXPECT_EQ(ec, std::errc::resource_deadlock_would_occur);
  out.write("lost");
  EXPECT_EQ(out.lost(), 9u);
  out.clear_error();
  EXPECT_EQ(out.tell(), 6u);
  out.write("later");
  out.close();
  EXPECT_EQ(content, "outer later");
  EXPECT_EQ(out.lost(), 9u);
}

TEST(failure, of_sync_and_close_has_no_position) {
  auto script = new_script();
  script->sync_failure = std::make_error_code(std::errc::io_error);
  leat::file_writer out(device_of(script), {.durability = leat::durability::system}, "f");
  out.write("abc");
  try {
    out.flush();
    ADD_FAILURE();
  } catch (const leat::io_error& error) {
    EXPECT_EQ(error.what(), "cannot sync 'f': " + message_of(std::errc::io_error));
    EXPECT_EQ(error.offset(), leat::failure::no_offset);
  }
  EXPECT_THROW(out.close(), leat::io_error);

  script = new_script();
  script->close_failure = std::make_error_code(std::errc::io_error);
  leat::file_writer other(device_of(script), {}, "g");
  other.write("abc");
  try {
    other.close();
    ADD_FAILURE();
  } catch (const leat::io_error& error) {
    EXPECT_EQ(error.what(), "cannot close 'g': " + message_of(std::errc::io_error));
  }
  EXPECT_NO_THROW(other.close()) << "the failure has been reported";
}

TEST(failure, keeps_a_committing_device_from_committing) {
  loss_recorder losses;
  auto script = new_script();
  script->traits.commits = true;
  script->room = 2;
  leat::file_writer out(device_of(script));
  out.write("abcdef");
  EXPECT_THROW(out.close(), leat::io_error);
  EXPECT_EQ(script->closes, 0);
  EXPECT_EQ(script->destructions, 1);
  EXPECT_TRUE(losses.take().empty());
}

// How a failure is reported: by an exception, an error code or the loss handler

class pending_failure : public testing::Test {
 protected:
  std::shared_ptr<device_script> script = new_script();
  loss_recorder losses;

  leat::file_writer failing_writer() {
    script->room = 4;
    leat::file_writer out(device_of(script), {}, "the file");
    out.write("0123456789");
    return out;
  }
};

TEST_F(pending_failure, reaches_the_loss_handler_when_the_stream_is_destroyed) {
  {
    const auto out = failing_writer();
  }
  const auto reported = losses.take();
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_STREQ(reported[0].what(),
               "cannot write 'the file': No space left on device (at byte 4, 6 bytes not written)");
  EXPECT_EQ(reported[0].offset(), 4u);
  EXPECT_EQ(reported[0].unwritten(), 6u);
}

TEST_F(pending_failure, reaches_the_loss_handler_when_the_stream_is_overwritten) {
  auto out = failing_writer();
  out = leat::file_writer();
  EXPECT_EQ(losses.take().size(), 1u);
}

TEST_F(pending_failure, is_reported_once_if_flush_or_close_has_reported_it) {
  std::error_code ec;
  {
    auto out = failing_writer();
    out.flush(ec);
    EXPECT_TRUE(ec);
  }
  EXPECT_TRUE(losses.take().empty());
  {
    auto out = failing_writer();
    EXPECT_THROW(out.close(), leat::io_error);
    EXPECT_NO_THROW(out.close());
  }
  EXPECT_TRUE(losses.take().empty());
  {
    auto out = failing_writer();
    EXPECT_FALSE(out.error()) << "the stream has not written to the device yet";
    out.write(std::string(1 << 20, 'x'));
    EXPECT_TRUE(out.error());
  }
  EXPECT_EQ(losses.take().size(), 1u) << "error() does not count as a report of the failure";
}

TEST_F(pending_failure, is_reported_again_after_a_further_loss) {
  {
    auto out = failing_writer();
    std::error_code ec;
    out.flush(ec);
    out.write("more");
  }
  const auto reported = losses.take();
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].unwritten(), 10u);
}

TEST_F(pending_failure, is_reported_even_if_the_program_has_called_lost) {
  {
    auto out = failing_writer();
    out.write(std::string(1 << 20, 'x'));
    EXPECT_GT(out.lost(), 0u);
  }
  EXPECT_EQ(losses.take().size(), 1u);
}

TEST_F(pending_failure, of_close_reaches_the_loss_handler) {
  script->close_failure = std::make_error_code(std::errc::io_error);
  {
    const leat::file_writer out(device_of(script));
  }
  const auto reported = losses.take();
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_STREQ(reported[0].operation(), "close");
  EXPECT_EQ(reported[0].unwritten(), 0u);
}

TEST_F(pending_failure, is_not_reported_after_discard) {
  auto out = failing_writer();
  out.discard();
  out.flush(*std::make_unique<std::error_code>());
  out = {};
  EXPECT_TRUE(losses.take().empty());
  EXPECT_TRUE(script->content.empty());
  EXPECT_EQ(script->destructions, 1);
}

TEST_F(pending_failure, of_writes_after_close_is_reported) {
  {
    leat::file_writer out(device_of(script), {}, "the file");
    out.write("abc");
    out.close();
    out.print("{}", 12);
    out.put('x');
    EXPECT_EQ(out.lost(), 3u);
  }
  const auto reported = losses.take();
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_STREQ(reported[0].what(),
               "cannot write 'the file': The stream is closed (at byte 3, 3 bytes not written)");
  EXPECT_EQ(script->content, "abc");
}

// clear_error()

TEST(clear_error, continues_at_the_position_of_the_first_lost_byte) {
  loss_recorder losses;
  for (const bool background : {false, true}) {
    for (const bool appends : {false, true}) {
      auto script = new_script();
      script->traits.appends = appends;
      script->room = 6;
      leat::file_writer out(device_of(script), {.buffer_size = 4, .background = background});
      out.write("abcdefghij");
      std::error_code ec;
      out.flush(ec);
      EXPECT_EQ(ec, std::errc::no_space_on_device);
      const std::uint64_t lost = out.lost();
      EXPECT_EQ(lost, 10 - script->content.size());
      script->room = 100;
      out.write("dropped");
      out.clear_error();
      EXPECT_FALSE(out.error());
      EXPECT_EQ(out.lost(), lost + 7);
      EXPECT_EQ(out.tell(), script->content.size());
      const std::string kept = script->content;
      out.write("more and more");
      out.flush();
      EXPECT_EQ(script->content, kept + "more and more");
      EXPECT_EQ(out.lost(), lost + 7) << "clear_error() keeps the count";
      out.close();
    }
  }
  EXPECT_TRUE(losses.take().empty());
}

TEST(clear_error, after_a_failed_patch_makes_the_next_error_count_only_later_losses) {
  auto script = new_script();
  leat::file_writer out(device_of(script));
  out.write("abcdef");
  out.flush();
  out.write("lost");
  script->room = 0;
  std::error_code ec;
  out.patch(1, "XY", ec);
  EXPECT_EQ(ec, std::errc::no_space_on_device);
  const std::uint64_t lost = out.lost();
  script->room = 3;
  out.clear_error();
  EXPECT_EQ(out.tell(), 6u);
  out.write("ghijk");
  try {
    out.flush();
    FAIL() << "the call must throw a leat::io_error";
  } catch (const leat::io_error& error) {
    EXPECT_EQ(error.unwritten(), 2u);
    EXPECT_EQ(error.offset(), 9u);
  }
  EXPECT_EQ(out.lost(), lost + 2);
  EXPECT_EQ(script->content, "abcdefghi");
}

TEST(clear_error, clears_the_errors_of_shared_streams_and_file_streams) {
  auto script = new_script();
  script->room = 0;
  leat::synchronized shared(leat::file_writer(device_of(script)));
  shared.write("lost");
  std::error_code ec;
  shared.flush(ec);
  script->room = 100;
  shared.clear_error();
  shared.write("kept");
  shared.flush();
  EXPECT_EQ(script->content, "kept");
  EXPECT_EQ(shared.lost(), 4u);

  auto update_script = new_script();
  update_script->room = 0;
  leat::file_stream update(device_of(update_script));
  update.write("lost");
  update.flush(ec);
  EXPECT_TRUE(ec);
  update_script->room = 100;
  update.clear_error();
  EXPECT_EQ(update.tell(), 4u);
  update.seek(0);
  update.write("kept");
  update.close();
  EXPECT_EQ(update_script->content, "kept");
  EXPECT_EQ(update.lost(), 4u);
}

TEST(clear_error, drops_an_unreported_loss) {
  loss_recorder losses;
  {
    auto script = new_script();
    script->room = 0;
    leat::file_stream update(device_of(script), {.buffer_size = 4096});
    update.write(std::string(10'000, 'x'));
    update.clear_error();
    EXPECT_NE(update.lost(), 0U);
  }
  EXPECT_TRUE(losses.take().empty());
}

TEST(failures, do_not_move_the_position_back) {
  auto script = new_script();
  script->room = 6;
  leat::file_writer out(device_of(script), {.buffer_size = 16});
  out.write("abcdefghij");
  std::error_code ec;
  out.flush(ec);
  EXPECT_EQ(ec, std::errc::no_space_on_device);
  EXPECT_EQ(out.tell(), 10U);
  EXPECT_EQ(out.lost(), 4U);
  out.close(ec);
}

TEST(failures, of_patches_do_not_move_the_position_back) {
  auto script = new_script();
  leat::file_writer out(device_of(script));
  out.write("0123456789");
  out.flush();
  out.write("ab");
  script->room = 0;
  std::error_code ec;
  out.patch(3, "x", ec);
  EXPECT_EQ(ec, std::errc::no_space_on_device);
  EXPECT_EQ(out.tell(), 12U);
  EXPECT_EQ(out.lost(), 3U);
  out.close(ec);
}

TEST(clear_error, makes_a_stream_for_updates_readable_again) {
  auto script = new_script();
  script->content = "0123456789";
  script->room = 0;
  leat::file_stream update(device_of(script), {.buffer_size = 4096});
  update.write(std::string(10'000, 'x'));
  update.clear_error();
  update.seek(7);
  EXPECT_EQ(update.get(), '7');
  update.close();
}

TEST(clear_error, does_not_clear_final_failures) {
  std::error_code ec;
  auto script = new_script();
  script->sync_failure = std::make_error_code(std::errc::io_error);
  leat::file_writer synced(device_of(script));
  synced.sync(ec);
  synced.clear_error();
  EXPECT_EQ(synced.error(), std::errc::io_error);

  auto commit_script = new_script();
  commit_script->traits.commits = true;
  commit_script->room = 0;
  leat::file_writer replacing(device_of(commit_script));
  replacing.write("lost");
  replacing.flush(ec);
  replacing.clear_error();
  EXPECT_EQ(replacing.error(), std::errc::no_space_on_device);
  replacing.discard();
  synced.discard();

  leat::file_writer closed;
  closed.clear_error();
  EXPECT_EQ(closed.error(), leat::errc::closed);
}

}  // namespace
