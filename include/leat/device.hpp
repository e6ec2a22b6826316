// A device is where bytes live: a file, a pipe, memory. It knows positions, not cursors, and does
// what one system call would do; windows, retries and policies are the streams' business.
#pragma once

#include <leat/error.hpp>
#include <leat/options.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

#if defined(_WIN32)
using native_handle_type = void*;
#else
using native_handle_type = int;
#endif

/// The value of a native_handle() that does not exist.
inline const native_handle_type no_handle = (native_handle_type)-1;

/// What a stream has to know of a device to treat it right. Fixed while the device is open.
struct device_traits {
  bool positional =
      true;               ///< false: a pipe, terminal or socket; `at` is ignored, bytes go in order
  bool appends = false;   ///< every write goes to the end, whatever `at` says
  bool terminal = false;  ///< a person may be watching
  bool commits = false;   ///< close() publishes the bytes; destroying it unclosed leaves no trace
  bool reads_ahead = false;  ///< where reads follow one another, the system is ahead of them
  bool concurrent = false;   ///< several threads may read, write and ask for the size at once
};

/// One of a batch of reads: what to read, and how that went.
struct read_request {
  std::uint64_t at = 0;
  std::span<char> into;
  std::size_t done = 0;  ///< bytes read: fewer than asked for at the end, or with an error
  std::error_code ec;
};

/// One of a batch of writes.
struct write_request {
  std::uint64_t at = 0;
  std::string_view bytes;
  std::size_t done = 0;
  std::error_code ec;
};

/// The interface that every home of bytes implements. A device is used by one thread at a time
/// unless its class says more. No function throws; each reports through `ec`, which it clears on
/// success.
class LEAT_API device {
 public:
  device(const device&) = delete;
  device& operator=(const device&) = delete;
  /// Releases the device; what close() would have reported goes unreported.
  virtual ~device();

  virtual device_traits traits() const noexcept = 0;

  /// Reads once, up to into.size() bytes from `at` on. Returns how many; 0 without an error is the
  /// end.
  virtual std::size_t read_at(std::uint64_t at, std::span<char> into,
                              std::error_code& ec) noexcept = 0;
  /// Writes the pieces once, as one continuous run of bytes at `at`. Returns how many bytes went
  /// in, which may be fewer than offered; the caller goes on from there.
  virtual std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                               std::error_code& ec) noexcept = 0;
  /// The same as read_at, but only of bytes that are there without waiting; else
  /// operation_would_block. Devices that can't tell read.
  virtual std::size_t read_ready(std::uint64_t at, std::span<char> into,
                                 std::error_code& ec) noexcept;
  /// Says that these bytes are going to be read soon, so that they are under way until then; it may
  /// do nothing.
  virtual void announce(std::uint64_t at, std::uint64_t size) noexcept;
  /// Carries out all of them, in any order and several at a time where that is quicker. Each ends
  /// with its bytes done, at the end of the file, or with an error; one that fails stops no other.
  virtual void read_many(std::span<read_request> requests) noexcept;
  /// The same for writes, none of which overlap.
  virtual void write_many(std::span<write_request> requests) noexcept;
  /// Copies up to n bytes from another device, without their coming through the program. Returns
  /// how many, 0 at the end of `from`; operation_not_supported where it can't, and then nothing has
  /// been copied.
  virtual std::size_t copy_at(std::uint64_t at, device& from, std::uint64_t from_at, std::size_t n,
                              std::error_code& ec) noexcept;
  /// Where a stream over this device starts: an adopted descriptor's own offset, else 0.
  virtual std::uint64_t position() const noexcept { return 0; }
  /// Bytes from the start to the end; not_supported where that has no meaning.
  virtual std::uint64_t size(std::error_code& ec) const noexcept;
  virtual void resize(std::uint64_t size, std::error_code& ec) noexcept;
  /// Reserves space for a file of this size, which does not show it; close() gives back what was
  /// not needed. Fails where there is too little; does nothing where that can't be known.
  virtual void reserve(std::uint64_t size, std::error_code& ec) noexcept;
  /// Tells the system how it is going to be read; it may do nothing.
  virtual void advise(pattern expected) noexcept;
  /// Says that sync() will be wanted of all that is written from now on, so that the device may
  /// begin with it while the program still writes; it may do nothing.
  virtual void expect_sync() noexcept;
  /// Returns when all that was written survives the death of the machine.
  virtual void sync(std::error_code& ec) noexcept;
  /// The clock by which the device's speed is measured. A simulated device has its own.
  virtual std::chrono::nanoseconds now() const noexcept;
  /// Ends the use of the device and reports what that uncovers (some file systems write late).
  /// Whatever it reports, the device is closed then.
  virtual void close(std::error_code& ec) noexcept = 0;
  /// The descriptor behind it, whose bytes at a position are the device's, or no_handle.
  virtual native_handle_type native_handle() const noexcept { return no_handle; }
  /// Gives the descriptor away, its file offset at `at`; the device is closed then. no_handle if
  /// there is none to give.
  virtual native_handle_type release(std::uint64_t at, std::error_code& ec) noexcept;

 protected:
  device() = default;
};

/// A device over an open descriptor, which it owns and closes. Its position is the descriptor's.
LEAT_API std::unique_ptr<device> adopt(native_handle_type handle);
/// The same without ownership: closing the device leaves the descriptor open.
LEAT_API std::unique_ptr<device> borrow(native_handle_type handle);

}  // namespace v0
}  // namespace leat
