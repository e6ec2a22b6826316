// Random access: class file, without a cursor, for single reads and writes and for batches.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/detail/chrono.hpp>
#include <leat/detail/function.hpp>
#include <leat/detail/unique_ptr.hpp>
#include <leat/device.hpp>
#include <leat/error.hpp>
#include <leat/options.hpp>
#include <leat/path.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// Permits or refuses changes, and says where changes go.
enum class mode {
  read,              ///< nothing changes; functions that change the file fail with errc::read_only
  update,            ///< changes go to the file
  update_or_create,  ///< as update; a missing file is created empty
  copy,              ///< changes stay in the object's memory; the file is only read
};

/// How a batch accesses the file.
enum class route {
  automatic,  ///< leat measures and chooses; batch_plan says why
  mapped,     ///< through a mapping, in the order given
  merged,     ///< sorted; nearby positions are read as one range
  single,     ///< as merged, but reads no gaps that are wider than a page of 4096 bytes
  direct,     ///< as single, but with direct I/O, many requests at a time
};

/// How a file is accessed. Each member has a default: name only the members that you change, for
/// example `{.route = route::merged, .threads = 2}`.
struct access_options {
  leat::route route = leat::route::automatic;
  /// The number of threads of a batch, at most 1024; a small batch uses fewer threads. The threads
  /// call the batch's function concurrently, for different positions.
  unsigned threads = 1;
  /// The widest gap in bytes between two positions that one request reads. Some gaps of less than a
  /// page are read in any case. 0: the measured time of a request times the measured reading speed.
  std::size_t gap = 0;
  /// The longest range in bytes that one request reads. 0: 256 KiB; 1 MiB if the bytes come from
  /// the disk; up to 8 MiB if nothing reads ahead, as in object storage.
  std::size_t longest = 0;
  /// The most requests in flight. 0: 256 requests. From object storage at most 128 requests.
  std::size_t depth = 0;
  /// Bytes of memory for sorting a batch. A batch that needs more memory is split into parts.
  std::size_t memory = std::size_t{256} << 20;
  /// direct: batches use direct I/O, except with mode::copy; for files that are larger than memory
  /// and are read once. If the file system has no direct I/O, opening fails.
  leat::caching caching = leat::caching::cached;
  /// system: each function that changes the file returns when the change survives a crash of the
  /// machine. process is the same as none: nothing is buffered in the program's memory.
  leat::durability durability = leat::durability::none;
  /// Called at intervals during a batch, with the number of finished positions and the number of
  /// all positions. Any thread of the batch calls `progress`, one thread at a time. If `progress`
  /// throws, the batch ends as after an error, and the exception is passed on.
  std::function<void(std::size_t done, std::size_t all)> progress = nullptr;
  bool local_only = false;  ///< as in create_options
  /// With mode::read and mode::copy, decodes a seekable zstd file. Opening other compressed files
  /// fails, because they have no positions. automatic accepts plain files too. With the other
  /// modes, each value except none fails with operation_not_supported.
  leat::compression compression = leat::compression::none;
  /// As in open_options: for the frames of all threads together, and for the table. @since 0.3
  std::uint64_t codec_memory = open_options{}.codec_memory;
};

/// How a batch was carried out.
struct batch_plan {
  leat::route taken = leat::route::automatic;  ///< automatic: there was no batch yet
  std::string why;                             ///< the reason, as a sentence for people
  std::size_t positions = 0;                   ///< the number of requested positions or ranges
  std::size_t requests = 0;                    ///< requests to the device; 0 through a mapping
  std::uint64_t bytes = 0;                     ///< read from the device, gaps included
  std::size_t gap = 0;                         ///< bytes, as in access_options; 0 through a mapping
  double cached = -1;  ///< the share of sampled positions in the page cache; -1: no sample
  std::chrono::nanoseconds sorting{};  ///< time of sorting, a part of `total`
  /// Time of the whole batch. A batch of fewer than 256 positions of a file is not timed: `total`
  /// is 0, and `requests` and `bytes` count its positions and their bytes.
  std::chrono::nanoseconds total{};
  /// US dollars at list prices for all requests to the device during the batch, including samples
  /// and batches of other threads. 0: free.
  double dollars = 0;
};

/// A range of bytes in a file.
struct byte_range {
  std::uint64_t at = 0;    ///< from the start of the file, in bytes
  std::uint64_t size = 0;  ///< bytes; may be 0
  bool operator==(const byte_range&) const = default;
};

