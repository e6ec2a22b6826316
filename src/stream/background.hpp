// A window on its way to the device while the program fills the next one.
#pragma once

#include <leat/device.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <thread>

namespace leat {
inline namespace v0 {

struct free_memory {
  void operator()(char* memory) const noexcept { std::free(memory); }
};

/// Memory that realloc can grow.
using window_memory = std::unique_ptr<char, free_memory>;

/// Writes one window at a time in a thread of its own. Used by one thread, which must not use the
/// device between hand_over() and the end of the next take_back().
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

  explicit background_writer(device& to) noexcept : device_(&to) {}
  background_writer(const background_writer&) = delete;
  background_writer& operator=(const background_writer&) = delete;
  ~background_writer() { stop(); }

  /// Starts the thread if it does not run. Throws where there is none to be had.
  void start();
  /// Waits for the window that is on its way, and ends the thread.
  void stop() noexcept;

  /// In a forked child: the thread stayed in the parent, so there is nothing to end and nothing
  /// that can be destroyed.
  static void abandon(std::unique_ptr<background_writer> lost) noexcept;

  /// No other window is on its way.
  void hand_over(window&& next) noexcept;
  /// True if a window was handed over and not taken back.
  bool has_window() const noexcept { return given_; }
  /// Waits for the window that is on its way. Any thread may do this.
  void wait() const noexcept { state_.wait(busy, std::memory_order_acquire); }
  /// The same for the window that was handed over, and gives it back with what became of it.
  window take_back() noexcept;

 private:
  enum state : int { idle, busy, stopped };

  void run() noexcept;

  device* device_;
  window window_;
  bool given_ = false;
  std::atomic<int> state_{idle};
  std::thread thread_;
  background_writer* next_lost_ = nullptr;
};

}  // namespace v0
}  // namespace leat
