// A device has bytes: a file, a pipe, memory. It has positions but no cursor, and each call does
// what one system call would do. Windows, retries and policies belong to the streams.
#pragma once

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

/// What a stream has to know of a device. Fixed while the device is open.
struct device_traits {
  /// False: a pipe, terminal or socket. Positions are ignored, and bytes go in order.
  bool positional = true;
  bool appends = false;   ///< each write goes to the end; its position is ignored
  bool terminal = false;  ///< a person may be watching
  /// The file appears only with close(); without it all is dropped. After a close() that has failed
  /// this is asked again: false says that the file has appeared, but may not survive a crash.
  bool commits = false;
  bool reads_ahead = false;   ///< the system reads ahead by itself if reads follow one another
  bool concurrent = false;    ///< several threads may read, write and ask for the size at once
  bool syncs_beside = false;  ///< one thread may call sync() while another one writes
  bool starts_reads = false;  ///< start_read() and finish_read() work
  bool lends = false;         ///< view_at() works

  /// The same for a device in front, through which all reads go.
  device_traits in_front() const noexcept {
    device_traits same = *this;
    same.reads_ahead = reads_ahead && !starts_reads;
    same.starts_reads = false;
    same.lends = false;
    return same;
  }
  /// What a seek or a change is refused with where there are no positions to go to: a new content
  /// is made in order (operation_not_supported), the bytes of a pipe pass by (invalid_seek).
  std::errc refusal() const noexcept {
    return commits && !positional ? std::errc::operation_not_supported : std::errc::invalid_seek;
  }
};

/// What reads take on a device that finds it out by itself, in nanoseconds.
struct device_speed {
  double request = 0;  ///< one more request while many are under way; 0: the device does not know
  double byte = 0;     ///< one more byte
  double latency = 0;  ///< from a request to its first byte
  bool is_measured = false;  ///< false: a guess
};

/// One of a batch of reads: what to read, and how that went.
struct read_request {
  std::uint64_t at = 0;  ///< the position of the first byte
  std::span<char> into;  ///< memory for the bytes; its size says how many to read
  std::size_t done = 0;  ///< bytes read: fewer than asked for at the end, or with an error
  std::error_code ec;    ///< the error, or none
};

/// One of a batch of writes: what to write, and how that went.
struct write_request {
  std::uint64_t at = 0;    ///< the position of the first byte
  std::string_view bytes;  ///< valid until the batch has ended
  std::size_t done = 0;    ///< bytes written: fewer than given only with an error
  std::error_code ec;      ///< the error, or none
};

/// The interface of everything that has bytes. Streams, files of records and other devices call it.
/// A class that implements it is a new kind of device.
///
/// A device is open from its construction until close() or release(). Afterwards only traits() and
/// its destructor may be called. Positions and sizes are in bytes. No function throws. A function
/// with an `ec` sets it to its error, and clears it if there is none.
///
/// @par Threads
/// One at a time, unless its traits say `concurrent`.
class LEAT_API device {
 public:
  device(const device&) = delete;
  device& operator=(const device&) = delete;
  /// Releases what the device owns. Errors that close() would have reported are not reported.
  virtual ~device();

  virtual device_traits traits() const noexcept = 0;

