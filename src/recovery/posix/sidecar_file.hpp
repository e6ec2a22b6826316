// The file of a sidecar: its name, its locks, its parts. Linux only.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "device/posix/place.hpp"
#include "recovery/sidecar.hpp"

struct stat;

namespace leat {
inline namespace v0 {

/// Who has a lock. `failed`: the system does not tell.
enum class locked { by_us, by_others, failed };

/// Takes the lock of the one writer whose bytes wait in the sidecar, if it is free.
locked lock_writer(int sidecar, std::error_code& ec) noexcept;
/// Takes the lock of those who share the file: F_RDLCK. With F_WRLCK one sees that there is none.
/// It does not meet the lock above.
locked lock_sign(int sidecar, short type, std::error_code& ec) noexcept;
/// The lock of a turn. Waits for it, or gives it back.
bool lock_turn(int sidecar, short type) noexcept;

/// Which run of the system this is.
using boot_id = std::array<char, 40>;
boot_id this_boot(std::error_code& ec) noexcept;

/// Opens an open file a second time, to read it at any position, and to append: bytes that others
/// write meanwhile are never overwritten.
int open_again(int file, std::error_code& ec) noexcept;

/// Where the sidecar of an open file is: in the folder that has the file itself, and not a link to
/// the file. Nobody can lead it elsewhere by renaming or replacing folders.
struct sidecar_place {
  held_descriptor folder;
  std::string name;  // empty: the file has no name, or none that this process can find

  bool is_name_of(int sidecar, std::error_code& ec) const noexcept;
  void remove() const noexcept;
};
sidecar_place place_of_sidecar(const opened_path& path, const struct stat& status, int file,
                               std::error_code& ec);

/// Which file this is. Its number may be that of an older file, which was removed, so the
/// generation belongs to it; 0: the file system doesn't tell.
using file_identity = std::array<std::uint64_t, 3>;
file_identity identity_of(const struct stat& status, int file) noexcept;
/// True if the sidecar is the one of this file.
bool belongs_to(const sidecar_header& header, const file_identity& file) noexcept;

/// Reads until the end. Returns how many bytes.
std::size_t read_fully(int file, std::uint64_t at, char* into, std::size_t n,
                       std::error_code& ec) noexcept;
/// Somebody may have made the file shorter than where bytes are to go. A plain write would have
/// gone to its end. The new place is kept, so that bytes of which a part is there go nowhere else.
void end_gap(std::atomic<std::uint64_t>& at, int file, std::error_code& ec) noexcept;
/// Makes sure that a file, which is open to append, has these bytes at `at`. The file may have some
/// of the first ones already, and its end is then where the rest belongs. errc::foreign_sidecar:
/// the file has others there, which somebody else has written. Returns how many are there then.
std::size_t put_in_place(int file, std::uint64_t at, std::string_view bytes,
                         std::error_code& ec) noexcept;

/// How many of the waiting bytes belong at the header's `base`. Whoever asks first decides.
std::uint32_t decide(sidecar_header& header, std::uint32_t proposal) noexcept;

/// After this, each thread of the system sees what this one has stored before, or has made its own
/// next store visible before it reads.
void order_all_threads() noexcept;

/// std::atomic_thread_fence.
void fence(std::memory_order order) noexcept;

/// Making and reading the file.
struct sidecar_file {
  static constexpr std::size_t window_size = sidecar::window_size;
  static constexpr std::size_t size_alone = sidecar::lanes_at;
  static constexpr std::size_t size_with_lanes = size_alone + lanes_size;
  static constexpr std::uint64_t magic =
      std::bit_cast<std::uint64_t>(std::array<char, 8>{'l', 'e', 'a', 't', ' ', 's', 'i', 'd'});

  /// As sidecar::open.
  static std::unique_ptr<sidecar> open(const opened_path& path, const device& file,
                                       sidecar::writer who);

  /// The sidecar of somebody else, mapped. Empty, with `ec` set, if it is none of this version.
  static mapping map(int descriptor, std::error_code& ec,
                     mapping::access how = mapping::access::write);
  static sidecar_header& of(mapping& map) noexcept {
    return *std::launder(reinterpret_cast<sidecar_header*>(map.data()));
  }
  static const sidecar_header& of(const mapping& map) noexcept {
    return *std::launder(reinterpret_cast<const sidecar_header*>(map.view().data()));
  }
  static std::string_view window(const mapping& map, std::size_t count) noexcept {
    return map.view().substr(sidecar::window_at, count);
  }
  /// Null: it was mapped before it had lanes.
  static const char* lanes(const mapping& map) noexcept {
    return map.view().size() == size_with_lanes ? map.view().data() + size_alone : nullptr;
  }
  /// Takes space for these bytes of the file, which are zeros then. Later, a full disk could not be
  /// reported.
  static bool take_space(int file, std::size_t from, std::size_t to) noexcept;

  /// Puts the decided bytes into the file, unless they were placed before. If others have written
  /// where the bytes belong, `appends` puts them at the end of the file; without it, or if the
  /// writer was killed while it moved its window, that is errc::foreign_sidecar. Called with the
  /// lock of turns.
  static void place(sidecar_header& header, int file, std::string_view bytes, bool appends,
                    std::error_code& ec) noexcept;

  /// Completes the call that a killed process has begun to write, if it belongs to this file.
  /// Called with the lock of turns.
  static void complete_turn(mapping& map, int file, std::error_code& ec) noexcept;

 private:
  struct contents {
    const boot_id& boot;
    const file_identity& identity;
    sidecar::writer who;
  };
  static held_descriptor make(const sidecar_place& where, const contents& of, mapping& map,
                              bool& exists) noexcept;
  static std::unique_ptr<sidecar> own(held_descriptor& lock, held_descriptor& whole,
                                      sidecar_place& where, mapping map, bool appends, bool alone);
};

}  // namespace v0
}  // namespace leat
