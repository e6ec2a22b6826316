// Threads of leat. Each platform implements start_service_thread().
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "base/no_cancel.hpp"

namespace leat {
inline namespace v0 {

/// Starts a thread in which all signals are blocked, except the signals that its own work can
/// cause: faults such as SIGBUS; and SIGPIPE and SIGXFSZ, unless the calling thread blocks them.
/// Throws what std::thread's constructor throws.
std::thread start_service_thread(std::function<void()> work);

/// The count of running service threads, for is_only_thread(). Always 0 on Windows, which has no
/// fork and so no need for the count.
inline constinit std::atomic<int> service_threads{0};

/// Joins a thread. Unlike std::thread::join(), this function is not a cancellation point.
inline void join(std::thread& one) {
  const no_cancel guard;
  one.join();
}

}  // namespace v0
}  // namespace leat
