// overlay_device: changed pages in memory over another device.
#include "device/overlay.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <system_error>

#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;

void write_at(leat::overlay_device& to, std::uint64_t at, std::string_view bytes) {
  std::error_code ec;
  EXPECT_EQ(to.write_at(at, {&bytes, 1}, ec), bytes.size());
}

TEST(overlay_device, keeps_changed_bytes_before_a_new_end) {
  auto script = new_script();
  script->content = std::string(20'000, 'o');
  leat::overlay_device over(device_of(script));
  write_at(over, 10, "changed");
  write_at(over, 9000, "changed");
  std::error_code ec;
  over.resize(9003, ec);
  over.resize(9010, ec);
  std::string bytes(30'000, ' ');
  ASSERT_EQ(over.read_at(0, bytes, ec), 9010U);
  EXPECT_EQ(bytes.substr(8, 11), "oochangedoo");
  EXPECT_EQ(bytes.substr(8998, 12), std::string("oocha") + std::string(7, '\0'));
  over.resize(12, ec);
  ASSERT_EQ(over.read_at(0, bytes, ec), 12U);
  EXPECT_EQ(bytes.substr(0, 12), "ooooooooooch");
  EXPECT_EQ(script->content, std::string(20'000, 'o'));
}

TEST(overlay_device, returns_changed_bytes_after_unchanged_bytes) {
  auto script = new_script();
  script->content = std::string(20'000, 'o');
  leat::overlay_device over(device_of(script));
  write_at(over, 9000, "changed");
  std::string bytes(20'000, ' ');
  std::error_code ec;
  ASSERT_EQ(over.read_at(0, bytes, ec), 20'000U);
  EXPECT_EQ(bytes.substr(8998, 11), "oochangedoo");
}

TEST(overlay_device, returns_the_bytes_before_a_failure) {
  auto script = new_script();
  script->content = std::string(20'000, 'o');
  leat::overlay_device over(device_of(script));
  write_at(over, 9000, "changed");
  script->read_limit = 5000;
  std::string bytes(20'000, ' ');
  std::error_code ec;
  EXPECT_EQ(over.read_at(0, bytes, ec), 5000U);
  EXPECT_EQ(over.read_at(5000, bytes, ec), 0U);
  EXPECT_EQ(ec, script->read_failure);
  // The changed page is in memory, so reading it does not fail.
  EXPECT_GE(over.read_at(8192, std::span(bytes).first(4096), ec), 4096U);
  EXPECT_EQ(bytes.substr(808, 7), "changed");
}

TEST(overlay_device, a_successful_call_clears_an_earlier_error_code) {
  leat::overlay_device over(device_of(new_script()));
  std::error_code ec;
  over.resize(5, ec);
  ec = std::make_error_code(std::errc::io_error);
  EXPECT_EQ(over.size(ec), 5U);
  EXPECT_FALSE(ec);
}

}  // namespace
