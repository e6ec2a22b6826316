// Codecs over devices that are slow, fail, or have damaged content. Also the messages and positions
// of leat::codecs::finding_of().
#include <leat/codecs.hpp>

#include <gtest/gtest.h>

#include <leat/leat.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codecs/tools.hpp"

namespace {

using codecs_test::log_lines, codecs_test::tool, codecs_test::tools;
using leat::compression;
using leat::codecs::fault;

/// A device that moves a few bytes at a time, can be full, and interrupts every fifth call.
class slow_device final : public leat::device {
 public:
  struct state {
    std::string content = {};
    std::size_t most = 1;  ///< the largest number of bytes that a call moves
    std::size_t room = ~std::size_t{0};
    std::error_code read_error = {};  ///< after the content, instead of the end
    int calls = 0;
    bool closed = false;
  };
  slow_device(state& shared_state, bool positional)
      : state_(shared_state), is_positional_(positional) {}

  leat::device_traits traits() const noexcept override { return {.positional = is_positional_}; }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    ec.clear();
    if (!is_positional_) at = std::exchange(next_, next_ + state_.most);
    if (++state_.calls % 5 == 0) {
      next_ -= is_positional_ ? 0 : state_.most;
      ec = std::make_error_code(std::errc::interrupted);
      return 0;
    }
    const std::size_t from = std::min<std::size_t>(at, state_.content.size());
    const std::size_t n =
        state_.content.copy(into.data(), std::min(into.size(), state_.most), from);
    if (n == 0) ec = state_.read_error;
    return n;
  }
  std::size_t write_at(std::uint64_t, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    ec.clear();
    if (++state_.calls % 5 == 0) {
      ec = std::make_error_code(std::errc::interrupted);
      return 0;
    }
    const std::size_t n =
        std::min({pieces.front().size(), state_.most, state_.room - state_.content.size()});
    state_.content += pieces.front().substr(0, n);
    if (n == 0) ec = std::make_error_code(std::errc::no_space_on_device);
    return n;
  }
  void close(std::error_code& ec) noexcept override {
    ec.clear();
    state_.closed = true;
  }

 private:
  state& state_;
  bool is_positional_;
  std::size_t next_ = 0;
};

class codec_devices : public testing::TestWithParam<tool> {
 protected:
  void SetUp() override {
    if (!leat::codecs::has(format())) GTEST_SKIP() << GetParam().name << " is not available";
  }
  compression format() const { return GetParam().format; }
  std::unique_ptr<leat::device> encoder(slow_device::state& to) const {
    std::error_code ec;
    auto device =
        leat::codecs::encode(std::make_unique<slow_device>(to, true), {.format = format()}, ec);
    EXPECT_FALSE(ec);
    return device;
  }
  std::unique_ptr<leat::device> decoder(slow_device::state& from, bool positional) const {
    std::error_code ec;
    auto device = leat::codecs::decode(std::make_unique<slow_device>(from, positional),
                                       {.format = format(), .limit = ~std::uint64_t{0}}, ec);
    EXPECT_FALSE(ec);
    return device;
  }
};

