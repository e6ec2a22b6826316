// Devices for tests: one that fails as told, and a file that loses its power. <leat/leat.hpp> does
// not include this header.
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

/// The kinds of operations that can fail. A batch of a device is one read or write a request.
enum class device_operation { any, read, write, sync, size, resize, reserve, close };

/// What goes wrong, and in which operation.
struct device_fault {
  device_operation in = device_operation::any;  ///< operations of this kind are counted
  std::uint64_t nth = 1;                        ///< the one that is hit; 0 and 1: the first
  bool onwards = false;                         ///< all later ones are hit, too
  /// What the operation reports; std::errc::interrupted is a signal. Zero: it does its work.
  std::error_code ec = {};  // NOLINT(readability-redundant-member-init): GCC wants one
  /// Bytes that a read or a write moves at most. By default all of them without an error, and none
  /// with one. A read moves none if there is an error. A read of 0 bytes looks like the end.
  std::optional<std::size_t> most = {};  // NOLINT(readability-redundant-member-init)
  std::chrono::nanoseconds delay{};      ///< how much longer the operation takes
};

/// What goes wrong in some failing_devices, and how many operations they have carried out. It must
/// outlive them.
///
/// @par Threads
/// Several may use it at once.
class LEAT_API fault_plan {
 public:
  fault_plan() = default;
  explicit fault_plan(std::vector<device_fault> faults) : faults_(std::move(faults)) {}

  /// Adds a fault. Its `nth` counts from the first operation of the plan on.
  void add(const device_fault& one);
  /// Operations of a kind so far, with those that have failed.
  std::uint64_t count(device_operation of = device_operation::any) const;

 private:
  friend class failing_device;
  /// Counts one operation; the first fault that hits it, or one that changes nothing.
  device_fault next(device_operation one) noexcept;

  mutable std::mutex lock_;
  std::vector<device_fault> faults_;
  std::array<std::uint64_t, 8> counts_{};  // by operation; `any`: all
};

/// Does what the device below does, but for the faults. A failed `close` closes the device below
/// nevertheless, as the system does. The device below is asked for no other operation than those
/// that are counted: it copies nothing by itself, and has no descriptor.
class LEAT_API failing_device final : public device {
 public:
  /// Does what `below` does, but for the faults of `plan`, which must outlive it.
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

/// A file whose disk may lose its power: it keeps apart what was not synced yet. Programs see what
/// they have written; a power cut leaves what was synced, and of the rest what the test says.
/// Functions may throw std::bad_alloc.
///
/// A change is what one write does within one sector of 512 bytes, or one resize. A disk may carry
/// out changes in any order, and some of them not at all; a sector is written as a whole.
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
/// One at a time may use it and its devices.
class LEAT_API volatile_file {
 public:
  static constexpr std::size_t sector_size = 512;

  /// A file in memory that has this content already.
  explicit volatile_file(std::string synced = {});
  /// Over a device with positions, which gets the bytes when they are synced, or survive a cut.
  /// Throws std::system_error if the device can't be read.
  explicit volatile_file(std::unique_ptr<device> disk);
  ~volatile_file();
  volatile_file(const volatile_file&) = delete;
  volatile_file& operator=(const volatile_file&) = delete;

  /// Opens the file, as often as you like. The file must outlive the device.
  std::unique_ptr<device> open();
  /// What programs see.
  const std::string& content() const noexcept;
  /// The number of changes that were not synced.
  std::size_t unsynced() const noexcept;

  /// The power fails: of the changes that were not synced these are carried out, by their numbers
  /// from 0 on and in this order; the others are lost. Devices that are open have no file any more,
  /// and report io_error; open() has what is left. Throws std::system_error if the disk fails, and
  /// std::out_of_range for a number that no change has.
  void cut_power(std::span<const std::size_t> surviving = {});
  /// Each change survives or not, in an order by chance; the same seed gives the same.
  void cut_power_at_random(std::uint64_t seed);

 private:
  class view;
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace v0
}  // namespace leat
