// Batches and streams over a line of which bandwidth and latency are known.
#include "remote/slow_link.hpp"

#include <gtest/gtest.h>

#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;

class slow_links : public testing::Test {
 protected:
  void SetUp() override {
    const std::string missing = leat_test::slow_link::what_is_missing();
    if (!missing.empty()) GTEST_SKIP() << missing;
    try {
      link_ = std::make_unique<leat_test::slow_link>();
    } catch (const std::exception& error) {
      GTEST_SKIP() << error.what();
    }
    leat::remote::set_defaults(link_->how());
  }

  std::unique_ptr<leat_test::slow_link> link_;
};

TEST_F(slow_links, are_read_at_their_speed) {
  const std::string text = leat_test::numbered_text(24 << 20);
  link_->at().put("text", text);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(leat::read_file("s3://bucket/text") == text);
  const auto taken = std::chrono::steady_clock::now() - begin;
  // 24 MiB take 0.2 s on such a line.
  EXPECT_GT(taken, 180ms) << "there is no limit";
  EXPECT_LT(taken, 10s);
}

}  // namespace
