// Devices for tests: failing_device injects faults, volatile_file simulates power loss.
// <leat/leat.hpp> does not include this header.
//
//     // Whatever operation of the disk fails, save() throws or the file is right.
//     for (std::uint64_t n = 1;; ++n) {
//       leat::volatile_file disk;
//       leat::fault_plan faults({{.nth = n, .ec = std::make_error_code(std::errc::io_error)}});
//       bool saved = true;
//       try {
//         save(std::make_unique<leat::failing_device>(disk.open(), faults));
//       } catch (const leat::io_error&) {
//         saved = false;
//       }
//       assert(!saved || disk.content() == "all of it");
//       if (faults.count() < n) break;  // no operation was left to fail
//     }
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/device.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace leat {
inline namespace v0 {

/// The kinds of operations that can fail. The requests of a batch count as the reads and writes
/// that carry them out: at least one for each request.
enum class device_operation { any, read, write, sync, size, resize, reserve, close };

/// A fault, and the operation in which it happens.
struct device_fault {
  device_operation in = device_operation::any;  ///< operations of this kind are counted
  std::uint64_t nth = 1;                        ///< the faulty operation; 0 and 1: the first
  bool onwards = false;                         ///< all later operations have the fault too
  /// The error of the operation; std::errc::interrupted is a signal. Zero: the operation succeeds.
  std::error_code ec = {};  // NOLINT(readability-redundant-member-init): GCC warns without it
  /// The most bytes that a read or a write transfers. By default all bytes, or no bytes with an
  /// error. A read with an error always transfers no bytes. A read of 0 bytes looks like the end.
  std::optional<std::size_t> most = {};  // NOLINT(readability-redundant-member-init)
  std::chrono::nanoseconds delay{};      ///< added to the time of the operation
};

/// The faults of one or several failing devices, and a count of their operations. The plan must
/// outlive the devices.
///
/// @par Threads
/// Several threads may use a plan at once.
class LEAT_API fault_plan {
 public:
  fault_plan() = default;
  explicit fault_plan(std::vector<device_fault> faults) : faults_(std::move(faults)) {}

  /// Adds a fault. `nth` counts from the first operation of the plan, not from this call.
  void add(const device_fault& one);
  /// The number of operations of a kind so far, including failed operations.
  std::uint64_t count(device_operation of = device_operation::any) const;

 private:
  friend class failing_device;
  /// Counts one operation. Returns the first fault for the operation, or a fault that changes
  /// nothing.
  device_fault next(device_operation one) noexcept;

  mutable std::mutex lock_;
  std::vector<device_fault> faults_;
  std::array<std::uint64_t, 8> counts_{};  // by operation; `any`: all
};

/// Passes all operations to the underlying device, except for the faults. A failed `close` closes
/// the underlying device nevertheless, as the system does. All bytes pass through counted
/// operations: there is no copy_at, and no descriptor.
class LEAT_API failing_device final : public device {
 public:
  /// Takes ownership of `below`. The device has the faults of `plan`, which must outlive the
  /// device.
  failing_device(std::unique_ptr<device> below, fault_plan& plan) noexcept;

  device_traits traits() const noexcept override;
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override;
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override;
  std::size_t read_ready(std::uint64_t at, std::span<char> into,
                         std::error_code& ec) noexcept override;
  void announce(std::uint64_t at, std::uint64_t size) noexcept override;
  std::uint64_t position() const noexcept override;
  std::uint64_t size(std::error_code& ec) const noexcept override;
  void resize(std::uint64_t size, std::error_code& ec) noexcept override;
  void reserve(std::uint64_t size, std::error_code& ec) noexcept override;
  void advise(pattern expected) noexcept override;
  void expect_sync() noexcept override;
  void sync(std::error_code& ec) noexcept override;
  std::chrono::nanoseconds now() const noexcept override;
  double cost() const noexcept override;
  void close(std::error_code& ec) noexcept override;

 private:
  device_fault next(device_operation one, std::error_code& ec) const noexcept;

  std::unique_ptr<device> below_;
  fault_plan* plan_;
};

/// A file on a disk that may lose power. Unsynced changes are kept separately. Programs see what
/// they have written; after a power cut, the file has the synced bytes and those unsynced changes
/// that the test chooses. Functions may throw std::bad_alloc.
///
/// A change is the part of one write in one sector of 512 bytes, or one resize. A disk may carry
/// out changes in any order and omit some; a sector is written atomically.
///
///     leat::volatile_file disk;
///     leat::file_writer journal(disk.open());
///     journal.write("one\n");
///     journal.sync();
///     journal.write("two\n");
///     journal.flush();
///     disk.cut_power();
///     assert(disk.content() == "one\n");
///
/// @par Threads
/// One thread at a time may use the file and its devices.
class LEAT_API volatile_file {
 public:
  static constexpr std::size_t sector_size = 512;

  /// A file in memory with this synced content.
  explicit volatile_file(std::string synced = {});
  /// A file over a device with positions. The device receives the bytes that are synced, or that
  /// survive a power cut. If the device can't be read, throws std::system_error.
  explicit volatile_file(std::unique_ptr<device> disk);
  ~volatile_file();
  volatile_file(const volatile_file&) = delete;
  volatile_file& operator=(const volatile_file&) = delete;

  /// Opens the file, any number of times. The file must outlive the device.
  std::unique_ptr<device> open();
  /// The content that programs see.
  const std::string& content() const noexcept;
  /// The number of unsynced changes.
  std::size_t unsynced() const noexcept;

  /// Cuts the power: only the unsynced changes with these numbers are carried out, in this order;
  /// the other changes are lost. The first change has the number 0. Open devices then report
  /// io_error; open() gives access to the remaining content. If the disk fails, throws
  /// std::system_error; for a wrong number, throws std::out_of_range.
  void cut_power(std::span<const std::size_t> surviving = {});
  /// Cuts the power; the surviving changes and their order are random. The same seed gives the same
  /// result.
  void cut_power_at_random(std::uint64_t seed);

 private:
  class view;
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace v0
}  // namespace leat
