#include "interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace bench {

namespace {

volatile std::sig_atomic_t interrupted = 0;

extern "C" void note_interrupt(int) { interrupted = 1; }

}  // namespace

void catch_interrupts() {
  struct sigaction action{};
  action.sa_handler = note_interrupt;
  action.sa_flags = SA_RESTART;  // a peer may not know what to do with EINTR
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before{};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

bool is_interrupted() { return interrupted != 0; }

}  // namespace bench
