// A thread that writes full buffers to the device while the program fills the next buffer. Used by
// write_buffer.
#pragma once

#include <leat/device.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <system_error>
#include <thread>

#include "base/memory_block.hpp"
#include "base/sleep.hpp"

namespace leat {
inline namespace v0 {

struct free_memory {
  void operator()(char* memory) const noexcept { free_bytes(memory); }
};

/// Memory that reallocate_bytes can grow.
using buffer_memory = std::unique_ptr<char, free_memory>;

/// Writes full buffers (`full_buffer`) in a thread of its own, in order. After a failure nothing
/// more is written: each later buffer gets the same failure. Only one thread, the user, may call
/// the functions, except for wait() and wait_at_fork(). While has_buffer() is true, the user must
/// not use the device.
class background_writer {
 public:
  struct full_buffer {
    buffer_memory memory;
    std::size_t capacity = 0;
    std::size_t size = 0;  ///< number of bytes to write, at position `at`
    std::uint64_t at = 0;
    std::uint64_t written = 0;
    std::error_code ec;
  };

  /// `buffers`: the most buffers that the thread holds, 1 or 2. With 2, the thread writes the
  /// second buffer even if reclaim_buffer() has not returned the first buffer.
  background_writer(device& to, std::size_t buffers) noexcept
      : device_(&to), max_buffers_(buffers) {}
  background_writer(const background_writer&) = delete;
  background_writer& operator=(const background_writer&) = delete;
  ~background_writer() { stop(); }

  /// If the thread does not run, starts the thread. If the thread cannot be started, throws
  /// std::system_error or std::bad_alloc. Must not be called after stop().
  void start();
  /// Waits like wait(), and ends the thread.
  void stop() noexcept;

  /// Keeps `abandoned` until the process ends. Called in a forked child: the thread exists only in
  /// the parent, so the child cannot join the thread, and cannot destroy `abandoned`.
  static void abandon(std::unique_ptr<background_writer> abandoned) noexcept;

  /// Gives the thread a buffer to write. start() must have been called, and is_full() must be
  /// false.
  void hand_over(full_buffer&& full) noexcept;
  /// Returns true if the thread has a buffer that reclaim_buffer() has not returned.
  bool has_buffer() const noexcept { return held_buffers_ != 0; }
  /// Returns true if the thread has as many buffers as it may hold.
  bool is_full() const noexcept { return held_buffers_ == max_buffers_; }
  /// Returns true if handing over a buffer has to wait for the oldest buffer.
  bool would_wait() const noexcept { return is_full() && is_writing(); }
  /// Returns true if the oldest buffer is neither written nor failed yet.
  bool is_writing() const noexcept {
    return slots_[oldest_].state.load(std::memory_order_acquire) == busy;
  }
  /// Waits until each buffer is written or has failed. Any thread may call this function.
  void wait() noexcept {
    for (auto& one : slots_) wait_while(one, busy);
  }
  /// Waits like wait(), but at most fork_timeout. If a thread waits for the list of open streams,
  /// stops waiting, because that thread may be the thread of this background_writer. Any thread may
  /// call this function.
  void wait_at_fork() const noexcept;
  /// Waits until the oldest buffer is written or has failed, and returns the buffer with the
  /// result. Requires has_buffer().
  full_buffer reclaim_buffer() noexcept;

 private:
  enum state : int { idle, busy, stopped };
  struct slot {
    full_buffer buffer;
    std::atomic<int> state{idle};
  };

  void run() noexcept;
  /// The slot for the next buffer.
  slot& free_slot() noexcept { return slots_[(oldest_ + held_buffers_) % slots_.size()]; }
  static void set(slot& one, state to) noexcept {
    one.state.store(to, std::memory_order_release);
    wake_one(one.state);
  }
  static void wait_while(slot& one, state unwanted) noexcept {
    while (one.state.load(std::memory_order_acquire) == unwanted) sleep_while(one.state, unwanted);
  }

  device* device_;
  std::size_t max_buffers_;
  std::array<slot, 2> slots_;  // filled and written alternately
  std::size_t oldest_ = 0, held_buffers_ = 0;
  std::thread thread_;
  background_writer* next_abandoned_ = nullptr;
};

}  // namespace v0
}  // namespace leat
