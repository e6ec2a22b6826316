// Threads that leat starts for itself.
#pragma once

#include <thread>
#include <utility>

#if !defined(_WIN32)
#  include <csignal>
#endif

namespace leat {
inline namespace v0 {

/// Starts a thread that leaves the program's signals to the program's threads, but for those that
/// its own writing causes. Throws what std::thread's constructor throws.
template <class Work>
std::thread service_thread(Work work) {
#if defined(_WIN32)
  return std::thread(std::move(work));
#else
  struct all_blocked {  // a thread inherits the mask of the one that starts it
    sigset_t before;
    all_blocked() noexcept {
      sigset_t all;
      sigfillset(&all);
      for (const int own : {SIGPIPE, SIGXFSZ, SIGBUS, SIGSEGV, SIGFPE, SIGILL})
        sigdelset(&all, own);
      pthread_sigmask(SIG_SETMASK, &all, &before);
    }
    all_blocked(const all_blocked&) = delete;
    all_blocked& operator=(const all_blocked&) = delete;
    ~all_blocked() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  } const blocked;
  return std::thread(std::move(work));
#endif
}

}  // namespace v0
}  // namespace leat