  /// Reads once, up to into.size() bytes from `at` on. Waits until at least one byte is there.
  /// Returns how many; 0 without an error is the end. `interrupted`: a signal came first, and
  /// nothing was read.
  virtual std::size_t read_at(std::uint64_t at, std::span<char> into,
                              std::error_code& ec) noexcept = 0;
  /// Writes once: the pieces, one behind the other, at `at`. Returns how many bytes the device has
  /// taken. That may be fewer than all, with or without an error; the caller continues behind them.
  virtual std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                               std::error_code& ec) noexcept = 0;
  /// As read_at, but reads only bytes that are there without waiting; operation_would_block if
  /// there are none. A device that can't know this does what read_at does.
  virtual std::size_t read_ready(std::uint64_t at, std::span<char> into,
                                 std::error_code& ec) noexcept;
  /// Where the traits say `lends`: the bytes from `at` on that lie in the device's own memory, so
  /// that nobody copies them. Waits until there are `wanted`. Fewer: the rest lies elsewhere, or
  /// can't be read; read_at goes on behind them, and tells. They stay until the next call; a
  /// view_at from one of them keeps those from there on, and all where its result begins in the
  /// same memory. As many bytes as a reader's window_padding can be read behind them.
  virtual std::string_view view_at(std::uint64_t at, std::size_t wanted) noexcept;
  /// Called before bytes are read, so that the device may begin to get them. It may do nothing.
  virtual void announce(std::uint64_t at, std::uint64_t size) noexcept;
  /// Carries out all requests, in any order, and several at a time where that is quicker.
  /// Afterwards each has all its bytes, or fewer at the end, or an error. An error of one stops no
  /// other.
  virtual void read_many(std::span<read_request> requests) noexcept;
  /// The same for writes. No two of them overlap.
  virtual void write_many(std::span<write_request> requests) noexcept;
  /// Where the traits say `starts_reads`: begins a read, which goes on in all functions of the
  /// device. The request and its memory stay until finish_read() has ended it, as read_many does.
  virtual void start_read(read_request& one) noexcept;
  virtual void finish_read(read_request& one) noexcept;
  /// Ends a read that nobody needs any more; it may stop.
  virtual void cancel_read(read_request& one) noexcept;
  /// What reads take now. Batches measure a device that does not know.
  virtual device_speed speed() const noexcept { return {}; }
  /// Copies up to `n` bytes from another device; they do not pass through the program. Returns how
  /// many; 0 without an error is the end of `from`. operation_not_supported: the device can't do
  /// this, and nothing has been copied.
  virtual std::size_t copy_at(std::uint64_t at, device& from, std::uint64_t from_at, std::size_t n,
                              std::error_code& ec) noexcept;
  /// Where a stream over this device starts: the offset of an adopted descriptor, else 0. Called
  /// before the first read or write.
  virtual std::uint64_t position() const noexcept { return 0; }
  /// The position of the end. operation_not_supported where there is none, as of a pipe, and where
  /// nobody knows it: the sizes of files in /proc and /sys are made up.
  virtual std::uint64_t size(std::error_code& ec) const noexcept;
  /// Moves the end. New bytes before it are zero.
  virtual void resize(std::uint64_t size, std::error_code& ec) noexcept;
  /// Reserves space on the disk for a file of this size; size() does not change. close() gives back
  /// what was not needed. Fails if there is too little space. Does nothing if the system can't
  /// reserve.
  virtual void reserve(std::uint64_t size, std::error_code& ec) noexcept;
  /// Says in which order the program is going to read. It may do nothing.
  virtual void advise(pattern expected) noexcept;
  /// Called before the first write: sync() will be called for all bytes. The device may start to
  /// sync while the program still writes. It may do nothing.
  virtual void expect_sync() noexcept;
  /// Waits until all bytes that were written survive a crash of the machine.
  virtual void sync(std::error_code& ec) noexcept;
  /// The clock by which the device's speed is measured. A simulated device has its own.
  virtual std::chrono::nanoseconds now() const noexcept;
  /// US dollars for all requests that were answered, and their bytes, at the usual prices; 0 where
  /// they are free.
  virtual double cost() const noexcept { return 0; }
  /// Closes the device, even if it reports an error. Some file systems report failed writes only
  /// here.
  virtual void close(std::error_code& ec) noexcept = 0;
  /// The descriptor that has the same bytes at the same positions, or no_handle. The device keeps
  /// it.
  virtual native_handle_type native_handle() const noexcept { return no_handle; }
  /// Gives the descriptor to the caller, with its file offset at `at`. Then the device is closed.
  /// With an error it stays open, and no_handle is returned.
  virtual native_handle_type release(std::uint64_t at, std::error_code& ec) noexcept;
  /// The size when the device was opened, or 0 where it is not known. So who reads all knows the
  /// end: a read that gives fewer bytes than asked for, and ends there. @since 0.3
  virtual std::uint64_t size_when_opened() const noexcept { return 0; }

 protected:
  device() = default;
};

/// A device over an open descriptor, which it owns and closes. Its position is the descriptor's.
LEAT_API std::unique_ptr<device> adopt(native_handle_type handle);
/// The same without ownership: closing the device leaves the descriptor open.
LEAT_API std::unique_ptr<device> borrow(native_handle_type handle);

}  // namespace v0
}  // namespace leat
