// Durability `process` at the speed of memory: a file beside the file, of which a part is mapped.
#pragma once

#include <leat/detail/copy.hpp>
#include <leat/device.hpp>
#include <leat/path.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "device/mapping.hpp"
#include "recovery/lanes.hpp"

namespace leat {
inline namespace v0 {

/// The path of a file that is open, and what was decided when the file was opened: nothing may be
/// pending beside a file of a leat::folder. A stream's name alone can't become one of these.
struct opened_path {
  opened_path(const path_ref& path) noexcept : text(path.view()), is_inside(path.is_inside()) {}

  std::string_view text;
  bool is_inside;
  bool may_be_link = true;  ///< else the name is the file's own, and a sidecar is beside it
};

/// The first page of a sidecar, as it is in the file. A window of bytes follows, the memory of
/// turns, and lanes, if several threads have used the stream.
///
/// The window's first `count` bytes belong at `base` of the file. A completed call has raised
/// `count` by its bytes, so its bytes are there if the process dies at any moment. For example, if
/// `base` is 1000 and `count` is 5, the file ends at 1000 and is to have 5 bytes more.
///
/// While `in_lanes` is set, the bytes are those of the lanes, merged by their stamps, and `count`
/// says nothing.
struct sidecar_header {
  static constexpr std::uint32_t this_version = 4;
  static constexpr std::uint32_t undecided = (std::numeric_limits<std::uint32_t>::max)();

  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t window;  // bytes of the window
  char boot[40];         // which run of the system: after a crash of it the pages may be stale
  // Of the file: device, inode, and the inode's generation, or 0.
  std::array<std::atomic<std::uint64_t>, 3> identity;
  std::atomic<std::uint64_t> base;
  std::atomic<std::uint32_t> count;
  std::atomic<std::uint32_t> round;  // how often the window has begun anew; see sidecar_view
  // What the writer and another process that opens the file agree about; see share().
  std::atomic<std::uint32_t> moving;   // the writer is moving the window into the file
  std::atomic<std::uint32_t> shared;   // others write to the file: no byte may wait in the window
  std::atomic<std::uint32_t> decided;  // so many of the waiting bytes belong at `base`
  std::atomic<std::uint32_t> placed;   // these are in the file, or were before somebody emptied it
  // Of those who share the file: the call that is being written, so that others can complete it.
  std::atomic<std::uint64_t> turn_at;
  std::atomic<std::uint32_t> turn_size;  // 0: none
  std::atomic<std::uint32_t> in_lanes;
  std::atomic<lane_clock> clock;  // of the stamps
  // The writer goes on in the file that gets the name, if somebody moves this one or removes it. So
  // what a killed writer has left may go there.
  std::uint32_t follows;
  // So many of the decided bytes are in the file: a full disk had no space for the others.
  std::atomic<std::uint32_t> put;
};

/// The sidecar of a stream that has its file to itself. Its name is the file's name and ".leat".
///
/// If another process opens the file to write, the sidecar becomes a sign that the file is shared:
/// each stream writes its calls by itself, and no new sidecar is made until the last of them ends.
class sidecar {
 public:
  enum class result { taken, no_room, shared };
  /// Whether the stream goes on in the file that gets the name of its own file.
  enum class writer { stays, follows };

  /// For a file that is open to write. Null: there can be no sidecar, because the file is no
  /// regular one, or the system can't lock, map or make a file beside it. Then each call has to
  /// write.
  static std::unique_ptr<sidecar> open(const opened_path& path, const device& file,
                                       writer who = writer::stays) noexcept;
  /// Removes the sidecar, unless others need it as a sign. What waits in it is lost.
  ~sidecar();
  sidecar(const sidecar&) = delete;
  sidecar& operator=(const sidecar&) = delete;

  /// The right to write the bytes of one call, while others share the file. The system may end a
  /// write in the middle if it kills the process. So the bytes are kept until they are written, and
  /// the next turn completes what a killed process has begun. This is so for calls of up to 64 KiB
  /// on files opened to append.
  class turn {
   public:
    /// Waits for the others. Has no effect if nobody shares the file.
    turn(sidecar* of, std::string_view bytes) noexcept;
    ~turn();
    /// True if the sidecar has lost its name: whoever makes the next one may have the file to
    /// itself, so the bytes must not be written before that one is opened.
    bool is_lost() const noexcept { return lost_; }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;

   private:
    [[maybe_unused]] sidecar* of_;  // Linux alone uses these
    [[maybe_unused]] std::size_t size_;
    bool lost_ = false;
  };

  /// Takes the bytes of one call; they survive the process from now on. `no_room`: none was taken.
  /// `shared`: they were taken, and withdraw() must be called at once.
  result put(std::string_view bytes) noexcept {
    const std::size_t size = bytes.size();
    if (size > room_ - used_) return result::no_room;
    char* const to = map_.data() + window_at + used_;
    if (size == 1)
      *to = bytes.front();
    else
      detail::copy(to, bytes.data(), size);
    used_ += size;
    header().count.store(static_cast<std::uint32_t>(used_), std::memory_order_release);
    // The processor may still do this before the store. Who shares takes care of that, because a
    // barrier here would cost more than all the rest.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return header().shared.load(std::memory_order_relaxed) == 0 ? result::taken : result::shared;
  }

  /// The bytes that wait, unless they are in open lanes.
  std::string_view waiting() const noexcept {
    if (!alone_) return {};
    return from_lanes_ ? std::string_view(merged_.get(), used_)
                       : map_.view().substr(window_at, used_);
  }
  /// How many bytes wait, in lanes too.
  std::uint64_t size() const noexcept;

  bool has_lanes() const noexcept { return gate_ != nullptr; }
  /// Lets threads put up to `room` bytes into lanes, if nothing waits. False: they can't.
  /// `late_at`: as that of lane_gate::open().
  bool open_lanes(lane_gate& gate, std::uint64_t room, std::int64_t late_at) noexcept;
  /// No thread puts more, and what the lanes have is waiting(). Nothing else can be put before
  /// begin_at() or withdraw().
  void close_lanes() noexcept;
  /// Drops the waiting bytes but for the last `kept` ones. The first byte of the window belongs at
  /// this position from now on.
  void begin_at(std::uint64_t position, std::size_t kept = 0) noexcept;
  /// No more bytes than these may wait from now on.
  void limit_to(std::uint64_t size) noexcept {
    if (alone_)
      room_ = used_ + static_cast<std::size_t>(std::min<std::uint64_t>(size, window_size - used_));
  }
  /// Called before the waiting bytes are written to the file; begin_at() follows. False: others
  /// share the file, and withdraw() must be called instead.
  bool begin_moving() noexcept;
  /// Puts those of the waiting bytes into the file that others rely on to be there. Returns how
  /// many; the caller writes the rest. From then on the sidecar takes no byte.
  std::size_t withdraw(std::error_code& ec) noexcept;
  /// Called in a forked child: the sidecar is the parent's. Then it has to be destroyed, and
  /// opened anew before the child writes.
  void leave_to_parent() noexcept;
  /// True if this process has the file to itself.
  bool is_alone() const noexcept { return alone_; }
  /// True if somebody has removed it: then others don't see that the file is shared.
  bool was_removed() const noexcept;
  /// The failure of a mapping that has lost bytes.
  failure broken() const noexcept { return map_.met(); }
  /// Bytes that were put into lanes, and are not there any more: the mapping is broken.
  std::uint64_t lost() const noexcept { return lost_; }

 private:
  friend struct sidecar_file;
  static constexpr std::size_t window_at = 4096;
  static constexpr std::size_t window_size = 256 << 10;
  static constexpr std::size_t turn_at = window_at + window_size;
  static constexpr std::size_t longest_turn = 64 << 10;
  static constexpr std::size_t lanes_at = turn_at + longest_turn;
  static constexpr std::size_t least_lane = 1024;  // smaller ones would be full at once
  static_assert(lanes_at % 4096 == 0);

  sidecar(native_handle_type lock, native_handle_type file, native_handle_type folder,
          std::string name, mapping map, bool appends, bool alone) noexcept;

  sidecar_header& header() noexcept { return *reinterpret_cast<sidecar_header*>(map_.data()); }
  bool make_lanes() noexcept;

  native_handle_type lock_;  // the sidecar, with its locks
  native_handle_type file_;  // the file, for reading and writing at any position
  native_handle_type folder_;
  std::string name_;  // in the folder
  mapping map_;
  bool appends_;
  bool alone_;  // false: only a sign that others share the file
  bool of_parent_ = false;
  std::size_t used_;  // bytes of the window; all if nothing may wait
  std::size_t room_ = window_size;
  lane_gate* gate_ = nullptr;       // of the lanes that are open
  std::size_t room_before_ = 0;     // what room_ was then
  std::unique_ptr<char[]> merged_;  // memory for what the lanes had
  bool from_lanes_ = false;         // the waiting bytes are there
  std::uint64_t lost_ = 0;
};

/// Looks at the bytes that wait for an open file. Changes nothing.
class sidecar_view {
 public:
  sidecar_view() noexcept = default;
  sidecar_view(const sidecar_view&) = delete;
  sidecar_view& operator=(const sidecar_view&) = delete;
  ~sidecar_view();

  /// Finds the sidecar that the file has now; there may be none. Errors: errc::bad_sidecar,
  /// errc::foreign_sidecar, and those of the system.
  void find(const opened_path& path, const device& file, std::error_code& ec) noexcept;
  /// Copies waiting bytes, from position `at` of the file on. Returns how many; 0: none waits
  /// there, but the file may have them now.
  std::size_t read(std::uint64_t at, std::span<char> into) const noexcept;
  /// Where the bytes end of a file that has `size` bytes itself.
  std::uint64_t end(std::uint64_t size) const noexcept;

 private:
  struct waiting {
    std::uint32_t round;
    bool in_lanes;
    std::uint64_t begin, end;
  };

  waiting now() const noexcept;
  std::size_t merge(std::uint64_t before) const noexcept;
  void close() noexcept;

  native_handle_type folder_ = no_handle;
  std::string name_;  // in the folder
  native_handle_type file_ = no_handle;
  mapping map_;
  mutable std::unique_ptr<char[]> merged_;  // what lanes have, made by now()
  mutable waiting last_{};                  // what read() has found
};

/// What opening a file to write does with a sidecar that is there already.
enum class settling {
  replay,  ///< the bytes of a killed process go into the file
  drop,    ///< the file is being emptied, so they are not needed
  retire,  ///< as replay; then the sidecar loses its name, because its file is about to
};

/// Settles the sidecar of an open file, if there is one. If its writer lives, the bytes that wait
/// go into the file, and from then on the writer writes each call by itself. Otherwise the sidecar
/// is removed. Returns how many bytes have gone into the file. Errors: errc::bad_sidecar,
/// errc::foreign_sidecar, and those of the system; then the sidecar stays as it is.
///
/// If the sidecar belongs to a file that had the name before, what is pending goes to the end of
/// the open file, provided that the writer follows the name, and the sidecar is removed: its file
/// has another name or none. Otherwise that is errc::foreign_sidecar, if anything is pending.
std::uint64_t settle_sidecar(const opened_path& path, native_handle_type opened, settling how,
                             std::error_code& ec) noexcept;

}  // namespace v0
}  // namespace leat
