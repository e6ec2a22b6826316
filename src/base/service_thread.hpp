// Threads of leat. Each platform implements this.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "base/no_cancel.hpp"

namespace leat {
inline namespace v0 {

/// Starts a thread that does not handle the program's signals, except those that its own writes
/// cause (SIGPIPE, SIGXFSZ, SIGBUS …). Throws what std::thread's constructor throws.
std::thread service_thread(std::function<void()> work);

/// How many of them run.
inline constinit std::atomic<int> service_threads{0};

/// As join(), which is a point of cancellation.
inline void join(std::thread& one) {
  const no_cancel guard;
  one.join();
}

}  // namespace v0
}  // namespace leat
