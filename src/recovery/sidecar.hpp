// `durability::process`: a sidecar file, which is mapped into memory, keeps the bytes of completed
// calls. Streams write to the sidecar; the functions that open files recover the sidecar.
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
#include "recovery/thread_buffers.hpp"

namespace leat {
inline namespace v0 {

/// The path of an open file. A file that was opened in a leat::folder (`is_inside`) has no sidecar.
/// A stream's name alone does not convert to this type.
struct opened_path {
  opened_path(const path_ref& path) noexcept : text(path.view()), is_inside(path.is_inside()) {}

  std::string_view text;
  bool is_inside;
  bool may_be_link = true;  ///< false: the path names the file itself, so PATH.leat is its sidecar
};

/// The first page of a sidecar, as it is in the file. After this page come the buffer and the bytes
/// of a shared call. If several threads have used the stream, the thread buffers come last.
///
/// The buffer's first `count` bytes belong at position `base` of the file. A completed call has
/// raised `count` by its size, so its bytes survive if the process dies at any moment. For example,
/// if `base` is 1000 and `count` is 5, the file ends at 1000 and 5 more bytes are pending.
///
/// While `in_thread_buffers` is set, the pending bytes are the bytes of the thread buffers, merged
/// by their stamps. Then `count` has no meaning.
struct sidecar_header {
  static constexpr std::uint32_t this_version = 4;
  static constexpr std::uint32_t undecided = (std::numeric_limits<std::uint32_t>::max)();

  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t buffer_size;  // bytes of the buffer
  char boot[40];              // this run of the system: after a crash the pages may be stale
  // Of the file: device, inode, and the inode's generation, or 0.
  std::array<std::atomic<std::uint64_t>, 3> identity;
  std::atomic<std::uint64_t> base;
  std::atomic<std::uint32_t> count;
  std::atomic<std::uint32_t> epoch;  // the number of calls of restart_at(); see sidecar_view
  // State agreed between the writer and another process that opens the file; see share() in
  // posix/recover.cpp.
  std::atomic<std::uint32_t> moving;   // the writer is moving the buffer into the file
  std::atomic<std::uint32_t> shared;   // other processes write to the file: no bytes may be pending
  std::atomic<std::uint32_t> decided;  // number of pending bytes that belong at `base`
  std::atomic<std::uint32_t> placed;   // the decided bytes are in the file, or were given up
  // The call that one of the processes that share the file is appending. If this process is killed,
  // another process can complete the call.
  std::atomic<std::uint64_t> call_at;
  std::atomic<std::uint32_t> call_size;  // 0: none
  std::atomic<std::uint32_t> in_thread_buffers;
  std::atomic<stamp_clock> clock;  // the clock of the stamps
  // 1: if another program moves or removes the file, the writer goes on in the file that gets the
  // name. So the pending bytes of a killed writer may go into that file.
  std::uint32_t follows;
  // Number of decided bytes that are in the file. A full disk may have no space for the other
  // bytes.
  std::atomic<std::uint32_t> placed_count;
};

/// The sidecar of a stream that has its file to itself. The sidecar's name is the file's name and
/// ".leat".
///
/// If another process opens the file to write, the sidecar becomes a sign that the file is shared:
/// each stream writes its calls itself. As long as one of these streams exists, no new sidecar
/// is made.
class sidecar {
 public:
  enum class result { accepted, no_room, shared };
  /// `follows`: if another file gets the name of the stream's file, the stream continues there.
  enum class writer { stays, follows };

  /// Makes or joins the sidecar of a file that is open to write. Returns null if there can be no
  /// sidecar: for example, the file is not a regular file, or the system can't lock, map or create
  /// a sidecar. Then each call has to write.
  static std::unique_ptr<sidecar> open(const opened_path& path, const device& file,
                                       writer kind = writer::stays) noexcept;
  /// If no other process needs the sidecar, removes the sidecar. Pending bytes are lost.
  ~sidecar();
  sidecar(const sidecar&) = delete;
  sidecar& operator=(const sidecar&) = delete;

  /// The scope in which a stream writes the bytes of one call while other processes share the file.
  /// The system may kill the process in the middle of a write. So the sidecar keeps the bytes until
  /// they are written, and the next shared_call completes the call: for calls of up to 64 KiB on
  /// files opened to append.
  class shared_call {
   public:
    /// Waits for the calls of other processes. Has no effect if `stream_sidecar` is null, if no
    /// other process shares the file, or if the file is not open to append.
    shared_call(sidecar* stream_sidecar, std::string_view bytes) noexcept;
    ~shared_call();
    /// True if the sidecar has lost its name. Then the process that makes the next sidecar may have
    /// the file to itself, so the bytes must not be written before that sidecar is opened.
    bool has_lost_name() const noexcept { return has_lost_name_; }
    shared_call(const shared_call&) = delete;
    shared_call& operator=(const shared_call&) = delete;

   private:
    [[maybe_unused]] sidecar* sidecar_;  // only Linux uses sidecar_ and size_
    [[maybe_unused]] std::size_t size_;
    bool has_lost_name_ = false;
  };

  /// Takes the bytes of one call. From then on the bytes survive the process. `no_room`: no byte
  /// was taken. `shared`: the bytes were accepted, and withdraw() must be called at once.
  result put(std::string_view bytes) noexcept {
    // Loaded before the copy: after a store of chars, compilers would load the members again.
    const std::size_t size = bytes.size(), used = used_;
    sidecar_header& head = header();
    if (size > room_ - used) return result::no_room;
    char* const to = map_.data() + buffer_at + used;
    if (size == 1)
      *to = bytes.front();
    else
      detail::copy(to, bytes.data(), size);
    used_ = used + size;
    head.count.store(static_cast<std::uint32_t>(used + size), std::memory_order_release);
    // The processor may do this load before the store. The process that sets `shared` orders the
    // load and the store, because a barrier here would cost more than the rest of the call.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return head.shared.load(std::memory_order_relaxed) == 0 ? result::accepted : result::shared;
  }

  /// The pending bytes, except the bytes in open thread buffers.
  std::string_view pending_bytes() const noexcept {
    if (!alone_) return {};
    return from_thread_buffers_ ? std::string_view(merged_.get(), used_)
                                : map_.view().substr(buffer_at, used_);
  }
  /// The number of pending bytes, including the bytes in thread buffers.
  std::uint64_t size() const noexcept;

  bool has_thread_buffers() const noexcept { return gate_ != nullptr; }
  /// Lets threads put up to `room` bytes into thread buffers. Returns false if bytes are pending,
  /// if another process shares the file, or if thread buffers are not possible. `late_at`: see
  /// thread_buffer_gate::open().
  bool open_thread_buffers(thread_buffer_gate& gate, std::uint64_t room,
                           std::int64_t late_at) noexcept;
  /// Closes the gate for the threads, and merges the thread buffers' bytes into pending_bytes(). If
  /// the thread buffers had bytes, put() takes no other bytes before restart_at().
  void close_thread_buffers() noexcept;
  /// Drops the pending bytes except the last `kept` bytes. From then on the buffer's first byte
  /// belongs at this position. If the file was opened to append, the byte belongs at the file's
  /// end.
  void restart_at(std::uint64_t position, std::size_t kept = 0) noexcept;
  /// Lets at most `size` more bytes become pending.
  void limit_pending(std::uint64_t size) noexcept {
    if (alone_)
      room_ = used_ + static_cast<std::size_t>(std::min<std::uint64_t>(size, buffer_size - used_));
  }
  /// Called before the pending bytes are written to the file. restart_at() must follow. Returns
  /// false if other processes share the file: then withdraw() must be called instead.
  bool begin_moving() noexcept;
  /// Writes the pending bytes that other processes expect in the file. Returns how many of the
  /// pending bytes are in the file. The caller writes the other bytes or, if `ec` is set, gives up
  /// the other bytes. From then on the sidecar takes no bytes.
  std::size_t withdraw(std::error_code& ec) noexcept;
  /// Called in a forked child: the sidecar stays the parent's. The child must destroy this object,
  /// and open another sidecar before the child writes.
  void after_fork_in_child() noexcept;
  /// True if this process has the file to itself, as far as this stream knows.
  bool is_alone() const noexcept { return alone_; }
  /// True if another program has removed the sidecar: then other processes don't see that the file
  /// is shared.
  bool was_removed() const noexcept;
  /// The failure of a mapping that has lost bytes, or no failure.
  failure mapping_failure() const noexcept { return map_.access_failure(); }
  /// Number of bytes that were put into thread buffers and are lost, because the mapping is broken.
  std::uint64_t lost_bytes() const noexcept { return lost_bytes_; }

 private:
  friend struct sidecar_file;
  static constexpr std::size_t buffer_at = 4096;
  static constexpr std::size_t buffer_size = 256 << 10;
  static constexpr std::size_t call_at = buffer_at + buffer_size;
  static constexpr std::size_t longest_call = 64 << 10;
  static constexpr std::size_t thread_buffers_at = call_at + longest_call;
  // Smaller thread buffers would be full after a few calls.
  static constexpr std::size_t least_thread_buffer = 1024;
  static_assert(thread_buffers_at % 4096 == 0);

  sidecar(native_handle_type descriptor, native_handle_type file, native_handle_type folder,
          std::string name, mapping map, bool appends, bool alone) noexcept;

  sidecar_header& header() noexcept { return *reinterpret_cast<sidecar_header*>(map_.data()); }
  bool make_thread_buffers() noexcept;

  native_handle_type descriptor_;  // the sidecar's descriptor, which has the sidecar's locks
  native_handle_type file_;        // the file, for reading at any position and appending
  native_handle_type folder_;
  std::string name_;  // the sidecar's name in the folder
  mapping map_;
  bool appends_;
  bool alone_;  // false: other processes share the file, and no bytes may be pending
  bool belongs_to_parent_ = false;
  std::size_t used_;  // bytes of the buffer in use; if nothing may be pending, all bytes
  std::size_t room_ = buffer_size;
  thread_buffer_gate* gate_ = nullptr;  // null: no thread buffers are open
  std::size_t room_before_ = 0;         // room_ before the thread buffers were opened
  std::unique_ptr<char[]> merged_;      // memory for the merged bytes of thread buffers
  bool from_thread_buffers_ = false;    // the pending bytes are in merged_
  std::uint64_t lost_bytes_ = 0;
};

/// Reads the pending bytes of an open file. Changes nothing.
class sidecar_view {
 public:
  sidecar_view() noexcept = default;
  sidecar_view(const sidecar_view&) = delete;
  sidecar_view& operator=(const sidecar_view&) = delete;
  ~sidecar_view();

  /// Finds the file's current sidecar, if any. Errors: errc::bad_sidecar, errc::foreign_sidecar,
  /// and system errors.
  void find(const opened_path& path, const device& file, std::error_code& ec) noexcept;
  /// Copies pending bytes from position `at` of the file on. Returns the number of copied bytes; 0:
  /// no byte is pending at `at`, but the file itself may have the bytes now.
  std::size_t read(std::uint64_t at, std::span<char> into) const noexcept;
  /// Returns the size of the file with its pending bytes, if the file itself has `size` bytes.
  std::uint64_t end(std::uint64_t size) const noexcept;

 private:
  struct pending_range {
    std::uint32_t epoch;
    bool in_thread_buffers;
    std::uint64_t begin, end;
  };

  pending_range current_range() const noexcept;
  std::size_t merge(std::uint64_t before) const noexcept;
  void close() noexcept;

  native_handle_type folder_ = no_handle;
  std::string name_;                           // the sidecar's name in the folder
  native_handle_type descriptor_ = no_handle;  // the sidecar's descriptor
  mapping map_;
  // Merged bytes of the thread buffers, made by current_range().
  mutable std::unique_ptr<char[]> merged_;
  mutable pending_range last_range_{};  // the range that read() has found last
};

/// How opening a file to write, or rotating a log, treats an existing sidecar.
enum class recovery_mode {
  replay,  ///< the bytes of a killed process go into the file
  drop,    ///< the file is being emptied, so the pending bytes are dropped
  retire,  ///< as replay; then the sidecar's name is removed, before the file loses its own name
};

/// Recovers the sidecar of an open file, if any. If the sidecar's writer lives, the pending bytes
/// go into the file, and from then on the writer writes each call itself. Otherwise the bytes are
/// replayed or dropped, and if no other process shares the file, the sidecar is removed. Returns
/// how many bytes have gone into the file. Errors: errc::bad_sidecar, errc::foreign_sidecar, and
/// system errors. After an error the sidecar and its pending bytes stay. A sidecar from before the
/// last start of the system is removed. If bytes are pending in such a sidecar and `how` is not
/// `drop`, the loss handler is called.
///
/// The sidecar may belong to an earlier file, which had the name before. If the writer follows the
/// name, and the folder has the earlier file under another name, the pending bytes go to the
/// earlier file. If the writer follows the name, and the folder does not have the earlier file, the
/// pending bytes go to the end of the open file, or `drop` drops them. In both cases the sidecar is
/// removed. If the writer does not follow the name and bytes are pending, the error is
/// errc::foreign_sidecar.
std::uint64_t recover_sidecar(const opened_path& path, native_handle_type opened, recovery_mode how,
                              std::error_code& ec) noexcept;

}  // namespace v0
}  // namespace leat
