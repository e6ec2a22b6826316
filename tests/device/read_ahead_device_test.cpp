// read_ahead_device: reads after an error of the device below.
#include "device/read_ahead_device.hpp"

#include <gtest/gtest.h>

#include <leat/testing.hpp>

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "device/memory.hpp"

namespace {

TEST(read_ahead_device, reads_again_after_an_error) {
  std::string content(100'000, 'a');
  content.back() = 'z';
  const std::error_code failed = std::make_error_code(std::errc::io_error);
  leat::fault_plan plan({{.in = leat::device_operation::read, .nth = 2, .ec = failed}});
  leat::read_ahead_device ahead(
      std::make_unique<leat::failing_device>(std::make_unique<leat::memory_device>(content), plan));
  std::array<char, 1000> piece{};
  std::string got;
  int errors = 0;
  while (got.size() != content.size() && errors != 10) {
    std::error_code ec;
    const std::size_t n = ahead.read_at(got.size(), piece, ec);
    if (ec) {
      EXPECT_EQ(ec, failed);
      ++errors;
    }
    got.append(piece.data(), n);
  }
  EXPECT_EQ(errors, 1);
  EXPECT_EQ(got, content);
}

}  // namespace
