// Starts leat's own threads, with the program's signals blocked. Background writers, timed flushes,
// log finishers, read-ahead and batches of random access start such threads.
#include "base/service_thread.hpp"

#include <pthread.h>
#include <signal.h>

#include <utility>

namespace leat {
inline namespace v0 {

namespace {

/// While an object lives, the thread that made the object blocks all signals, except six signals
/// that a thread's own actions raise. A new thread inherits the signal mask of its creator.
class signal_blocker {
 public:
  signal_blocker() noexcept {
    sigset_t all;
    sigfillset(&all);  // a macro on macOS
    for (const int own : {SIGPIPE, SIGXFSZ, SIGBUS, SIGSEGV, SIGFPE, SIGILL}) sigdelset(&all, own);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~signal_blocker() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  signal_blocker(const signal_blocker&) = delete;
  signal_blocker& operator=(const signal_blocker&) = delete;

 private:
  sigset_t before_;
};

/// Unblocks the signals of faults. If a fault raises a blocked signal, the system ends the program
/// without calling the handler. The guard of mappings needs SIGBUS.
void unblock_faults() noexcept {
  sigset_t faults;
  sigemptyset(&faults);
  for (const int fault : {SIGBUS, SIGSEGV, SIGFPE, SIGILL}) sigaddset(&faults, fault);
  ::pthread_sigmask(SIG_UNBLOCK, &faults, nullptr);
}

}  // namespace

std::thread start_service_thread(std::function<void()> work) {
  const signal_blocker during_start;
  std::thread started([work = std::move(work)] {
    unblock_faults();
    work();
    service_threads.fetch_sub(1, std::memory_order_relaxed);
  });
  // A thread is counted after its start. Otherwise is_only_thread() in another thread could mistake
  // a thread of the program for the new thread. If the new thread has already ended, the count is
  // too small for a moment.
  service_threads.fetch_add(1, std::memory_order_relaxed);
  return started;
}

}  // namespace v0
}  // namespace leat
