// The interface of devices: a file, a pipe, memory. A device has no cursor: each call takes a
// position, and does what one system call would do. Buffers, retries and policies belong to the
// streams.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/detail/chrono.hpp>
#include <leat/detail/unique_ptr.hpp>
#include <leat/error.hpp>
#include <leat/options.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// The properties of a device, by which streams choose how to use it. Fixed while the device is
/// open.
struct device_traits {
  /// False: a pipe, terminal or socket. Positions are ignored, and bytes go in order.
  bool positional = true;
  bool appends = false;   ///< each write appends; its position is ignored
  bool terminal = false;  ///< a person may be watching
  /// The file appears only with close(); without close() all bytes are discarded. Queried also
  /// after a failed close(), where false means that the file has appeared, but may not survive a
  /// crash.
  bool commits = false;
  bool reads_ahead = false;         ///< the system reads ahead of sequential reads
  bool concurrent = false;          ///< several threads may read, write and query the size at once
  bool syncs_concurrently = false;  ///< one thread may call sync() while another thread writes
  bool starts_reads = false;        ///< start_read() and finish_read() work
  bool has_views = false;           ///< view_at() works

  /// Returns the traits of a device that wraps this device and passes all reads on.
  device_traits in_front() const noexcept {
    device_traits same = *this;
    same.reads_ahead = reads_ahead && !starts_reads;
    same.starts_reads = false;
    same.has_views = false;
    return same;
  }
  /// The error of a seek or a change on a device without positions: operation_not_supported if new
  /// content is written in order, invalid_seek for a pipe.
  std::errc refusal() const noexcept {
    return commits && !positional ? std::errc::operation_not_supported : std::errc::invalid_seek;
  }
};

/// The cost of reads, in nanoseconds, on a device that measures the cost.
struct device_speed {
  double request = 0;        ///< one more request, while many requests are in flight; 0: unknown
  double byte = 0;           ///< one more byte
  double latency = 0;        ///< from a request to its first byte
  bool is_measured = false;  ///< false: a guess
};

/// One read of a batch, and its result.
struct read_request {
  std::uint64_t at = 0;  ///< the position of the first byte
  std::span<char> into;  ///< memory for the bytes; its size is the number of bytes to read
  std::size_t done = 0;  ///< bytes read: fewer than requested at the end, or with an error
  std::error_code ec;    ///< the error, or none
};

/// One write of a batch, and its result.
struct write_request {
  std::uint64_t at = 0;    ///< the position of the first byte
  std::string_view bytes;  ///< valid until the batch has ended
  std::size_t done = 0;    ///< bytes written: fewer than given only with an error
  std::error_code ec;      ///< the error, or none
};

/// The interface of all devices, which streams and files of records use. Derive from this class
/// for a new kind of device.
///
/// A device is open from its construction until close() or release(). Afterwards only traits() and
/// the device's destructor may be called. Positions and sizes are in bytes. No function throws. A
/// function with an `ec` sets `ec` to its error, or clears `ec` if there is none.
///
/// Functions that a derived class does not override: read_ready() calls read_at(). read_many(),
/// write_many() and start_read() make one request after the other. size(), resize(), copy_at() and
/// release() fail with operation_not_supported. view_at() returns an empty view. announce(),
/// advise(), expect_sync(), reserve() and sync() do nothing and report no error.
///
/// @par Threads
/// One thread at a time may use a device. If traits() says `concurrent`, several threads may use
/// the device at once.
class LEAT_API device {
 public:
  device(const device&) = delete;
  device& operator=(const device&) = delete;
  /// Releases the resources of the device. Errors that close() would have reported are not
  /// reported.
  virtual ~device();

  virtual device_traits traits() const noexcept = 0;

