// write_all and read_all: partial transfers, interruptions and failures.
#include "device/transfer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <leat/error.hpp>

#include <array>
#include <string>
#include <string_view>
#include <system_error>

#include "support/scripted_device.hpp"

namespace {

using leat_test::new_script;
using leat_test::scripted_device;

constexpr std::string_view head = "first piece|";
constexpr std::string_view tail = "second piece";

std::uint64_t write_both(const std::shared_ptr<leat_test::device_script>& script,
                         std::error_code& ec, std::uint64_t at = 0) {
  scripted_device device(script);
  const std::array<std::string_view, 2> pieces{head, tail};
  return leat::write_all(device, at, pieces, ec);
}

const std::string both = std::string(head).append(tail);

TEST(write_all, writes_all_pieces_in_one_call) {
  auto script = new_script();
  std::error_code ec = std::make_error_code(std::errc::io_error);
  EXPECT_EQ(write_both(script, ec, 5), both.size());
  EXPECT_FALSE(ec);
  ASSERT_EQ(script->calls.size(), 1u);
  EXPECT_EQ(script->calls[0].at, 5u);
  EXPECT_THAT(script->calls[0].pieces, testing::ElementsAre(head.size(), tail.size()));
}

TEST(write_all, continues_after_short_writes) {
  for (std::size_t most = 1; most <= both.size(); ++most) {
    auto script = new_script();
    script->max_transfer = most;
    std::error_code ec;
    EXPECT_EQ(write_both(script, ec), both.size());
    EXPECT_FALSE(ec);
    EXPECT_EQ(script->content, both) << most;
    EXPECT_EQ(script->calls.size(), (both.size() + most - 1) / most);
    for (std::size_t i = 0; i != script->calls.size(); ++i)
      EXPECT_EQ(script->calls[i].at, i * most);
  }
}

TEST(write_all, never_passes_an_empty_piece) {
  auto script = new_script();
  script->max_transfer = head.size();
  std::error_code ec;
  write_both(script, ec);
  for (const auto& call : script->calls) EXPECT_THAT(call.pieces, testing::Each(testing::Gt(0u)));
  scripted_device device(script);
  script->calls.clear();
  const std::array<std::string_view, 2> nothing{};
  EXPECT_EQ(leat::write_all(device, 0, nothing, ec), 0u);
  EXPECT_TRUE(script->calls.empty());
}

TEST(write_all, repeats_interrupted_calls) {
  for (const bool partly : {false, true}) {
    auto script = new_script();
    script->max_transfer = 3;
    script->interrupt_every = 2;
    script->interrupt_after_one_byte = partly;
    std::error_code ec;
    EXPECT_EQ(write_both(script, ec), both.size());
    EXPECT_FALSE(ec);
    EXPECT_EQ(script->content, both);
  }
}

TEST(write_all, fails_after_100_calls_that_write_nothing) {
  auto script = new_script();
  script->idle_calls = 99;
  std::error_code ec;
  EXPECT_EQ(write_both(script, ec), both.size());
  EXPECT_FALSE(ec);
  EXPECT_EQ(script->content, both);

  script = new_script();
  script->idle_calls = 1 << 20;
  EXPECT_EQ(write_both(script, ec), 0u);
  EXPECT_EQ(ec, leat::errc::no_progress);
  EXPECT_EQ(script->calls.size(), 100u);
}

TEST(write_all, returns_the_number_of_bytes_written_before_a_failure) {
  for (std::uint64_t room = 0; room != both.size(); ++room) {
    auto script = new_script();
    script->room = room;
    std::error_code ec;
    EXPECT_EQ(write_both(script, ec), room);
    EXPECT_EQ(ec, std::errc::no_space_on_device);
    EXPECT_EQ(script->content, both.substr(0, room));
  }
}

/// Takes a part of the bytes and reports a failure in the same call.
class taking_and_failing_device final : public leat::device {
 public:
  leat::device_traits traits() const noexcept override { return {}; }
  std::size_t read_at(std::uint64_t, std::span<char>, std::error_code&) noexcept override {
    return 0;
  }
  std::size_t write_at(std::uint64_t, std::span<const std::string_view>,
                       std::error_code& ec) noexcept override {
    ec = std::make_error_code(std::errc::io_error);
    return 3;
  }
  void close(std::error_code& ec) noexcept override { ec.clear(); }
};

TEST(write_all, counts_the_bytes_that_a_failing_call_has_written) {
  taking_and_failing_device device;
  const std::array<std::string_view, 1> pieces{head};
  std::error_code ec;
  EXPECT_EQ(leat::write_all(device, 0, pieces, ec), 3u);
  EXPECT_EQ(ec, std::errc::io_error);
}

TEST(write_all, reports_an_interruption_if_requested) {
  auto script = new_script();
  script->max_transfer = 3;
  script->interrupt_every = 3;
  script->calls.resize(1);  // so that the first call is not interrupted
  scripted_device device(script);
  const std::array<std::string_view, 2> pieces{head, tail};
  std::error_code ec;
  EXPECT_EQ(leat::write_all(device, 0, pieces, ec, {.repeats_interrupted = false}), 6u);
  EXPECT_EQ(ec, std::errc::interrupted);
  EXPECT_EQ(script->content, both.substr(0, 6));
}

TEST(write_all, fails_after_max_idle_calls_that_write_nothing) {
  for (const int most : {1, 2, 7}) {
    auto script = new_script();
    script->idle_calls = most;
    scripted_device device(script);
    const std::array<std::string_view, 1> pieces{head};
    std::error_code ec;
    EXPECT_EQ(leat::write_all(device, 0, pieces, ec, {.max_idle_calls = most}), 0u);
    EXPECT_EQ(ec, leat::errc::no_progress);
    EXPECT_EQ(script->calls.size(), static_cast<std::size_t>(most));
    script->idle_calls = most - 1;
    EXPECT_EQ(leat::write_all(device, 0, pieces, ec, {.max_idle_calls = most}), head.size());
    EXPECT_FALSE(ec);
  }
}

TEST(read_all, continues_at_the_start_of_the_block_in_which_a_read_ended) {
  const std::string content = "0123456789abcdefghij";
  for (const std::size_t block : {1U, 4U, 8U}) {
    auto script = new_script();
    script->content = content;
    script->max_transfer = 9;
    scripted_device device(script);
    std::string into(content.size() + 5, '?');
    std::error_code ec = std::make_error_code(std::errc::io_error);
    EXPECT_EQ(leat::read_all(device, 0, into, ec, block), content.size());
    EXPECT_FALSE(ec);
    EXPECT_EQ(into, content + "?????");
    for (const auto& one : script->reads) EXPECT_EQ(one.at % block, 0u);
    ASSERT_GE(script->reads.size(), 2u);
    EXPECT_EQ(script->reads[1].at, 9 / block * block);
  }
}

// Short reads that repeatedly return the same bytes do not mean the end of the file.
TEST(read_all, reads_to_the_end_and_fails_if_short_reads_make_no_progress) {
  auto script = new_script();
  script->content = "0123456789abcdefghij";
  script->max_transfer = 3;
  scripted_device device(script);
  std::string into(40, '?');
  std::error_code ec;
  EXPECT_EQ(leat::read_all(device, 0, into, ec, 8), 3u);
  EXPECT_EQ(ec, leat::errc::no_progress);
  script->max_transfer = 8;
  EXPECT_EQ(leat::read_all(device, 0, into, ec, 8), 20u);
  EXPECT_FALSE(ec);
}

TEST(read_all, keeps_bytes_before_a_failure) {
  auto script = new_script();
  script->content = "0123456789";
  script->read_limit = 6;
  script->interrupt_every = 2;
  scripted_device device(script);
  std::string into(10, '?');
  std::error_code ec;
  EXPECT_EQ(leat::read_all(device, 0, into, ec), 6u);
  EXPECT_EQ(ec, std::errc::io_error);
  EXPECT_EQ(into, "012345????");
}

}  // namespace
