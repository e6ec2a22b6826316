// toxiproxy in front of the store: connections that are slow, cut anywhere, reset, or silent. Cuts
// are independent of requests, so they meet heads, bodies and kept connections.
#include "remote/toxiproxy.hpp"

#include <gtest/gtest.h>

#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include "remote/store.hpp"
#include "support/files.hpp"
#include "support/handles.hpp"

namespace {

using namespace std::chrono_literals;
using leat_test::toxiproxy;
using direction = toxiproxy::direction;

class objects_behind_toxiproxy : public leat_test::with_store {
 protected:
  void SetUp() override {
    with_store::SetUp();
    if (IsSkipped()) return;
    if (!toxiproxy::is_installed()) GTEST_SKIP() << "toxiproxy is missing: run scripts/setup test";
    proxy_ = std::make_unique<toxiproxy>(test_store().port());
    settings_ = test_store().store_settings(proxy_->port());
    // If a fault hits half of the connections, the probability of 21 faults in a row is 0.5^21.
    settings_.retries = 20;
    settings_.first_pause = 1ms;
    settings_.deadline = 30s;
    leat::remote::set_defaults(settings_);
  }

  void set_deadline(std::chrono::milliseconds time) {
    settings_.deadline = time;
    leat::remote::set_defaults(settings_);
  }

  /// Reads, gathers, writes parts and a small object, and lists. All operations must succeed.
  void expect_all_to_succeed() const {
    const std::string text = leat_test::numbered_text(2 << 20);
    test_store().put("text", text);
    EXPECT_TRUE(leat::read_file("s3://bucket/text") == text);

    std::vector<std::uint32_t> numbers(1 << 20), positions(40), got(40);
    for (std::size_t i = 0; i != numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i);
    test_store().put("numbers",
                     {reinterpret_cast<const char*>(numbers.data()), numbers.size() * 4});
    std::minstd_rand random(3);
    for (auto& position : positions)
      position = static_cast<std::uint32_t>(random() % numbers.size());
    leat::records<std::uint32_t>::open("s3://bucket/numbers").gather(positions, got);
    EXPECT_EQ(got, positions);

    for (const std::size_t size : std::vector<std::size_t>{100, 9 << 20}) {
      const std::string content = leat_test::numbered_text(size);
      leat::write_file("s3://bucket/written", content);
      EXPECT_TRUE(test_store().get("written") == content) << size;
    }
    EXPECT_EQ(leat::remote::list("s3://bucket/written").size(), 1U);
  }

  std::unique_ptr<toxiproxy> proxy_;
  leat::remote::settings settings_;
};

TEST_F(objects_behind_toxiproxy, succeed_with_latency) {
  proxy_->add("latency", R"({"latency": 20, "jitter": 10})");
  const auto begin = std::chrono::steady_clock::now();
  expect_all_to_succeed();
  EXPECT_GT(std::chrono::steady_clock::now() - begin, 60ms) << "there was no latency";
}

/// At 8 MB/s for each range, two ranges give 16 MB/s, and eight ranges give 64 MB/s.
TEST_F(objects_behind_toxiproxy, are_read_by_more_connections_if_each_is_slow) {
  const std::string text = leat_test::numbered_text(32 << 20);
  test_store().put("text", text);
  proxy_->add("bandwidth", R"({"rate": 8000})");
  const auto before = leat_test::count_open_descriptors();
  std::ptrdiff_t most = 0;
  std::size_t size = 0;
  auto in = leat::open("s3://bucket/text");
  for (auto w = in.window(); !w.empty(); w = in.window()) {
    EXPECT_EQ(w, text.substr(size, w.size()));
    size += w.size();
    in.skip(w.size());
    most = std::max(most, leat_test::count_open_descriptors() - before);
  }
  EXPECT_EQ(size, text.size());
  EXPECT_GE(most, 8);
}

TEST_F(objects_behind_toxiproxy, succeed_with_packets_cut_anywhere) {
  proxy_->add("slicer", R"({"average_size": 40, "size_variation": 39, "delay": 1})");
  const std::string text = leat_test::numbered_text(40'000);
  test_store().put("sliced", text);
  EXPECT_TRUE(leat::read_file("s3://bucket/sliced") == text);
  EXPECT_EQ(leat::remote::list("s3://bucket/sliced").size(), 1U);
}

TEST_F(objects_behind_toxiproxy, continue_at_the_byte_where_a_response_was_cut) {
  // A connection ends after 100,000 bytes, so none delivers a whole range of 256 KiB.
  proxy_->add("limit_data", R"({"bytes": 100000})");
  const std::string text = leat_test::numbered_text(3 << 20);
  test_store().put("text", text);
  EXPECT_TRUE(leat::read_file("s3://bucket/text") == text);
  settings_.retries = 0;
  leat::remote::set_defaults(settings_);
  std::error_code ec;
  static_cast<void>(leat::read_file("s3://bucket/text", ec));
  EXPECT_TRUE(ec) << "nothing was cut";
}

TEST_F(objects_behind_toxiproxy, continue_after_responses_are_cut_in_their_heads) {
  proxy_->add("limit_data", R"({"bytes": 200})", direction::to_client, 0.4);
  for (int i = 0; i != 20; ++i) {
    const std::string address = "s3://bucket/" + std::to_string(i);
    leat::write_file(address, address);
    EXPECT_EQ(leat::read_file(address), address);
    EXPECT_EQ(leat::remote::list(address).at(0).size, address.size());
    leat::remote::remove(address);
  }
}

TEST_F(objects_behind_toxiproxy, continue_after_requests_are_cut) {
  proxy_->add("limit_data", R"({"bytes": 3000000})", direction::to_server, 0.4);
  for (int i = 0; i != 2; ++i) expect_all_to_succeed();
}

TEST_F(objects_behind_toxiproxy, continue_after_resets) {
  proxy_->add("reset_peer", R"({"timeout": 3})", direction::to_client, 0.5);
  for (int i = 0; i != 2; ++i) expect_all_to_succeed();
}

TEST_F(objects_behind_toxiproxy, fail_with_connection_reset_after_the_last_retry) {
  proxy_->add("reset_peer", R"({"timeout": 0})");
  settings_.retries = 3;
  leat::remote::set_defaults(settings_);
  std::error_code ec;
  const auto in = leat::open("s3://bucket/text", ec);
  EXPECT_EQ(ec, std::errc::connection_reset) << ec.message();
}

TEST_F(objects_behind_toxiproxy, fail_after_the_deadline_without_a_response) {
  test_store().put("text", "text");
  set_deadline(500ms);
  proxy_->add("timeout", R"({"timeout": 0})");
  std::error_code ec;
  const auto begin = std::chrono::steady_clock::now();
  const auto in = leat::open("s3://bucket/text", ec);
  EXPECT_EQ(ec, std::errc::timed_out) << ec.message();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  proxy_->reset();
  set_deadline(30s);
  EXPECT_EQ(leat::read_file("s3://bucket/text"), "text")
      << "reads fail after the reset of toxiproxy";
}

TEST_F(objects_behind_toxiproxy, fail_after_the_deadline_if_bytes_arrive_too_slowly) {
  test_store().put("text", std::string(1 << 20, 'x'));
  proxy_->add("bandwidth", R"({"rate": 2})");  // KB per second
  set_deadline(500ms);
  std::error_code ec;
  const auto begin = std::chrono::steady_clock::now();
  const auto in = leat::open("s3://bucket/text", ec);
  EXPECT_EQ(ec, std::errc::timed_out) << ec.message();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
}

}  // namespace
