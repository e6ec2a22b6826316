// Devices of leat.h: devices of the program and of descriptors, simulated disks, and devices for
// tests.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "support/c_files.hpp"
#include "support/files.hpp"

namespace {

using namespace leat_test;

/// A device of the program over a string.
struct string_device {
  static string_device& from_context(void* context) {
    return *static_cast<string_device*>(context);
  }
  static ssize_t read(void* context, uint64_t at, void* to, size_t size) {
    const std::string& text = from_context(context).text;
    if (at >= text.size()) return 0;
    const size_t n = std::min(size, text.size() - static_cast<size_t>(at));
    std::memcpy(to, text.data() + at, n);
    return static_cast<ssize_t>(n);
  }
  static ssize_t write(void* context, uint64_t at, const void* from, size_t size) {
    std::string& text = from_context(context).text;
    text.resize(std::max(text.size(), static_cast<size_t>(at) + size));
    text.replace(static_cast<size_t>(at), size, static_cast<const char*>(from), size);
    return static_cast<ssize_t>(size);
  }
  leat_device* open() {
    leat_device_functions functions{};
    functions.read = read;
    functions.write = write;
    functions.size = [](void* context) {
      return static_cast<leat_off_t>(from_context(context).text.size());
    };
    functions.resize = [](void* context, uint64_t size) {
      from_context(context).text.resize(static_cast<size_t>(size));
      return 0;
    };
    functions.sync = [](void* context) { return ++from_context(context).syncs, 0; };
    functions.close = [](void* context) { return ++from_context(context).closes, 0; };
    return leat_device_new(&functions, this);
  }
  std::string text{};
  int syncs = 0;
  int closes = 0;
};

TEST(c_devices, call_the_programs_functions) {
  string_device own;
  leat_device* device = own.open();
  leat_writer* const out = leat_writer_over(device, nullptr, "own");
  leat_writer_write(out, "one\ntwo\n", 8);
  EXPECT_EQ(leat_writer_patch(out, 0, "O", 1), 0);
  EXPECT_EQ(leat_writer_sync(out), 0);
  EXPECT_EQ(own.text, "One\ntwo\n");
  EXPECT_EQ(own.syncs, 1);
  EXPECT_EQ(leat_device_size(device), 8);
  EXPECT_EQ(leat_device_write_at(device, 8, "end", 3), 3);
  char to[4];
  EXPECT_EQ(leat_device_read_at(device, 7, to, 4), 4);
  EXPECT_EQ(std::string(to, 4), "\nend");
  EXPECT_EQ(leat_device_read_at(device, 11, to, 4), 0);
  EXPECT_EQ(leat_device_resize(device, 8), 0);
  EXPECT_EQ(leat_device_sync(device), 0);
  EXPECT_EQ(leat_writer_close(out), 0);
  EXPECT_EQ(own.closes, 1);
  EXPECT_EQ(leat_device_read_at(device, 0, to, 4), -1);  // the stream has closed the device
  EXPECT_EQ(errno, EBADF);
  EXPECT_STREQ(leat_last_error()->operation, "read");
  leat_device_free(device);
  EXPECT_EQ(own.closes, 1);

  device = own.open();
  leat_reader* const in = leat_reader_over(device, nullptr, nullptr);
  leat_device_free(device);  // the reader keeps the device
  leat_text line;
  EXPECT_EQ(leat_reader_next_line(in, nullptr, &line), 1);
  EXPECT_EQ(string_of(line), "One");
  EXPECT_EQ(leat_reader_close(in), 0);
  EXPECT_EQ(own.closes, 2);
  device = own.open();
  EXPECT_EQ(leat_device_close(device), 0);
  EXPECT_EQ(leat_device_close(device), -1);
  leat_device_free(device);
  EXPECT_EQ(own.closes, 3);
}

TEST(c_devices, report_missing_functions_and_impossible_results) {
  const leat_device_functions none{};
  leat_device* const device = leat_device_new(&none, nullptr);
  char to[4];
  EXPECT_EQ(leat_device_read_at(device, 0, to, 4), -1);
  EXPECT_EQ(errno, EBADF);
  EXPECT_EQ(leat_device_write_at(device, 0, to, 4), -1);
  EXPECT_EQ(leat_device_size(device), -1);
  EXPECT_EQ(leat_device_sync(device), 0);
  leat_device_free(device);
  leat_device_functions wrong{};
  wrong.read = [](void*, uint64_t, void*, size_t size) { return static_cast<ssize_t>(size + 1); };
  leat_device* const liar = leat_device_new(&wrong, nullptr);
  EXPECT_EQ(leat_device_read_at(liar, 0, to, 4), -1);
  EXPECT_EQ(errno, EIO);
  leat_device_free(liar);
}

TEST(c_devices, report_eio_if_a_function_sets_no_errno) {
  leat_device_functions silent{};
  silent.read = [](void*, uint64_t, void*, size_t) -> ssize_t { return -1; };
  silent.write = [](void*, uint64_t, const void*, size_t) -> ssize_t { return -1; };
  silent.size = [](void*) -> leat_off_t { return -1; };
  silent.resize = [](void*, uint64_t) { return -1; };
  silent.sync = [](void*) { return -1; };
  silent.close = [](void*) { return -1; };
  leat_device* const device = leat_device_new(&silent, nullptr);
  char to[4] = "abc";
  const auto error_of = [](auto result) {  // `result` is of a call that began with errno == ENOENT
    EXPECT_EQ(result, -1);
    return std::exchange(errno, ENOENT);
  };
  errno = ENOENT;
  EXPECT_EQ(error_of(leat_device_read_at(device, 0, to, 4)), EIO);
  EXPECT_EQ(error_of(leat_device_write_at(device, 0, to, 4)), EIO);
  EXPECT_EQ(error_of(leat_device_size(device)), EIO);
  EXPECT_EQ(error_of(leat_device_resize(device, 1)), EIO);
  EXPECT_EQ(error_of(leat_device_sync(device)), EIO);
  EXPECT_EQ(error_of(leat_device_close(device)), EIO);
  leat_device_free(device);
}

TEST(c_devices, simulate_how_long_a_disk_takes) {
  string_device own;
  own.text.assign(100000, 's');
  leat_device* const bytes = own.open();
  const leat_simulated_model ssd = leat_model_of(LEAT_DISK_SSD);
  EXPECT_GT(ssd.read.latency, 0u);
  EXPECT_EQ(ssd.platter.capacity, 0u);
  EXPECT_GT(leat_model_of(LEAT_DISK_HDD).platter.rotation, 0u);
  leat_device* const disk = leat_device_simulate(bytes, &ssd);
  leat_device_free(bytes);
  leat_reader* const in = leat_reader_over(disk, nullptr, "ssd");
  char* all = nullptr;
  size_t size = 0;
  EXPECT_EQ(leat_reader_read_all(in, 0, &all, &size), 0);
  EXPECT_EQ(size, 100000u);
  std::free(all);
  const uint64_t now = leat_device_now(disk);
  EXPECT_GE(now, ssd.read.latency);
  EXPECT_EQ(leat_device_spend(disk, 1000), 0);
  EXPECT_EQ(leat_device_now(disk), now + 1000);
  EXPECT_EQ(leat_device_statistics(disk).bytes_read, 100000u);
  EXPECT_EQ(leat_device_cost(disk), 0);
  EXPECT_EQ(leat_reader_close(in), 0);
  leat_device_free(disk);

  leat_device* const plain = own.open();
  EXPECT_EQ(leat_device_spend(plain, 1), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(leat_device_statistics(plain).reads, 0u);
  leat_device_free(plain);
  EXPECT_EQ(leat_model_of(static_cast<leat_simulated_disk>(7)).channels, 0u);
  EXPECT_EQ(errno, EINVAL);
}

TEST(c_devices, fail_at_the_operations_of_a_fault_plan) {
  leat_fault_plan* const plan = leat_fault_plan_new();
  leat_device_fault full{};
  full.in = LEAT_OPERATION_WRITE;
  full.nth = 2;
  full.code = ENOSPC;
  EXPECT_EQ(leat_fault_plan_add(plan, &full), 0);
  string_device own;
  leat_device* const below = own.open();
  leat_device* const device = leat_device_fail(below, plan);
  leat_writer_options options{};
  options.flush = LEAT_FLUSH_CALL;
  leat_writer* const out = leat_writer_over(device, &options, "full");
  leat_writer_write(out, "one", 3);
  leat_writer_write(out, "two", 3);
  EXPECT_EQ(leat_writer_error(out), ENOSPC);
  EXPECT_EQ(leat_writer_flush(out), -1);
  EXPECT_STREQ(leat_last_error()->path, "full");
  EXPECT_EQ(leat_last_error()->offset, 3u);
  EXPECT_EQ(leat_last_error()->unwritten, 3u);
  EXPECT_EQ(leat_fault_plan_count(plan, LEAT_OPERATION_WRITE), 2u);
  leat_writer_clear_error(out);
  leat_writer_write(out, "three", 5);
  EXPECT_EQ(own.text, "onethree");
  // If a fault is added later, its `nth` also counts from the plan's first operation.
  full.nth = 5;
  EXPECT_EQ(leat_fault_plan_add(plan, &full), 0);
  leat_writer_write(out, "four", 4);
  EXPECT_EQ(leat_writer_error(out), 0);
  leat_writer_write(out, "five", 4);
  EXPECT_EQ(leat_writer_error(out), ENOSPC);
  leat_fault_plan_free(plan);  // the device keeps the plan
  leat_writer_clear_error(out);
  leat_writer_close(out);
  EXPECT_EQ(own.text, "onethreefour");
  leat_device_free(device);
  leat_device_free(below);
}

TEST(c_devices, lose_unsynced_bytes_at_a_power_cut) {
  leat_volatile_file* const file = leat_volatile_file_new("old ", 4);
  leat_device* const device = leat_volatile_file_open(file);
  EXPECT_EQ(leat_device_write_at(device, 4, "safe", 4), 4);
  EXPECT_EQ(leat_device_sync(device), 0);
  EXPECT_EQ(leat_device_write_at(device, 8, " lost", 5), 5);
  EXPECT_EQ(string_of(leat_volatile_file_content(file)), "old safe lost");
  EXPECT_EQ(leat_volatile_file_unsynced(file), 1u);
  const size_t wrong = 7;
  EXPECT_EQ(leat_volatile_file_cut_power(file, &wrong, 1), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(leat_volatile_file_cut_power(file, nullptr, 0), 0);
  EXPECT_EQ(string_of(leat_volatile_file_content(file)), "old safe");
  EXPECT_EQ(leat_device_write_at(device, 0, "x", 1), -1);  // the power cut ended this device
  leat_device_free(device);
  EXPECT_EQ(leat_volatile_file_cut_power_at_random(file, 1), 0);
  leat_volatile_file_free(file);
}

#if !defined(_WIN32)
TEST(c_devices, close_an_adopted_descriptor_but_not_a_borrowed_one) {
  const temporary_folder folder;
  write_file(folder / "a", "bytes");
  const file_ptr f = open_file(folder / "a", "r");
  leat_device* const device = leat_device_borrow(leat_fileno(f.get()));
  ASSERT_NE(device, nullptr);
  EXPECT_EQ(leat_device_size(device), 5);
  EXPECT_EQ(leat_device_close(device), 0);
  leat_device_free(device);
  EXPECT_EQ(rest_of(f.get()), "bytes");
  leat_device* const adopted = leat_device_adopt(::dup(leat_fileno(f.get())));
  EXPECT_EQ(leat_device_size(adopted), 5);
  leat_device_free(adopted);
  EXPECT_EQ(leat_device_adopt(-1), nullptr);
  EXPECT_EQ(errno, EBADF);
  EXPECT_EQ(leat_device_borrow(-1), nullptr);
}
#endif

}  // namespace
