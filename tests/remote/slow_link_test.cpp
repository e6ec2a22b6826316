// Streams and batches over a link with known bandwidth and latency. A test fails if an operation is
// faster than the link allows, or far slower than necessary.
#include "remote/slow_link.hpp"

#include <gtest/gtest.h>

#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "support/files.hpp"

namespace {

using namespace std::chrono_literals;
using leat_test::slow_link;

class slow_links : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = slow_link::missing_requirement(); !missing.empty())
      GTEST_SKIP() << missing;
    try {
      link_ = std::make_unique<slow_link>();
    } catch (const std::exception& error) {
      GTEST_SKIP() << error.what();
    }
    leat::remote::set_defaults(link_->store_settings());
  }

  /// A file of `count` numbers at the other end of the link. Each number is its own position.
  leat::records<std::uint32_t> numbers(std::size_t count) {
    std::vector<std::uint32_t> all(count);
    for (std::size_t i = 0; i != count; ++i) all[i] = static_cast<std::uint32_t>(i);
    link_->test_store().put("numbers", {reinterpret_cast<const char*>(all.data()), count * 4});
    return leat::records<std::uint32_t>::open("s3://bucket/numbers");
  }

  std::unique_ptr<slow_link> link_;
};

std::chrono::steady_clock::duration time_of(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::steady_clock::now() - begin;
}

std::vector<std::uint32_t> random_positions(std::size_t count, std::uint32_t end) {
  std::minstd_rand random(7);
  std::vector<std::uint32_t> positions(count);
  for (auto& position : positions) position = static_cast<std::uint32_t>(random()) % end;
  return positions;
}

TEST_F(slow_links, transfer_12_mib_in_less_than_10_s) {
  const std::string text = leat_test::numbered_text(12 << 20);
  const auto to_write = time_of([&] {
    auto out = leat::create("s3://bucket/text");
    out.write(text);
    out.close();
  });
  std::string got;
  const auto to_read = time_of([&] { got = leat::read_file("s3://bucket/text"); });
  EXPECT_TRUE(got == text);
  for (const auto taken : {to_write, to_read}) {
    EXPECT_GT(taken, 90ms) << "12 MiB take 0.1 s: the link has no limit";
    EXPECT_LT(taken, 10s);
  }
}

TEST_F(slow_links, a_find_after_a_seek_takes_few_round_trips) {
  std::string text = leat_test::numbered_text(20 << 20);
  text.replace(text.size() / 2, 10, "the needle");
  link_->test_store().put("text", text);
  std::optional<leat::file_reader> in;
  const auto to_open =
      time_of([&] { EXPECT_EQ((in = leat::open("s3://bucket/text"))->get(), '0'); });
  EXPECT_GT(to_open, 30ms) << "the link has no latency";
  const auto to_find = time_of([&] {
    in->seek(text.size() / 2 - (1 << 20));
    EXPECT_TRUE(in->find("the needle"));
  });
  EXPECT_LT(to_open + to_find, 5s);
  EXPECT_EQ(in->tell(), text.size() / 2);
}

TEST_F(slow_links, a_batch_merges_dense_positions) {
  const auto file = numbers(4 << 20);
  const auto positions = random_positions(4000, 4 << 20);
  std::vector<std::uint32_t> got(positions.size());
  const auto taken = time_of([&] { file.gather(positions, got); });
  EXPECT_EQ(got, positions);
  // Neighbouring positions are about 4 KiB apart: 33 µs on this link. A request takes 30 ms, and 16
  // to 128 requests run at once.
  const leat::batch_plan plan = file.last_plan();
  SCOPED_TRACE(plan.why);
  EXPECT_EQ(plan.positions, positions.size());
  EXPECT_GE(plan.gap, 16U << 10);
  EXPECT_LT(plan.requests, 1000U);
  EXPECT_LE(plan.bytes, 40U << 20);
  EXPECT_LT(taken, 15s);
}

TEST_F(slow_links, a_batch_skips_the_gaps_between_sparse_positions) {
  const auto file = numbers(8 << 20);
  const auto positions = random_positions(8, 8 << 20);
  std::vector<std::uint32_t> got(positions.size());
  file.gather(positions, got);
  EXPECT_EQ(got, positions);
  const leat::batch_plan plan = file.last_plan();
  SCOPED_TRACE(plan.why);
  EXPECT_LE(plan.requests, 8U);
  EXPECT_LT(plan.bytes, 16U << 20) << "the object has 32 MiB";
}

}  // namespace