namespace detail {
class random_access;

/// A list of positions, which are integers of one of four types.
struct position_list {
  enum kind { signed_32, unsigned_32, signed_64, unsigned_64 };
  const void* data = nullptr;
  std::size_t size = 0;
  kind type = unsigned_64;
};

/// The layout of records in a file.
struct record_layout {
  std::uint64_t header = 0;  // bytes before the first record
  std::uint64_t stride = 0;  // bytes from the start of one record to the next
  std::size_t size = 0;      // bytes of one record
  std::uint64_t count = 0;   // records in the file
};

/// A record in memory, and the index of its position in the caller's list.
struct visit {
  char* record;
  std::size_t index;
};
/// Changes the records in the order of `visits`.
using visitor = void (*)(void* context, std::span<const visit> visits);

struct batch_failure {
  failure why;
  std::string position;  // "position 12 of 5", if the caller's list is wrong
  explicit operator bool() const noexcept { return static_cast<bool>(why); }
};
}  // namespace detail

/// An open file without a cursor or a buffer. Movable. The destructor closes the file.
///
/// Each function that can fail comes in two forms. One form throws io_error. The other form takes a
/// `std::error_code&` as its last argument, sets or clears it, and throws no io_error; open() and
/// create() then return a closed file. Batches in both forms also throw std::bad_alloc and the
/// exceptions of the program's functions. If the file is closed, close() does nothing, and all
/// other functions that can fail report errc::closed.
///
/// A batch that writes locks parts of the file: other batches that write, and single writes of this
/// object, wait if they use the same parts. Such a batch may read the bytes between two positions
/// and write them back unchanged. So no other process may change these bytes at the same time. In a
/// function that such a batch calls, changes of the same object fail with
/// resource_deadlock_would_occur.
///
/// @par Time
/// A batch sorts its ranges in linear time and makes one request for nearby ranges, or uses a
/// mapping; last_plan() has the number of requests. read_at and write_at are usually one system
/// call. If read_at often reads from the same part of a cached file, leat maps the file, and these
/// reads need no system call.
///
/// @par Threads
/// Several threads may use a file at once.
class LEAT_API [[nodiscard]] file {
 public:
  /// A closed file.
  file() noexcept;
  /// A file over any device that has positions. Takes ownership of the device. If `on` is null, the
  /// file is closed. `name` is for messages. Throws io_error: device_traits::refusal() for a device
  /// without positions, and with mode::update or update_or_create for a device that appends;
  /// invalid_argument if how.compression is not none; operation_not_supported if how.caching is
  /// direct and the device has no descriptor for direct I/O.
  explicit file(std::unique_ptr<device> on, mode what = mode::update,
                const access_options& how = {}, std::string_view name = "<device>");
  file(file&& other) noexcept;
  file& operator=(file&& other) noexcept;
  ~file();

  /// Opens a file. The file must exist, except with mode::update_or_create. Pipes and terminals
  /// fail with errc::not_a_file.
  static file open(path_ref path, mode what = mode::read, const access_options& how = {});
  static file open(path_ref path, mode what, const access_options& how, std::error_code& ec);
  static file open(path_ref path, mode what, std::error_code& ec) {
    return open(path, what, {}, ec);
  }
  static file open(path_ref path, std::error_code& ec) { return open(path, mode::read, {}, ec); }
  /// Creates an empty file, or truncates an existing file, for reading and writing.
  static file create(path_ref path, const access_options& how = {});
  static file create(path_ref path, const access_options& how, std::error_code& ec);
  static file create(path_ref path, std::error_code& ec) { return create(path, {}, ec); }

  /// False if the file is closed, was moved from, or was never opened.
  bool is_open() const noexcept { return core_ != nullptr; }
  /// Closes the file. Some file systems report write errors only here; without close() such an
  /// error is not reported. In a function that a batch of the file calls, close() fails with
  /// resource_deadlock_would_occur and does nothing.
  void close();
  void close(std::error_code& ec) noexcept;

  /// Reads exactly into.size() bytes. If the file has fewer bytes, fails with errc::ended_early.
  /// After a failure the bytes of `into` are unspecified.
  void read_at(std::uint64_t at, std::span<char> into) const;
  void read_at(std::uint64_t at, std::span<char> into, std::error_code& ec) const noexcept;
  void read_at(std::uint64_t at, std::span<std::byte> into) const { read_at(at, chars(into)); }
  void read_at(std::uint64_t at, std::span<std::byte> into, std::error_code& ec) const noexcept {
    read_at(at, chars(into), ec);
  }
  /// Writes all the bytes. If the bytes extend past the end of the file, the file grows.
  void write_at(std::uint64_t at, std::string_view bytes);
  void write_at(std::uint64_t at, std::string_view bytes, std::error_code& ec) noexcept;
  void write_at(std::uint64_t at, std::span<const std::byte> bytes) { write_at(at, chars(bytes)); }
  void write_at(std::uint64_t at, std::span<const std::byte> bytes, std::error_code& ec) noexcept {
    write_at(at, chars(bytes), ec);
  }

