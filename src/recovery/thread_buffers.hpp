// Thread buffers: per-thread buffers, in which threads that share a stream put their calls without
// waiting for each other. Used by sidecars and by streams without a sidecar.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <string_view>

#include "base/thread_number.hpp"

namespace leat {
inline namespace v0 {

/// One thread's buffer, in a sidecar or in memory: this header, then the calls one after the other.
/// Each call has a stamp, a size and its bytes, padded to a multiple of 8 bytes.
///
/// A stamp is a time of a clock that all processors share. So the calls of all thread buffers have
/// one order: if one call had returned before another call began, the first call has the earlier
/// stamp.
struct alignas(64) thread_buffer {
  // The first thread buffer is for all threads that have no number. These threads use the buffer
  // under the stream's lock.
  static constexpr std::size_t count = thread_number::most + 1;
  // A thread buffer has room for 1091 calls of 100 bytes. The next call must wait for a merge.
  static constexpr std::size_t size = 128 << 10;
  static constexpr std::size_t room = size - 64;
  // The stamp and the size of a call, and 4 unused bytes.
  static constexpr std::size_t call_header_size = 16;
  static constexpr std::uint64_t no_call = 0, unknown_stamp = 1;
  static constexpr std::uint64_t max_stamp = (std::numeric_limits<std::uint64_t>::max)();

  /// Stamp of the call that is being put, whose bytes are not complete yet. unknown_stamp: the
  /// call's thread is taking the stamp. no_call: no call is being put.
  std::atomic<std::uint64_t> current_stamp;
  std::atomic<std::uint32_t> used;  // bytes of complete calls, with their headers and padding

  /// Returns the size that a call of this many bytes takes in a thread buffer.
  static constexpr std::size_t padded_size(std::size_t bytes) noexcept {
    return (call_header_size + bytes + 7) / 8 * 8;
  }
};

/// The clock of stamps. The clock's values are above thread_buffer::unknown_stamp.
enum class stamp_clock : std::uint32_t { none, processor, monotonic };

inline constexpr std::size_t thread_buffers_size = thread_buffer::count * thread_buffer::size;

/// Merges the calls that are older than `before` from all thread buffers, in the order of their
/// stamps. `into` must have room for `thread_buffers_size` bytes. Returns the number of bytes. A
/// thread buffer ends at the first bytes that are not a call.
std::size_t merge_thread_buffers(const char* thread_buffers, std::uint64_t before,
                                 char* into) noexcept;
/// The time now on the clock of stamps.
std::uint64_t stamp_now(stamp_clock clock) noexcept;
/// Returns a time such that all older calls are in the thread buffers, and no older call will come:
/// the time now, or the stamp of the oldest call that is being put. Returns 0 if this time can't be
/// determined now.
std::uint64_t completed_before(const char* thread_buffers, stamp_clock clock) noexcept;

/// The gate through which threads put calls into the thread buffers of their stream. The thread
/// that holds the stream's lock opens and closes the gate. The gate lives as long as the stream
/// that the threads share.
class thread_buffer_gate {
 public:
  enum class result {
    accepted,  ///< the thread buffers have the bytes
    closed,    ///< no byte was taken: this call needs the stream's lock
    full,      ///< as `closed`; the holder of the lock moves the thread buffers' bytes
    shared,    ///< as `accepted`, but the file is shared: the buffers must be closed at once
  };

  /// Takes the bytes of one call, on any thread. For a thread without a number, returns `closed`.
  result put(std::string_view bytes) noexcept {
    const unsigned number = thread_number::mine();
    return number != 0 ? put(number, bytes) : result::closed;
  }
  /// As put(), on the thread that holds the stream's lock.
  result put_locked(std::string_view bytes) noexcept { return put(thread_number::mine(), bytes); }

  /// False if the system can't order the memory accesses of other threads: then the gate never
  /// opens. The first call of this function takes some microseconds, or up to 27 ms if other
  /// threads exist already.
  static bool is_possible() noexcept;
  /// Opens the gate. Each thread buffer may take `room` bytes, with headers and padding. `shared`
  /// is not 0 if other processes write to the file. From second `late_at` of the file clock on,
  /// each call needs the stream's lock. `thread_buffers` and `shared` must stay valid until
  /// close().
  void open(char* thread_buffers, const std::atomic<std::uint32_t>& shared, stamp_clock clock,
            std::size_t room, std::int64_t late_at) noexcept;
  /// Closes the gate. Afterwards no other thread is inside. Returns how many bytes were taken since
  /// open().
  std::uint64_t close() noexcept;
  bool is_open() const noexcept {
    return thread_buffers_.load(std::memory_order_relaxed) != nullptr;
  }
  /// Number of bytes taken since open(), by calls that have returned.
  std::uint64_t accepted_bytes() const noexcept;
  /// Called in a forked child, where the other threads don't exist.
  void after_fork_in_child() noexcept;

  static constexpr std::int64_t never_late = (std::numeric_limits<std::int64_t>::max)();

 private:
  /// Each thread stores to its own state, so that threads don't share cache lines.
  struct alignas(64) thread_state {
    std::atomic<bool> inside{false};
    std::atomic<std::uint64_t> accepted_bytes{0};
  };

  result put(unsigned number, std::string_view bytes) noexcept;

  std::array<thread_state, thread_buffer::count> thread_states_{};
  alignas(64) std::atomic<char*> thread_buffers_{nullptr};  // null: the gate is closed
  // The members below change only while the gate is closed. Only Linux uses these members.
  [[maybe_unused]] const std::atomic<std::uint32_t>* shared_ = nullptr;
  [[maybe_unused]] stamp_clock clock_ = stamp_clock::none;
  [[maybe_unused]] std::size_t room_ = 0;
  [[maybe_unused]] std::int64_t late_at_ = never_late;
};

/// Thread buffers that are in no file, and memory for their merged bytes.
struct thread_buffer_memory {
  static inline const std::atomic<std::uint32_t> not_shared{0};

  /// Empties all thread buffers. Called before the gate opens.
  void clear() noexcept {
    for (std::size_t i = 0; i != thread_buffer::count; ++i)
      new (thread_buffers + i * thread_buffer::size) thread_buffer{};
  }

  alignas(thread_buffer) char thread_buffers[thread_buffers_size];
  char merged[thread_buffers_size];
};

/// The clock for stamps of this process. `none`: the system has no thread buffers.
stamp_clock best_stamp_clock() noexcept;

}  // namespace v0
}  // namespace leat
