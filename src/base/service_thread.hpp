// Threads of leat. Each platform implements start_service_thread(). Background writers, timed
// flushes, log finishers, read-ahead and batches of random reads use such threads.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "base/no_cancel.hpp"

namespace leat {
inline namespace v0 {

/// Starts a thread. On POSIX systems all signals are blocked in the thread, except the signals that
/// its own work can cause: faults such as SIGBUS, and also SIGPIPE and SIGXFSZ. If the calling
/// thread blocks SIGPIPE or SIGXFSZ, this signal is blocked, too. Throws what std::thread's
/// constructor throws.
std::thread start_service_thread(std::function<void()> work);

/// The count of running service threads, for the handlers of fork. Windows has no fork and does not
/// need the count: on Windows the count is always 0.
inline constinit std::atomic<int> service_threads{0};

/// Keeps log finishers from calling code of the program (`rotating_options::finished`) while a fork
/// flushes streams that have no lock. So the program's code can't use such a stream at the same
/// time.
class callback_gate {
 public:
  /// Called before a fork. Returns false if a thread of leat is in such a call of the program's
  /// code. Otherwise such calls begin only after open().
  static bool close() noexcept {
    int none = 0;
    return gate_state.compare_exchange_strong(none, closed);
  }
  static void open() noexcept {
    int expected = closed;
    gate_state.compare_exchange_strong(expected, 0);
  }
  /// In a forked child, keeps only the calls of this thread in the count: the child has only the
  /// thread that called fork().
  static void after_fork_in_child() noexcept { gate_state = calls_of_thread; }

  /// Exists during a call of the program's code by a thread of leat. Waits while the gate is
  /// closed.
  class pass {
   public:
    pass() noexcept {
      int calls = 0;
      while (!gate_state.compare_exchange_weak(calls, calls + 1)) {
        if (calls != closed) continue;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        calls = 0;
      }
      ++calls_of_thread;
    }
    ~pass() {
      --calls_of_thread;
      --gate_state;
    }
    pass(const pass&) = delete;
    pass& operator=(const pass&) = delete;
  };

 private:
  static constexpr int closed = -1;

  static inline constinit std::atomic<int> gate_state{0};  // the number of calls, or `closed`
  static inline constinit thread_local int calls_of_thread = 0;
};

/// Joins a thread. Unlike std::thread::join(), this function is not a cancellation point.
inline void join(std::thread& one) {
  const no_cancel guard;
  one.join();
}

}  // namespace v0
}  // namespace leat