  /// The size of the file in bytes. If the size is unknown, fails with operation_not_supported.
  std::uint64_t size() const;
  std::uint64_t size(std::error_code& ec) const noexcept;
  /// Sets the size of the file in bytes. New bytes are zeros.
  void resize(std::uint64_t size);
  void resize(std::uint64_t size, std::error_code& ec) noexcept;
  /// Returns when all written bytes survive a crash of the machine.
  void sync();
  void sync(std::error_code& ec) noexcept;
  /// Advises the system of the expected order of reads.
  void advise(pattern expected) noexcept;
  /// Advises the system that these bytes will be read soon.
  void announce(byte_range soon) noexcept;

  /// Reads ranges of any lengths, in any order, overlapping or not. Calls `each` once for each
  /// range, with its bytes and its index in the list, in the order of their completion. The bytes
  /// are valid during the call. If a range ends after the end of the file, fails with
  /// errc::no_such_record and reads nothing.
  void read_ranges(
      std::span<const byte_range> ranges,
      const std::function<void(std::string_view bytes, std::size_t index)>& each) const;
  void read_ranges(std::span<const byte_range> ranges,
                   const std::function<void(std::string_view bytes, std::size_t index)>& each,
                   std::error_code& ec) const;
  /// Reads the ranges into memory, concatenated in the order of the list. If the size of `into` is
  /// not the sum of the ranges' sizes, the error is invalid_argument.
  void read_ranges(std::span<const byte_range> ranges, std::span<char> into) const;
  void read_ranges(std::span<const byte_range> ranges, std::span<char> into,
                   std::error_code& ec) const;
  /// Writes ranges, whose bytes are concatenated in memory in the order of the list. If ranges
  /// overlap, the range that is later in the list wins. If the size of `bytes` is not the sum of
  /// the ranges' sizes, the error is invalid_argument. If a range ends after the largest position
  /// of a file, the error is file_too_large. Ranges may end after the end of the file; then the
  /// file grows. After an error, some of the ranges may be written.
  void write_ranges(std::span<const byte_range> ranges, std::string_view bytes);
  void write_ranges(std::span<const byte_range> ranges, std::string_view bytes,
                    std::error_code& ec);

  /// Returns how the last batch was carried out. If several threads run batches, returns the plan
  /// of the last batch of any thread.
  batch_plan last_plan() const;
  /// The path as the program gave it, or the name of a device.
  std::string_view name() const noexcept;
  /// The descriptor of the file, or no_handle.
  native_handle_type native_handle() const noexcept;

 private:
  template <class T>
  friend class records;

  /// into[i] becomes the record at positions[i].
  detail::batch_failure gather(const detail::record_layout& records,
                               detail::position_list positions, char* into) const;
  /// The record at positions[i] becomes values[i]. If a position occurs again, its last value wins.
  detail::batch_failure scatter(const detail::record_layout& records,
                                detail::position_list positions, const char* values);
  detail::batch_failure update(const detail::record_layout& records,
                               detail::position_list positions, detail::visitor each,
                               void* context);
  template <class Target>
  detail::batch_failure read_quietly(std::span<const byte_range> ranges, const Target& into) const;
  detail::batch_failure write_quietly(std::span<const byte_range> ranges, std::string_view bytes);
  failure write_quietly(std::uint64_t at, std::string_view bytes) noexcept;
  [[noreturn]] void raise(const detail::batch_failure& what) const;
  std::error_code set_last_error(const detail::batch_failure& what) const noexcept;
  /// Returns why the file can't be changed: errc::closed; errc::read_only;
  /// resource_deadlock_would_occur in a function that a changing batch calls; or a zero code.
  std::error_code unchangeable() const noexcept;

  static std::span<char> chars(std::span<std::byte> bytes) noexcept {
    return {reinterpret_cast<char*>(bytes.data()), bytes.size()};
  }
  static std::string_view chars(std::span<const std::byte> bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  std::unique_ptr<detail::random_access> core_;  // null: closed
};

}  // namespace v0
}  // namespace leat
