// failing_device: each kind of planned fault.
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/testing.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <system_error>

#include "device/memory.hpp"
#include "support/files.hpp"
#include "support/loss_recorder.hpp"

namespace {

using namespace leat_test;
using leat::device_operation;
using leat::failing_device;
using leat::fault_plan;
using leat::volatile_file;

const std::error_code full = std::make_error_code(std::errc::no_space_on_device);

TEST(failing_device, fails_only_the_nth_operation_of_a_kind) {
  volatile_file disk;
  fault_plan faults({{.in = device_operation::write, .nth = 2, .ec = full}});
  failing_device device(disk.open(), faults);
  const std::string_view piece = "abc";
  std::error_code ec;
  EXPECT_EQ(device.write_at(0, {&piece, 1}, ec), 3u);
  EXPECT_EQ(device.size(ec), 3u);
  EXPECT_EQ(device.write_at(3, {&piece, 1}, ec), 0u);
  EXPECT_EQ(ec, full);
  EXPECT_EQ(device.write_at(3, {&piece, 1}, ec), 3u);
  EXPECT_FALSE(ec);
  EXPECT_EQ(disk.content(), "abcabc");
  EXPECT_EQ(faults.count(device_operation::write), 3u);
  EXPECT_EQ(faults.count(device_operation::size), 1u);
  EXPECT_EQ(faults.count(), 4u);
}

TEST(failing_device, can_fail_every_kind_of_operation) {
  std::string memory(8, ' ');
  const std::string_view piece = "abc";
  for (const auto kind : {device_operation::read, device_operation::write, device_operation::sync,
                          device_operation::size, device_operation::resize,
                          device_operation::reserve, device_operation::close}) {
    volatile_file disk("content");
    fault_plan faults({{.in = kind, .onwards = true, .ec = full}});
    failing_device device(disk.open(), faults);
    std::error_code ec;
    const auto expect = [&](device_operation operation) {
      EXPECT_EQ(ec == full, operation == kind);
    };
    EXPECT_EQ(device.read_at(0, memory, ec), kind == device_operation::read ? 0u : 7u);
    expect(device_operation::read);
    EXPECT_EQ(device.read_ready(0, memory, ec), kind == device_operation::read ? 0u : 7u);
    expect(device_operation::read);
    device.write_at(0, {&piece, 1}, ec), expect(device_operation::write);
    device.sync(ec), expect(device_operation::sync);
    device.size(ec), expect(device_operation::size);
    device.resize(5, ec), expect(device_operation::resize);
    device.reserve(5, ec), expect(device_operation::reserve);
    device.close(ec), expect(device_operation::close);
    EXPECT_EQ(faults.count(), 8u);
  }
}

TEST(failing_device, shortens_and_delays_transfers) {
  using namespace std::chrono_literals;
  volatile_file disk("content");
  fault_plan faults;
  faults.add({.in = device_operation::read, .most = 2, .delay = 20ms});
  faults.add({.in = device_operation::write, .ec = full, .most = 4});
  failing_device device(disk.open(), faults);
  std::string memory(8, ' ');
  std::error_code ec;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(device.read_at(1, memory, ec), 2u);
  EXPECT_GE(std::chrono::steady_clock::now() - start, 20ms);
  EXPECT_EQ(device.read_at(1, memory, ec), 6u);
  const std::string_view pieces[]{"CON", "TENT"};
  EXPECT_EQ(device.write_at(0, pieces, ec), 4u);
  EXPECT_EQ(ec, full);
  EXPECT_EQ(disk.content(), "CONTent");
}

TEST(failing_device, counts_operations_from_the_first_one_of_the_plan) {
  volatile_file disk("content");
  fault_plan faults;
  failing_device device(disk.open(), faults);
  const auto fails = [&] {
    std::error_code ec;
    device.size(ec);
    return ec == full;
  };
  EXPECT_FALSE(fails());
  faults.add({.in = device_operation::size, .nth = 1, .ec = full});  // call 1 has passed
  faults.add({.in = device_operation::size, .nth = 3, .ec = full});
  EXPECT_FALSE(fails());
  EXPECT_TRUE(fails());
  EXPECT_FALSE(fails());

  // As in the C interface, 0 means the first operation.
  fault_plan first({{.in = device_operation::size, .nth = 0, .ec = full}});
  failing_device other(disk.open(), first);
  std::error_code ec;
  other.size(ec);
  EXPECT_EQ(ec, full);
  other.size(ec);
  EXPECT_FALSE(ec);
}

/// leat's rule: for every fault, the bytes in the file and the bytes reported as lost add up to
/// all bytes that were written.
TEST(failing_device, a_writer_reports_exactly_the_bytes_that_are_not_in_the_file) {
  const std::string text = numbered_text(20'000);
  std::uint64_t failures = 0;
  for (std::uint64_t n = 1;; ++n) {
    volatile_file disk;
    fault_plan faults({{.nth = n, .ec = full, .most = n % 5}});
    const loss_recorder losses;
    std::uint64_t lost = 0;
    std::error_code ec;
    {
      leat::file_writer out(std::make_unique<failing_device>(disk.open(), faults),
                            {.buffer_size = 4096, .durability = leat::durability::system});
      for (std::size_t i = 0; i != text.size(); i += 100)
        out.write(std::string_view(text).substr(i, 100));
      out.close(ec);
      lost = out.lost();
    }
    EXPECT_EQ(disk.content().size() + lost, text.size()) << n;
    EXPECT_TRUE(text.starts_with(disk.content())) << n;
    if (faults.count() < n) {
      EXPECT_FALSE(ec);
      EXPECT_EQ(disk.content(), text);
      break;
    }
    EXPECT_EQ(ec, full) << n;
    ++failures;
  }
  EXPECT_GE(failures, 7u);
}

}  // namespace
