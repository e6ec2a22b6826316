// memory_device: reads, writes, gaps and sizes.
#include "device/memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>

namespace {

std::size_t write(leat::device& to, std::uint64_t at, std::string_view bytes, std::error_code& ec) {
  const std::array<std::string_view, 2> pieces{bytes.substr(0, 1),
                                               bytes.empty() ? bytes : bytes.substr(1)};
  return to.write_at(at, pieces, ec);
}

TEST(memory_device, reads_written_bytes) {
  leat::memory_device device("0123456789");
  std::error_code ec = std::make_error_code(std::errc::io_error);
  EXPECT_EQ(write(device, 3, "abc", ec), 3u);
  EXPECT_FALSE(ec);
  EXPECT_EQ(write(device, 9, "xyz", ec), 3u);
  EXPECT_EQ(device.content(), "012abc678xyz");
  char got[5];
  EXPECT_EQ(device.read_at(4, got, ec), 5u);
  EXPECT_EQ(std::string(got, 5), "bc678");
  EXPECT_EQ(device.read_at(10, got, ec), 2u);
  EXPECT_EQ(device.read_at(12, got, ec), 0u);
  EXPECT_EQ(device.read_at(std::numeric_limits<std::uint64_t>::max(), got, ec), 0u);
  EXPECT_FALSE(ec);
}

TEST(memory_device, gaps_read_as_zeros) {
  leat::memory_device device;
  std::error_code ec;
  write(device, 3, "ab", ec);
  EXPECT_EQ(device.content(), std::string("\0\0\0ab", 5));
  EXPECT_EQ(write(device, 100, "", ec), 0u);
  EXPECT_EQ(device.size(ec), 5u) << "writing nothing makes no gap";
}

TEST(memory_device, shrinks_and_grows_with_zeros) {
  leat::memory_device device("abcdef");
  std::error_code ec;
  device.resize(3, ec);
  EXPECT_FALSE(ec);
  device.resize(5, ec);
  EXPECT_EQ(device.content(), std::string("abc\0\0", 5));
  device.resize(std::numeric_limits<std::uint64_t>::max(), ec);
  EXPECT_EQ(ec, std::errc::not_enough_memory);
  EXPECT_EQ(device.size(ec), 5u);
  EXPECT_FALSE(ec);
}

TEST(memory_device, refuses_writes_at_positions_that_no_memory_has) {
  leat::memory_device device("abc");
  std::error_code ec;
  for (const auto at : {std::numeric_limits<std::uint64_t>::max(),
                        std::numeric_limits<std::uint64_t>::max() - 1, std::uint64_t{1} << 63}) {
    EXPECT_EQ(write(device, at, "xyz", ec), 0u);
    EXPECT_EQ(ec, std::errc::file_too_large);
  }
  EXPECT_EQ(device.content(), "abc");
}

TEST(memory_device, has_no_descriptor) {
  leat::memory_device device;
  std::error_code ec;
  EXPECT_EQ(device.native_handle(), leat::no_handle);
  EXPECT_EQ(device.release(0, ec), leat::no_handle);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  EXPECT_EQ(device.position(), 0u);
  EXPECT_TRUE(device.traits().positional);
  device.sync(ec);
  EXPECT_FALSE(ec);
  device.close(ec);
  EXPECT_FALSE(ec);
}

}  // namespace