TEST_P(codec_devices, encode_and_decode_over_devices_that_transfer_few_bytes_at_a_time) {
  const std::string content = log_lines(50'000);
  for (const std::size_t most : {1U, 7U, 4096U}) {
    slow_device::state file{.most = most};
    leat::file_writer out(encoder(file));
    out.write(content);
    out.close();
    EXPECT_TRUE(file.closed);
    for (const bool positional : {false, true}) {
      leat::file_reader in(decoder(file, positional));
      EXPECT_TRUE(in.read_all() == content) << most << positional;
    }
  }
}

TEST_P(codec_devices, report_errors_of_the_device_below) {
  const std::string content = log_lines(50'000);
  slow_device::state file{.most = 1000};
  {
    leat::file_writer out(encoder(file));
    out.write(content);
    out.close();
  }
  const std::string all = file.content;
  file.content.resize(all.size() / 2);
  file.read_error = std::make_error_code(std::errc::io_error);
  leat::file_reader in(decoder(file, true));
  std::error_code ec;
  std::string got = in.read_all(ec);
  EXPECT_EQ(ec, std::errc::io_error);
  EXPECT_TRUE(content.starts_with(got));
  // Reading continues after the device has recovered.
  file.content = all;
  file.read_error.clear();
  got += in.read_all();
  EXPECT_TRUE(got == content);
}

TEST_P(codec_devices, lose_no_byte_if_a_full_disk_gets_more_space) {
  const std::string content = codecs_test::random_bytes(1'000'000);
  slow_device::state file{.most = 10'000, .room = 200'000};
  auto device = encoder(file);
  std::error_code ec;
  std::size_t done = 0;
  int errors = 0;
  while (done != content.size()) {
    const std::array<std::string_view, 1> piece{std::string_view(content).substr(done)};
    done += device->write_at(0, piece, ec);
    if (ec) {
      ++errors;
      file.room += 300'000;
    }
  }
  do {
    device->sync(ec);
    if (ec) {
      ++errors;
      file.room += 300'000;
    }
  } while (ec);
  file.room += 100'000;
  device->close(ec);
  EXPECT_FALSE(ec);
  EXPECT_GT(errors, 0);
  leat::file_reader in(decoder(file, true));
  EXPECT_TRUE(in.read_all(ec) == content);
}

TEST_P(codec_devices, decode_any_bytes_or_report_an_error) {
  std::mt19937 random(1);
  slow_device::state file{.most = 10'000};
  leat::file_writer out(encoder(file));
  out.write("some content, and more of the content");
  out.close();
  const std::string sound = file.content;
  for (std::size_t i = 0; i != sound.size(); ++i) {
    for (int bit = 0; bit != 8; ++bit) {
      file.content = sound;
      file.content[i] ^= static_cast<char>(1 << bit);
      leat::file_reader in(decoder(file, true));
      std::error_code ec;
      const std::string got = in.read_all(ec);
      EXPECT_TRUE(ec || got == "some content, and more of the content") << i << ' ' << bit;
    }
  }
  for (int i = 0; i != 300; ++i) {  // valid beginnings with random bytes after them
    file.content = sound.substr(0, 6) +
                   codecs_test::random_bytes(random() % 3000, static_cast<unsigned>(random()));
    leat::file_reader in(decoder(file, true));
    std::error_code ec;
    const std::string ignored = in.read_all(ec);
    EXPECT_TRUE(ec);
  }
}

INSTANTIATE_TEST_SUITE_P(formats, codec_devices, testing::ValuesIn(tools()),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(codec_findings, keep_their_reason_and_a_short_message_after_300_later_errors) {
  if (!leat::codecs::has(compression::gzip)) GTEST_SKIP();
  const auto decode_error = [] {
    slow_device::state file{.content = "no gzip"};
    std::error_code ec;
    leat::file_reader in(leat::codecs::decode(std::make_unique<slow_device>(file, true),
                                              {.format = compression::gzip, .limit = 100}, ec));
    const std::string ignored = in.read_all(ec);
    return ec;
  };
  const std::error_code first = decode_error();
  EXPECT_EQ(first, fault::other_format);
  EXPECT_STREQ(first.category().name(), "leat.codecs");
  EXPECT_EQ(first.message(), "The gzip data does not begin with a header, at byte 0 of the file");
  for (int i = 0; i != 300; ++i) EXPECT_EQ(decode_error(), fault::other_format);
  EXPECT_EQ(first, fault::other_format);
  EXPECT_EQ(first.message(), "The compressed data does not begin with a header");
  EXPECT_EQ(leat::codecs::finding_of(first).what, fault::other_format);
  EXPECT_NE(first, fault::damaged);
  EXPECT_EQ(make_error_condition(fault::truncated).message(), "The compressed data is truncated");
}

TEST(codec_findings, exist_only_for_errors_of_codecs) {
  std::error_code ec;
  static_cast<void>(leat::open("/nonexistent/a.gz", {.compression = compression::automatic}, ec));
  ASSERT_EQ(ec, std::errc::no_such_file_or_directory);
  EXPECT_EQ(leat::codecs::finding_of(ec).what, fault::none);
  EXPECT_EQ(leat::codecs::finding_of(ec).at, 0U);
  EXPECT_EQ(leat::codecs::finding_of({}).what, fault::none);
  EXPECT_NE(ec, fault::none);
  EXPECT_NE(std::error_code(), fault::none);
}

}  // namespace
