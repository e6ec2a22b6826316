// Registers fork handlers, and checks whether the program has only one thread. Streams call
// these functions.
#include <leat/detail/single_threaded.hpp>

#include <pthread.h>
#include <sys/stat.h>

#include <thread>

#include "base/fork.hpp"
#include "base/service_thread.hpp"

namespace leat {
inline namespace v0 {

void on_fork(void (*prepare)(), void (*parent)(), void (*child)()) noexcept {
  static_cast<void>(::pthread_atfork(prepare, parent, child));
}

#if defined(__linux__)
namespace {

#  if defined(__SANITIZE_THREAD__)
constexpr bool has_thread_sanitizer = true;
#  elif defined(__has_feature)
constexpr bool has_thread_sanitizer = __has_feature(thread_sanitizer);
#  else
constexpr bool has_thread_sanitizer = false;
#  endif
/// The number of threads of a program that has started no thread. The thread sanitizer adds one
/// thread.
constexpr int initial_threads = has_thread_sanitizer ? 2 : 1;

}  // namespace
#endif

bool is_only_thread() noexcept {
  if (detail::is_single_threaded()) return true;
#if defined(__linux__)
  // A thread that has been joined may still be counted for some microseconds.
  constexpr int tries = 20;
  for (int i = 0; i != tries; ++i) {
    if (i != 0) std::this_thread::yield();
    struct stat threads{};
    if (::stat("/proc/self/task", &threads) != 0 || threads.st_nlink < 3) return false;
    const int running = static_cast<int>(threads.st_nlink) - 2;
    if (running <= initial_threads + service_threads.load(std::memory_order_relaxed)) return true;
  }
#endif
  return false;
}

}  // namespace v0
}  // namespace leat
