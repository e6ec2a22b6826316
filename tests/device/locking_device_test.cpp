// locking_device passes calls on to the device below, and has no views. Several threads may share a
// locking_device.
#include "device/locking_device.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "device/memory.hpp"
#include "device/read_ahead_device.hpp"
#include "support/counted_device.hpp"

namespace {

TEST(locking_device, passes_batches_to_the_device_below) {
  const auto log = std::make_shared<leat_test::request_log>();
  log->content = "0123456789";
  leat::locking_device device(std::make_unique<leat_test::counted_device>(log));
  EXPECT_TRUE(device.traits().concurrent);

  std::string first(3, ' '), last(2, ' ');
  std::array<leat::read_request, 2> reads{{{1, first, 0, {}}, {8, last, 0, {}}}};
  device.read_many(reads);
  EXPECT_EQ(first + last, "12389");
  EXPECT_EQ(reads[0].done, 3U);

  std::array<leat::write_request, 2> writes{{{0, "ab", 0, {}}, {9, "c", 0, {}}}};
  device.write_many(writes);
  EXPECT_EQ(log->content, "ab2345678c");
  EXPECT_EQ(writes[1].done, 1U);

  std::error_code ec;
  EXPECT_EQ(device.size(ec), 10U);
  device.sync(ec);
  EXPECT_EQ(log->syncs, 1U);
}

TEST(locking_device, hides_the_views_of_the_device_below) {
  leat::locking_device device(
      std::make_unique<leat::read_ahead_device>(std::make_unique<leat::memory_device>("text")));
  EXPECT_FALSE(device.traits().has_views);
  EXPECT_EQ(device.view_at(0, 4), "");
}

}  // namespace