  /// Reads once, up to into.size() bytes from `at` on. Waits for at least one byte. Returns the
  /// number of bytes; 0 without an error is the end. `interrupted`: a signal came first, and
  /// nothing was read.
  virtual std::size_t read_at(std::uint64_t at, std::span<char> into,
                              std::error_code& ec) noexcept = 0;
  /// Writes once: the pieces, one after the other, at `at`. Returns the number of written bytes,
  /// which may be fewer than all bytes, with or without an error; the caller continues after the
  /// written bytes.
  virtual std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                               std::error_code& ec) noexcept = 0;
  /// As read_at, but never waits: operation_would_block if no bytes are available. A device that
  /// can't determine whether bytes are available does what read_at does.
  virtual std::size_t read_ready(std::uint64_t at, std::span<char> into,
                                 std::error_code& ec) noexcept;
  /// If the traits say `has_views`: returns a view of the device's own memory, from `at` on,
  /// without a copy. Waits for `wanted` bytes. If the view has fewer bytes, the rest is elsewhere
  /// or can't be read; read_at continues after the view and reports the error. The view is valid
  /// until the next call. Exception: if the next call is view_at from a position in the view, the
  /// bytes from this position on stay valid; if the new view begins in the same memory, all bytes
  /// stay valid. window_padding bytes can be read after the view.
  virtual std::string_view view_at(std::uint64_t at, std::size_t wanted) noexcept;
  /// Announces a future read, so that the device may fetch the bytes. The device may do nothing.
  virtual void announce(std::uint64_t at, std::uint64_t size) noexcept;
  /// Carries out all requests, in any order, several at a time if that is faster. Afterwards each
  /// request has all its bytes, or fewer at the end, or an error. An error of one request does not
  /// stop the other requests.
  virtual void read_many(std::span<read_request> requests) noexcept;
  /// Carries out all writes, as read_many() carries out reads. No two writes overlap.
  virtual void write_many(std::span<write_request> requests) noexcept;
  /// If the traits say `starts_reads`: starts an asynchronous read, which progresses in all
  /// functions of the device. The request and its memory must stay valid until finish_read() or
  /// cancel_read(). finish_read() waits for the read, and sets `done` and `ec` as read_many does.
  virtual void start_read(read_request& one) noexcept;
  virtual void finish_read(read_request& one) noexcept;
  /// Ends a started read whose result is not needed; the read may be aborted.
  virtual void cancel_read(read_request& one) noexcept;
  /// The current cost of reads. Batches measure a device that does not know the cost.
  virtual device_speed speed() const noexcept { return {}; }
  /// Copies up to `n` bytes from another device, not through the program's memory. Returns the
  /// number of bytes; 0 without an error is the end of `from`. operation_not_supported: this copy
  /// is not possible for the two devices, and nothing was copied.
  virtual std::size_t copy_at(std::uint64_t at, device& from, std::uint64_t from_at, std::size_t n,
                              std::error_code& ec) noexcept;
  /// The start position of a stream over this device: the offset of an adopted or borrowed
  /// descriptor, else 0. Called before the first read or write.
  virtual std::uint64_t position() const noexcept { return 0; }
  /// The position of the end. operation_not_supported if there is no end, as in a pipe, or if the
  /// end is unknown: files in /proc and /sys report false sizes.
  virtual std::uint64_t size(std::error_code& ec) const noexcept;
  /// Moves the end. New bytes before the end are zero.
  virtual void resize(std::uint64_t size, std::error_code& ec) noexcept;
  /// Reserves space on the disk for a file of this size; size() does not change. If the device does
  /// not append, close() releases unused space. If there is too little space, reserve() fails. If
  /// the system can't reserve, reserve() does nothing.
  virtual void reserve(std::uint64_t size, std::error_code& ec) noexcept;
  /// Announces the order in which the program is going to read. The device may do nothing.
  virtual void advise(pattern expected) noexcept;
  /// If sync() will be called for all bytes, streams call expect_sync() before the first write. The
  /// device may start to sync while the program still writes. The device may do nothing.
  virtual void expect_sync() noexcept;
  /// Waits until all bytes that were written survive a crash of the machine.
  virtual void sync(std::error_code& ec) noexcept;
  /// The clock for measuring the device's speed. A simulated device has its own clock.
  virtual std::chrono::nanoseconds now() const noexcept;
  /// US dollars at list prices for all answered requests and their bytes; 0: free.
  virtual double cost() const noexcept { return 0; }
  /// Closes the device, even if close() reports an error. Some file systems report failed writes
  /// only here.
  virtual void close(std::error_code& ec) noexcept = 0;
  /// Returns the descriptor of the file that has the device's bytes at the device's positions, or
  /// no_handle. The caller must not close the descriptor.
  virtual native_handle_type native_handle() const noexcept { return no_handle; }
  /// Closes the device and returns the descriptor, with its file offset at `at`. The caller then
  /// owns the descriptor. On an error the device stays open, and no_handle is returned.
  virtual native_handle_type release(std::uint64_t at, std::error_code& ec) noexcept;
  /// The size when the device was opened, or 0 if unknown. A caller that reads the whole file uses
  /// this size to recognize the end: a short read that ends at this size. @since 0.3
  virtual std::uint64_t size_when_opened() const noexcept { return 0; }

 protected:
  device() = default;
};

/// A device over an open descriptor, which the device owns and closes. The device starts at the
/// descriptor's offset. If memory runs out, closes the descriptor and throws std::bad_alloc.
LEAT_API std::unique_ptr<device> adopt(native_handle_type handle);
/// A device over an open descriptor, which the caller owns: closing the device leaves the
/// descriptor open. This device also starts at the descriptor's offset. Throws std::bad_alloc.
LEAT_API std::unique_ptr<device> borrow(native_handle_type handle);

}  // namespace v0
}  // namespace leat
