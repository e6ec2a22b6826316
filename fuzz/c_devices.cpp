// Devices of leat.h, compared with a string: devices over descriptors, and devices that fail, are
// simulated, or lose power. Also C's functions that copy, rename, split, follow and lock files.
#include <leat/leat.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "c_text.hpp"
#include "fuzz.hpp"

namespace {

using fuzz::input, fuzz::step, fuzz::view_of;

std::string content_of(const std::string& path) {
  char* bytes = nullptr;
  std::size_t size = 0;
  if (leat_read_file(path.c_str(), &bytes, &size) != 0) return "(none)";
  std::string all(bytes, size);
  std::free(bytes);
  return all;
}

void call_device(input& in) {
  std::string content = in.bytes(in.boundary_size(20'000));
  leat_volatile_file* const disk = leat_volatile_file_new(content.data(), content.size());
  leat_device* device = leat_volatile_file_open(disk);
  leat_fault_plan* const plan = leat_fault_plan_new();
  const bool fails = in.rarely(3), simulated = in.rarely(3);
  leat_simulated_model constant_times{};  // without a rate, each request takes the same time
  leat_simulated_statistics expected_statistics{};
  const bool has_constant_times = simulated && in.flag();
  const std::string path = fuzz::scratch() + "device";
  const bool over_descriptor = !fails && !simulated && in.rarely(3);
  int file = -1;
  step("a device, fails {}, simulated {}, a descriptor {}", fails, simulated, over_descriptor);
  if (over_descriptor) {
    leat_write_file(path.c_str(), content.data(), content.size());
    file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    leat_device_free(device);
    device = in.flag() ? leat_device_adopt(::dup(file)) : leat_device_borrow(file);
  }
  if (simulated) {
    leat_simulated_model model = leat_model_of(in.flag() ? LEAT_DISK_HDD : LEAT_DISK_S3);
    if (in.flag()) model.channels = static_cast<unsigned>(in.below(5));
    constant_times.read.latency = 1 + in.below(100'000);
    constant_times.write.latency = 1 + in.below(100'000);
    constant_times.sync = in.below(100'000);
    if (has_constant_times) model = constant_times;
    leat_device* const below = device;
    device = leat_device_simulate(below, &model);
    leat_device_free(below);
  }
  if (fails) {
    leat_device_fault fault{};
    fault.in = in.flag() ? LEAT_OPERATION_ANY : LEAT_OPERATION_WRITE;
    fault.nth = in.below(6);
    fault.onwards = in.rarely(4);
    fault.code = in.flag() ? EIO : 0;
    // A fault with a code and a short count returns -1, which hides how many bytes were moved.
    fault.shortens = fault.code == 0 && in.flag();
    fault.most = in.below(20);
    fault.delay = in.below(50);
    fuzz::expect_equal(leat_fault_plan_add(plan, &fault), 0, "leat_fault_plan_add()");
    leat_device* const below = device;
    device = leat_device_fail(below, plan);
    leat_device_free(below);
  }
  std::string synced = content;
  while (in.has_more()) {
    const std::size_t at = in.below(content.size() + 20), n = in.boundary_size(5000);
    std::uint64_t expected_time = leat_device_now(device);
    switch (in.below(6)) {
      case 0: {
        std::string to(n, '?');
        step("read_at {} {}", at, n);
        const ssize_t got = leat_device_read_at(device, at, to.data(), n);
        if (got < 0) {
          fuzz::expect(fails, "a read fails without a planned fault");
          break;
        }
        const std::string_view wanted =
            at < content.size() ? std::string_view(content).substr(at, n) : "";
        if (!fails)
          fuzz::expect_equal(static_cast<std::size_t>(got), wanted.size(), "leat_device_read_at()");
        fuzz::expect_text(std::string_view(to).substr(0, static_cast<std::size_t>(got)),
                          wanted.substr(0, static_cast<std::size_t>(got)), "leat_device_read_at()");
        if (got == 0) break;
        ++expected_statistics.reads;
        expected_statistics.bytes_read += static_cast<std::uint64_t>(got);
        expected_time += constant_times.read.latency;
        break;
      }
      case 1: {
        const std::string bytes = in.bytes(n);
        step("write_at {} {}", at, n);
        const ssize_t written = leat_device_write_at(device, at, bytes.data(), n);
        if (!fails) fuzz::expect_equal(written, static_cast<ssize_t>(n), "leat_device_write_at()");
        if (written <= 0) break;
        content.resize(std::max(content.size(), at + static_cast<std::size_t>(written)));
        content.replace(at, static_cast<std::size_t>(written), bytes, 0,
                        static_cast<std::size_t>(written));
        ++expected_statistics.writes;
        expected_statistics.bytes_written += static_cast<std::uint64_t>(written);
        expected_time += constant_times.write.latency;
        break;
      }
      case 2: {
        step("resize {}", at);
        const int result = leat_device_resize(device, at);
        if (result == 0) content.resize(at);
        if (!fails) fuzz::expect_equal(result, 0, "leat_device_resize()");
        break;
      }
      case 3: {
        step("sync");
        // A sync of a real file is slow, so most syncs are left out: then `result` is 1.
        const int result = over_descriptor && !in.rarely(16) ? 1 : leat_device_sync(device);
        if (result == 0) synced = content;
        expected_time += constant_times.sync;
        if (!fails) fuzz::expect(result >= 0, "leat_device_sync()");
        if (result == 0 && !over_descriptor)
          fuzz::expect_equal(leat_volatile_file_unsynced(disk), 0U,
                             "leat_volatile_file_unsynced()");
        break;
      }
      case 4:
        step("cost, time and counts of the device");
        fuzz::expect(leat_device_cost(device) >= 0, "leat_device_cost()");
        if (simulated && !fails) {
          const std::uint64_t before = leat_device_now(device);
          fuzz::expect_equal(leat_device_spend(device, 500), 0, "leat_device_spend()");
          fuzz::expect(leat_device_now(device) >= before + 500, "leat_device_now()");
          expected_time += 500;
        }
        if (fails)
          fuzz::expect(leat_fault_plan_count(plan, LEAT_OPERATION_ANY) >=
                           leat_fault_plan_count(plan, LEAT_OPERATION_READ),
                       "leat_fault_plan_count()");
        break;
      default:
        if (over_descriptor || fails || simulated || !in.rarely(4)) break;
        if (in.flag()) {
          step("cut_power_at_random");
          fuzz::expect_equal(
              leat_volatile_file_cut_power_at_random(disk, in.integer<std::uint64_t>()), 0,
              "leat_volatile_file_cut_power_at_random()");
        } else {
          step("cut_power");
          fuzz::expect_equal(leat_volatile_file_cut_power(disk, nullptr, 0), 0,
                             "leat_volatile_file_cut_power()");
          fuzz::expect_text(view_of(leat_volatile_file_content(disk)), synced,
                            "the synced content");
        }
        content = view_of(leat_volatile_file_content(disk));
        synced = content;
        leat_device_free(device);
        device = leat_volatile_file_open(disk);
    }
    if (!fails)
      fuzz::expect_equal(leat_device_size(device), static_cast<leat_off_t>(content.size()),
                         "leat_device_size()");
    if (has_constant_times && !fails)
      fuzz::expect_equal(leat_device_now(device), expected_time, "leat_device_now()");
    const leat_simulated_statistics counted = leat_device_statistics(device);
    if (fails || !simulated) expected_statistics = {};  // other devices report zeros
    fuzz::expect(counted.reads == expected_statistics.reads &&
                     counted.bytes_read == expected_statistics.bytes_read &&
                     counted.writes == expected_statistics.writes &&
                     counted.bytes_written == expected_statistics.bytes_written,
                 "leat_device_statistics()");
    fuzz::expect_text(
        over_descriptor ? content_of(path) : std::string(view_of(leat_volatile_file_content(disk))),
        content, "the content");
  }
  const int result = leat_device_close(device);
  if (!fails) fuzz::expect_equal(result, 0, "leat_device_close()");
  leat_device_free(device);
  leat_volatile_file_free(disk);
  leat_fault_plan_free(plan);
  if (file >= 0) ::close(file);
}

/// Copies, renames, splits, follows and locks whole files.
void call_file_functions(input& in) {
  const std::string a = fuzz::scratch() + "a", b = fuzz::scratch() + "b";
  std::filesystem::remove(b);
  std::string content = in.bytes(in.boundary_size(300'000));
  fuzz::expect_equal(leat_write_file(a.c_str(), content.data(), content.size()), 0,
                     "leat_write_file()");
  switch (in.below(4)) {
    case 0:
      step("copy_file");
      fuzz::expect_equal(leat_copy_file(a.c_str(), b.c_str()),
                         static_cast<leat_off_t>(content.size()), "leat_copy_file()");
      fuzz::expect_text(content_of(b), content, "the copy");
      fuzz::expect_equal(leat_recover(b.c_str()), 0, "leat_recover() with nothing to recover");
      if (in.rarely(8))
        fuzz::expect_equal(leat_rename_durably(b.c_str(), a.c_str()), 0, "leat_rename_durably()");
      else
        fuzz::expect_equal(leat_rename(b.c_str(), a.c_str()), 0, "leat_rename()");
      fuzz::expect_text(content_of(a), content, "the renamed file");
      fuzz::expect(!std::filesystem::exists(b), "the file with the old name still exists");
      break;
    case 1: {
      const std::size_t parts = 1 + in.below(9);
      step("split into {}", parts);
      std::vector<leat_reader*> readers(parts);
      const std::size_t count = leat_reader_split(a.c_str(), parts, '\n', nullptr, readers.data());
      fuzz::expect(count <= parts && (count != 0 || content.empty()), "leat_reader_split()");
      std::string all;
      for (std::size_t i = 0; i != count; ++i) {
        char* bytes = nullptr;
        std::size_t size = 0;
        fuzz::expect_equal(leat_reader_read_all(readers[i], 0, &bytes, &size), 0,
                           "leat_reader_read_all() of a part");
        fuzz::expect(all.empty() || all.ends_with('\n') || size == 0,
                     "a part does not begin at the start of a line");
        all.append(bytes, size);
        std::free(bytes);
        leat_reader_close(readers[i]);
      }
      fuzz::expect_text(all, content, "the concatenated parts");
      break;
    }
    case 2: {
      step("follow");
      leat_follow_options options{};
      options.no_wait = 1;
      options.begins_at_end = in.flag();
      options.last_lines = in.below(5);
      leat_reader* const from = leat_reader_follow(a.c_str(), &options);
      fuzz::expect(from != nullptr, "leat_reader_follow()");
      std::size_t begin = 0;
      if (options.begins_at_end != 0) {
        begin = content.size();
        for (std::size_t n = options.last_lines; n != 0 && begin != 0; --n) {
          const auto before = begin < 2 ? content.npos : content.rfind('\n', begin - 2);
          begin = before == content.npos ? 0 : before + 1;
        }
      }
      std::string got, appended;
      const auto read_available = [&] {
        for (leat_text text = leat_reader_window(from); text.size != 0;
             text = leat_reader_window(from)) {
          got += view_of(text);
          leat_reader_skip(from, text.size);
        }
      };
      read_available();
      appended = in.bytes(in.below(200));
      leat_writer* const out = leat_writer_append(a.c_str(), nullptr);
      leat_writer_write(out, appended.data(), appended.size());
      fuzz::expect_equal(leat_writer_close(out), 0, "leat_writer_close()");
      read_available();
      fuzz::expect_text(got, content.substr(begin) + appended, "the followed bytes");
      fuzz::expect_equal(leat_reader_stop(from), 0, "leat_reader_stop()");
      leat_reader_close(from);
      break;
    }
    default: {
      step("locks");
      const int first_descriptor = ::open(a.c_str(), O_RDWR | O_CLOEXEC),
                second_descriptor = ::open(a.c_str(), O_RDWR | O_CLOEXEC);
      const bool shared = in.flag(), also_shared = in.flag();
      leat_lock* const first_lock =
          leat_lock_descriptor(first_descriptor, shared ? LEAT_LOCK_SHARED : LEAT_LOCK_EXCLUSIVE);
      fuzz::expect(first_lock != nullptr, "leat_lock_descriptor()");
      leat_lock* const second_lock = leat_try_lock_descriptor(
          second_descriptor, also_shared ? LEAT_LOCK_SHARED : LEAT_LOCK_EXCLUSIVE);
      fuzz::expect_equal(second_lock != nullptr, shared && also_shared,
                         "leat_try_lock_descriptor()");
      if (second_lock == nullptr)
        fuzz::expect_equal(errno, EWOULDBLOCK, "errno of leat_try_lock_descriptor()");
      fuzz::expect_equal(leat_unlock(second_lock), 0, "leat_unlock()");
      fuzz::expect_equal(leat_unlock(first_lock), 0, "leat_unlock()");
      ::close(first_descriptor);
      ::close(second_descriptor);
    }
  }
}

void drive(input& in) {
  if (in.flag()) return call_device(in);
  for (int n = 20; n != 0 && in.has_more(); --n) call_file_functions(in);
}

const fuzz::driver self("c_devices", drive);

}  // namespace
