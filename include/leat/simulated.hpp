// Simulated disks and networks: a model of latency over real bytes, with a simulated clock.
// <leat/leat.hpp> does not include this header.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/detail/chrono.hpp>
#include <leat/detail/unique_ptr.hpp>
#include <leat/device.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// The built-in models; src/device/simulated/models.cpp names the source of each figure.
enum class simulated_disk {
  hdd,   ///< a hard disk of 7200 rpm
  ssd,   ///< an SSD on SATA
  nvme,  ///< an SSD on PCIe
  nfs,   ///< a network file system, over Ethernet of 1 Gbit/s
  s3,    ///< an object store: times within its region, the price of a transfer out to the internet
};

/// The mechanics of a hard disk, whose bytes lie on one spiral from the outer edge to the inner
/// edge.
struct simulated_platter {
  std::uint64_t capacity = 0;               ///< bytes; a file begins at the outer edge
  std::chrono::nanoseconds rotation{};      ///< one revolution
  std::chrono::nanoseconds track_switch{};  ///< the shortest seek, to the next track
  std::chrono::nanoseconds average_seek{};  ///< between random tracks
  std::chrono::nanoseconds full_stroke{};   ///< the longest seek, across all tracks
  std::uint64_t outer_rate = 0;             ///< bytes a second of a long read at the outer edge …
  std::uint64_t inner_rate = 0;             ///< … and at the inner edge
  std::uint64_t read_ahead = 0;             ///< bytes that the drive reads ahead while it is idle
  /// Among this many queued requests, the drive starts the request that the head reaches first.
  unsigned queue = 1;
};

/// The cost of reads, or of writes. A request occupies one of the channels: for `latency` until its
/// first byte, then for its bytes at `stream_rate`. All channels share a connection, which passes
/// one request in each `interval`, and bytes at `rate`. A rate of 0 is no limit.
struct simulated_service {
  std::chrono::nanoseconds latency{};
  std::chrono::nanoseconds interval{};
  std::uint64_t rate = 0;         ///< bytes a second, all requests together
  std::uint64_t stream_rate = 0;  ///< bytes a second of one request
  double dollars_per_request = 0;
  double dollars_per_gigabyte = 0;  ///< of 10^9 bytes
};

/// The parameters of a simulated_device. All values are accepted: a time longer than an hour counts
/// as an hour, a negative time as 0; there are at most 65,536 channels; a platter has at most 2^60
/// bytes and reads at most 2^40 bytes a second.
struct simulated_model {
  simulated_service read, write;
  unsigned channels = 1;  ///< requests served at the same time; a platter serves one request
  std::chrono::nanoseconds submit{};  ///< time of the program to submit one request
  std::chrono::nanoseconds sync{};    ///< time of one sync()
  /// Adds the times of seeks, rotation and transfer under the head. A read that continues the
  /// previous read costs no `latency`, because the head passes its bytes anyway.
  std::optional<simulated_platter> platter = {};  // NOLINT(readability-redundant-member-init)
};

/// Returns the parameters of a built-in model.
LEAT_API simulated_model model_of(simulated_disk disk) noexcept;

/// Counts of the requests to the disk so far.
struct simulated_statistics {
  std::uint64_t reads = 0, bytes_read = 0;
  std::uint64_t writes = 0, bytes_written = 0;
};

/// Passes operations to the underlying device, and computes their time by the model. The clock
/// starts at 0 and advances only with calls: the same calls give the same times, to the nanosecond,
/// on every machine. The model is of a disk, not of a system. There is no page cache: bytes that
/// are read twice are requested twice, and a write ends when the disk has the bytes.
///
/// An announcement requests the bytes that are not announced yet; the bytes of a request arrive
/// together. A later read of these bytes waits for the request, and makes no second request. The
/// read discards the bytes that it took, and the bytes before them in the same announcement. 4096
/// announcements are kept. The next announcement waits until the bytes of the oldest announcement
/// have arrived, and replaces the oldest.
///
/// A failure of the underlying device is passed on, and takes the time of the whole request. Bytes
/// after the end of the file are not requested.
class LEAT_API simulated_device final : public device {
 public:
  /// A simulated device over the device `bytes`, which the simulated device owns.
  simulated_device(std::unique_ptr<device> bytes, const simulated_model& model);
  simulated_device(std::unique_ptr<device> bytes, simulated_disk disk)
      : simulated_device(std::move(bytes), model_of(disk)) {}
  ~simulated_device() override;

  /// Simulated time since the start.
  std::chrono::nanoseconds now() const noexcept override;
  /// Advances the clock by time that the program uses for other work; requests in flight progress.
  void spend(std::chrono::nanoseconds time) noexcept;
  /// The counts of the requests so far.
  simulated_statistics statistics() const noexcept;
  /// US dollars for the requests and bytes so far, without storage.
  double cost() const noexcept override;

  /// The functions of a device, for one thread at a time.
  device_traits traits() const noexcept override;
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override;
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override;
  /// Returns announced bytes that have arrived, without advancing the clock. A call that reports
  /// operation_would_block costs `submit`, so the clock advances for a program that polls.
  std::size_t read_ready(std::uint64_t at, std::span<char> into,
                         std::error_code& ec) noexcept override;
  void announce(std::uint64_t at, std::uint64_t size) noexcept override;
  void read_many(std::span<read_request> requests) noexcept override;
  void write_many(std::span<write_request> requests) noexcept override;
  std::uint64_t position() const noexcept override;
  std::uint64_t size(std::error_code& ec) const noexcept override;
  void resize(std::uint64_t size, std::error_code& ec) noexcept override;
  void reserve(std::uint64_t size, std::error_code& ec) noexcept override;
  void advise(pattern expected) noexcept override;
  void sync(std::error_code& ec) noexcept override;
  void close(std::error_code& ec) noexcept override;

 private:
  class simulation;

  std::unique_ptr<device> bytes_;
  std::unique_ptr<simulation> simulation_;
};

}  // namespace v0
}  // namespace leat
