// Random access: files with positions and no cursor, alone and in batches.
#pragma once

#include <leat/device.hpp>
#include <leat/error.hpp>
#include <leat/options.hpp>
#include <leat/path.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace leat {
inline namespace v0 {

/// What may be done with a file, and where changes go.
enum class mode {
  read,    ///< nothing changes
  update,  ///< changes go to the file
  copy,    ///< changes stay in memory, for as long as the object lives; the file is only read
};

/// The ways in which a batch can be carried out.
enum class route {
  automatic,  ///< leat chooses, by what it measures; batch_plan says why
  mapped,     ///< through a mapping, in the order given
  merged,     ///< sorted; places that are near each other are read as one range
  single,     ///< sorted; each page that is wanted is a request of its own
  direct,     ///< as single, but past the system's cache, many requests at a time
};

/// How a file is visited. Every member has a default, so name what you change.
struct access_options {
  leat::route route = leat::route::automatic;
  /// Threads for one batch, where the device can serve several. All of them call the batch's
  /// function, at the same time for different places.
  unsigned threads = 1;
  /// Bytes that are read along rather than made the border of two requests; at least a page.
  /// 0: the time of a request times the speed of reading, as measured.
  std::size_t hole = 0;
  /// Bytes of a range at most. 0: 256 KiB, from the disk 1 MiB.
  std::size_t longest = 0;
  /// Requests under way at a time. 0: 256, or 128 past the cache.
  std::size_t depth = 0;
  /// Bytes that the plan of a batch may take; larger batches are done in parts.
  std::size_t memory = std::size_t{256} << 20;
  /// direct: batches go past the system's cache, for files that are larger than memory and visited
  /// once. Opening fails where the file system can't.
  leat::caching caching = leat::caching::cached;
  /// system: what changes the file returns when the change survives the death of the machine.
  leat::durability durability = leat::durability::none;
  /// Called now and then during a batch with the places done and all there are. May throw, which
  /// ends the batch as an error would.
  std::function<void(std::size_t done, std::size_t all)> progress = nullptr;
};

/// How a batch was carried out, for those who want to see and to doubt it.
struct batch_plan {
  leat::route taken = leat::route::automatic;  ///< automatic: there was no batch yet
  std::string why;
  std::size_t places = 0;    ///< positions or ranges asked for
  std::size_t requests = 0;  ///< to the device; 0 through a mapping
  std::uint64_t bytes = 0;   ///< read from the device, holes included
  std::size_t hole = 0;      ///< as in access_options
  double cached = -1;        ///< how much of it was in the system's cache, by sample; -1: not asked
  std::chrono::nanoseconds sorting{};
  std::chrono::nanoseconds total{};
};

/// A run of bytes in a file.
struct byte_range {
  std::uint64_t at = 0;
  std::uint64_t size = 0;
  bool operator==(const byte_range&) const = default;
};

namespace detail {
class random_access;

/// A list of integers.
struct place_list {
  enum kind { signed_32, unsigned_32, signed_64, unsigned_64 };
  const void* data = nullptr;
  std::size_t size = 0;
  kind type = unsigned_64;
};

/// How records lie in a file.
struct record_layout {
  std::uint64_t header = 0;  // bytes before the first one
  std::uint64_t stride = 0;  // bytes from the start of one to the start of the next
  std::size_t size = 0;      // bytes of one
  std::uint64_t count = 0;   // records in the file
};

/// A record in memory, and which of the caller's positions it is for.
struct visit {
  char* record;
  std::size_t occurrence;
};
/// Changes records, in their order.
using visitor = void (*)(void* context, std::span<const visit> visits);

struct batch_failure {
  failure why;
  std::string place;  // "position 12 of 5", where it is the caller's fault
  explicit operator bool() const noexcept { return static_cast<bool>(why); }
};
}  // namespace detail

/// An open file without a cursor or a buffer. Several threads may use it at once. Movable; closes
/// itself.
///
/// Every function throws io_error, or reports in the `std::error_code&` that it takes as its last
/// argument and then does as if it were not there. Batches also throw what the program's functions
/// throw, and std::bad_alloc.
///
/// Batches of writes lock parts of the file against each other and against single writes of this
/// object. Where they read along the bytes between two places, they write these back as they were
/// read: another process must not change those at the same time. A function that a batch calls
/// while it changes the file must not write to the same object, which would wait for itself.
class LEAT_API file {
 public:
  /// A closed file.
  file() noexcept;
  /// Over any device that has positions (else throws io_error: invalid_seek); `name` stands in
  /// messages.
  explicit file(std::unique_ptr<device> on, mode what = mode::update,
                const access_options& how = {}, std::string_view name = "<device>");
  file(file&& other) noexcept;
  file& operator=(file&& other) noexcept;
  ~file();

  /// Opens a file that is there.
  static file open(path_ref path, mode what = mode::read, const access_options& how = {});
  static file open(path_ref path, mode what, const access_options& how, std::error_code& ec);
  /// Makes an empty file, or empties the one that is there, to read and to write.
  static file create(path_ref path, const access_options& how = {});
  static file create(path_ref path, const access_options& how, std::error_code& ec);

  bool is_open() const noexcept { return core_ != nullptr; }
  /// Reports what a file system says only now. Without it nobody is told.
  void close();
  void close(std::error_code& ec) noexcept;

  /// Reads exactly so many bytes: errc::ended_early if the file ends before.
  void read_at(std::uint64_t at, std::span<char> into) const;
  void read_at(std::uint64_t at, std::span<char> into, std::error_code& ec) const noexcept;
  void read_at(std::uint64_t at, std::span<std::byte> into) const {
    read_at(at, {reinterpret_cast<char*>(into.data()), into.size()});
  }
  /// Writes all the bytes; behind the end the file grows.
  void write_at(std::uint64_t at, std::string_view bytes);
  void write_at(std::uint64_t at, std::string_view bytes, std::error_code& ec) noexcept;
  void write_at(std::uint64_t at, std::span<const std::byte> bytes) {
    write_at(at, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

  std::uint64_t size() const;
  std::uint64_t size(std::error_code& ec) const noexcept;
  void resize(std::uint64_t size);
  void resize(std::uint64_t size, std::error_code& ec) noexcept;
  /// Returns when all that was written survives the death of the machine.
  void sync();
  void sync(std::error_code& ec) noexcept;
  /// Tells the system how the file is going to be read.
  void advise(pattern expected) noexcept;
  /// Tells the system that these bytes will be read soon.
  void announce(byte_range soon) noexcept;

  /// Reads ranges of any lengths, in any order, overlapping or not, and gives each to `each` with
  /// its place in the list, in the order in which they come from the disk. The bytes are valid
  /// during the call. Nothing is read if a range ends behind the end of the file.
  void read_ranges(
      std::span<const byte_range> ranges,
      const std::function<void(std::size_t which, std::string_view bytes)>& each) const;
  void read_ranges(std::span<const byte_range> ranges,
                   const std::function<void(std::size_t which, std::string_view bytes)>& each,
                   std::error_code& ec) const;
  /// Reads them into memory, one behind the other; `into` has exactly their size.
  void read_ranges(std::span<const byte_range> ranges, std::span<char> into) const;
  void read_ranges(std::span<const byte_range> ranges, std::span<char> into,
                   std::error_code& ec) const;
  /// Writes ranges, whose bytes lie one behind the other. Of ranges that overlap, the later one in
  /// the list wins. After an error some are written, others not.
  void write_ranges(std::span<const byte_range> ranges, std::string_view bytes);
  void write_ranges(std::span<const byte_range> ranges, std::string_view bytes,
                    std::error_code& ec);

  /// How the last batch was carried out; of batches in several threads, one of them.
  batch_plan last_plan() const;
  std::string_view name() const noexcept;
  native_handle_type native_handle() const noexcept;

 private:
  template <class T>
  friend class records;

  /// into[i] becomes the record at places[i].
  detail::batch_failure gather(const detail::record_layout& records, detail::place_list places,
                               char* into) const;
  /// The record at places[i] becomes values[i], the last one where a place comes again.
  detail::batch_failure scatter(const detail::record_layout& records, detail::place_list places,
                                const char* values);
  detail::batch_failure update(const detail::record_layout& records, detail::place_list places,
                               detail::visitor each, void* context);
  detail::batch_failure read_quietly(
      std::span<const byte_range> ranges,
      const std::function<void(std::size_t, std::string_view)>& each) const;
  detail::batch_failure read_quietly(std::span<const byte_range> ranges,
                                     std::span<char> into) const;
  detail::batch_failure write_quietly(std::span<const byte_range> ranges, std::string_view bytes);
  [[noreturn]] void raise(const detail::batch_failure& what) const;
  static std::unique_ptr<detail::random_access> over(std::unique_ptr<device> on, mode what,
                                                     const access_options& how,
                                                     std::string_view name, std::error_code& ec);

  std::unique_ptr<detail::random_access> core_;  // null: closed
};

}  // namespace v0
}  // namespace leat
