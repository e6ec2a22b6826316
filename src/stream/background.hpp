// Windows on their way to the device while the program fills the next one.
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
using window_memory = std::unique_ptr<char, free_memory>;

/// Writes windows in a thread of its own, one after the other, none after one that failed. Used by
/// one thread, which must not use the device while has_window().
class background_writer {
 public:
  struct window {
    window_memory memory;
    std::size_t capacity = 0;
    std::size_t size = 0;  ///< how much of it is to be written
    std::uint64_t at = 0;
    std::uint64_t written = 0;
    std::error_code ec;
  };

  /// How many windows it takes: with 2 the device gets the next one without waiting for the program
  /// to hear of the last.
  background_writer(device& to, std::size_t windows) noexcept : device_(&to), most_(windows) {}
  background_writer(const background_writer&) = delete;
  background_writer& operator=(const background_writer&) = delete;
  ~background_writer() { stop(); }

  /// Starts the thread if it does not run. Throws where there is none to be had.
  void start();
  /// Waits for the windows that are on their way, and ends the thread.
  void stop() noexcept;

  /// In a forked child: the thread stayed in the parent, so there is nothing to end and nothing
  /// that can be destroyed.
  static void abandon(std::unique_ptr<background_writer> lost) noexcept;

  /// Not if it is_full().
  void hand_over(window&& full) noexcept;
  /// True if a window was handed over and not taken back.
  bool has_window() const noexcept { return given_ != 0; }
  bool is_full() const noexcept { return given_ == most_; }
  /// Waits for the windows that are on their way. Any thread may do this.
  void wait() noexcept {
    for (auto& one : slots_) wait_while(one, busy);
  }
  /// Waits for the first window that was handed over, and gives it back with what became of it.
  window take_back() noexcept;

 private:
  enum state : int { idle, busy, stopped };
  struct slot {
    window what;
    std::atomic<int> state{idle};
  };

  void run() noexcept;
  /// The one that is filled next.
  slot& next() noexcept { return slots_[(first_ + given_) % slots_.size()]; }
  static void set(slot& one, state to) noexcept {
    one.state.store(to, std::memory_order_release);
    wake_one(one.state);
  }
  static void wait_while(slot& one, state is) noexcept {
    while (one.state.load(std::memory_order_acquire) == is) sleep_while(one.state, is);
  }

  device* device_;
  std::size_t most_;
  std::array<slot, 2> slots_;  // filled and written in turn
  std::size_t first_ = 0, given_ = 0;
  std::thread thread_;
  background_writer* next_lost_ = nullptr;
};

}  // namespace v0
}  // namespace leat
