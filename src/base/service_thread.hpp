// Threads that leat starts for itself. Each platform has its own implementation of this.
#pragma once

#include <functional>
#include <thread>

namespace leat {
inline namespace v0 {

/// Starts a thread that leaves the program's signals to the program's threads, except those that
/// its own writing causes (SIGPIPE, SIGXFSZ, SIGBUS …). Throws what std::thread's constructor
/// throws.
std::thread service_thread(std::function<void()> work);

}  // namespace v0
}  // namespace leat
