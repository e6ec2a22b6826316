// The sidecar as a file: its name, its locks, its parts. Used by the other files of this folder.
// Linux only.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "device/posix/resolved_path.hpp"
#include "recovery/sidecar.hpp"

struct stat;

namespace leat {
inline namespace v0 {

/// The result of an attempt to take a lock. `failed`: the system reports an error.
enum class lock_result { acquired, held_by_others, failed };

/// Tries to take the writer's lock, and does not wait. The writer is the process whose bytes are
/// pending in the sidecar. Sets `ec` only with the result `failed`.
lock_result lock_writer(int sidecar, std::error_code& ec) noexcept;
/// Returns false if no process holds the writer's lock: the writer is dead. Keeps no lock.
bool has_living_writer(int sidecar) noexcept;
/// F_RDLCK: takes the lock that each process that shares the file holds. F_WRLCK: takes this lock
/// alone. Taking the lock alone succeeds only if no other process shares the file. Does not wait.
/// Sets `ec` only with the result `failed`. Independent of the lock of lock_writer().
lock_result lock_sharing(int sidecar, short type, std::error_code& ec) noexcept;
/// F_WRLCK: waits for the lock of sidecar::shared_call and takes this lock. F_UNLCK: releases the
/// lock. Returns false on failure.
bool lock_calls(int sidecar, short type) noexcept;

/// Identifies this run of the system.
using boot_id = std::array<char, 40>;
/// Returns the id of this run of the system. If the id can't be read, sets `ec`. If the system has
/// no such id, the error is operation_not_supported.
boot_id this_boot(std::error_code& ec) noexcept;

/// Opens an open file a second time, to read it at any position and to append. An append never
/// overwrites bytes that other processes write at the same time. The caller closes the descriptor.
/// Returns no_handle and sets `ec` on failure.
int reopen_to_append(int file, std::error_code& ec) noexcept;

/// The folder and the name of an open file's sidecar. The folder contains the file itself, not a
/// link to the file. Renaming or replacing folders cannot lead elsewhere.
struct sidecar_location {
  unique_descriptor folder;
  std::string name;  // empty: the file can have no sidecar, or this process can't find its name

  /// True if the name is a name of this open file. False, with `ec` set, if the system reports an
  /// error.
  bool is_name_of(int file, std::error_code& ec) const noexcept;
  /// Removes the name. Ignores errors.
  void remove() const noexcept;
};
/// Finds the location of the sidecar of `file`, which is open and has this status. Returns an empty
/// location if the file can have no sidecar, or if its name is not found. If the system reports an
/// error, sets `ec`. Throws std::bad_alloc.
sidecar_location locate_sidecar(const opened_path& path, const struct stat& status, int file,
                                std::error_code& ec);
/// Opens the sidecar at this location. The caller closes the descriptor. If there is no sidecar,
/// returns -1 and clears `ec`. On failure returns -1 and sets `ec`.
int open_sidecar(const sidecar_location& where, int flags, std::error_code& ec) noexcept;
/// False if another user may have written the sidecar, whose bytes would go into the file. In a
/// folder that all users can write to, each user can make a sidecar.
bool is_trusted(int sidecar, const struct stat& file) noexcept;

/// Identifies a file: device, inode, generation. A new file may have the inode of a file that was
/// removed, but another generation. Generation 0: the file system does not report generations.
using file_identity = std::array<std::uint64_t, 3>;
/// Returns the identity of an open file with this status.
file_identity identity_of(const struct stat& status, int file) noexcept;
/// True if the header's identity is the identity of this file. An unknown generation matches any.
bool belongs_to(const sidecar_header& header, const file_identity& file) noexcept;

/// Reads `n` bytes from position `at` on, or up to the end of the file. Returns the number of read
/// bytes. If a read fails, sets `ec`.
std::size_t read_fully(int file, std::uint64_t at, char* into, std::size_t n,
                       std::error_code& ec) noexcept;
/// If another program has made the file shorter than `at`, sets `at` to the file's end, where an
/// append goes. The header must get the new position, so that a later replay finds bytes that were
/// written in part.
void clamp_to_end(std::atomic<std::uint64_t>& at, int file, std::error_code& ec) noexcept;
/// Makes sure that a file that is open to append has these bytes at `at`. If the file has only the
/// first part of the bytes, appends the rest. Returns how many of the bytes the file has
/// afterwards, or 0 on an error before the append. errc::foreign_sidecar: another program has
/// written other bytes at this position.
std::size_t match_or_append(int file, std::uint64_t at, std::string_view bytes,
                            std::error_code& ec) noexcept;

/// Returns how many of the pending bytes belong at the header's `base`. The first proposal decides.
std::uint32_t decide(sidecar_header& header, std::uint32_t proposal) noexcept;

/// Barrier for all threads of the system. Afterwards, for each other thread: that thread sees the
/// earlier stores of this thread, or this thread sees the earlier stores of that thread.
void barrier_for_all_threads() noexcept;

/// std::atomic_thread_fence, except for GCC's thread sanitizer.
void fence(std::memory_order order) noexcept;

/// Makes, maps and reads sidecar files.
struct sidecar_file {
  static constexpr std::size_t buffer_size = sidecar::buffer_size;
  static constexpr std::size_t size_without_thread_buffers = sidecar::thread_buffers_at;
  static constexpr std::size_t size_with_thread_buffers =
      size_without_thread_buffers + thread_buffers_size;
  static constexpr std::uint64_t magic =
      std::bit_cast<std::uint64_t>(std::array<char, 8>{'l', 'e', 'a', 't', ' ', 's', 'i', 'd'});

  /// See sidecar::open().
  static std::unique_ptr<sidecar> open(const opened_path& path, const device& file,
                                       sidecar::writer kind);

  /// Maps the sidecar of another process. Returns an empty mapping and sets `ec` if the file is not
  /// a sidecar of this version or can't be mapped.
  static mapping map(int descriptor, std::error_code& ec,
                     mapping::access how = mapping::access::write);
  static sidecar_header& header_of(mapping& map) noexcept {
    return *std::launder(reinterpret_cast<sidecar_header*>(map.data()));
  }
  static const sidecar_header& header_of(const mapping& map) noexcept {
    return *std::launder(reinterpret_cast<const sidecar_header*>(map.view().data()));
  }
  static std::string_view buffer(const mapping& map, std::size_t count) noexcept {
    return map.view().substr(sidecar::buffer_at, count);
  }
  /// Null if the sidecar had no thread buffers when the sidecar was mapped.
  static const char* thread_buffers(const mapping& map) noexcept {
    return map.view().size() == size_with_thread_buffers
               ? map.view().data() + size_without_thread_buffers
               : nullptr;
  }
  /// Writes zeros to these bytes of the file, because a full disk could not be reported once the
  /// file is mapped. `from` and `to` are multiples of 4096. Returns false on failure.
  static bool allocate_zeros(int file, std::size_t from, std::size_t to) noexcept;

  /// If the decided bytes are not in the file yet, puts these bytes into the file. If other
  /// processes have written where the bytes belong, `appends` puts the bytes at the end of the
  /// file. Without `appends`, or if the writer was killed while moving its buffer, the error is
  /// errc::foreign_sidecar. Needs the lock of lock_calls().
  static void replay(sidecar_header& header, int file, std::string_view bytes, bool appends,
                     std::error_code& ec) noexcept;

  /// If a killed process has begun to write a call, and the call belongs to this file, completes
  /// the call. Needs the lock of lock_calls(). If that lock can't be taken, needs the locks of
  /// lock_writer() and lock_sharing().
  static void complete_call(mapping& map, int file, std::error_code& ec) noexcept;

 private:
  struct header_values {
    const boot_id& boot;
    const file_identity& identity;
    sidecar::writer kind;
  };
  static unique_descriptor make(const sidecar_location& where, const header_values& values,
                                mapping& map, bool& exists) noexcept;
  static std::unique_ptr<sidecar> make_sidecar(unique_descriptor& descriptor,
                                               unique_descriptor& append_file,
                                               sidecar_location& where, mapping map, bool appends,
                                               bool alone);
};

/// A copy of a sidecar's header, even if the rest of the file is damaged or missing.
class header_copy {
 public:
  header_copy(int sidecar, std::error_code& ec) noexcept {
    read_fully(sidecar, 0, bytes_.data(), bytes_.size(), ec);
  }
  const sidecar_header* operator->() const noexcept {
    return std::launder(reinterpret_cast<const sidecar_header*>(bytes_.data()));
  }
  const sidecar_header& operator*() const noexcept { return *operator->(); }
  /// True if the system was started again since the sidecar was made. Then the disk may have only a
  /// part of the sidecar, and it is unknown which bytes of the sidecar are right.
  bool is_stale(std::error_code& ec) const noexcept {
    const boot_id boot = this_boot(ec);
    return !ec && (*this)->magic == sidecar_file::magic &&
           (*this)->version == sidecar_header::this_version &&
           std::memcmp((*this)->boot, boot.data(), sizeof sidecar_header::boot) != 0;
  }

 private:
  alignas(sidecar_header) std::array<char, sizeof(sidecar_header)> bytes_{};
};

}  // namespace v0
}  // namespace leat
