// The flag that Ctrl-C sets. The commands bench and tune, and the experiments with a store, read
// the flag.
#include "measuring/interrupt.hpp"

#include <csignal>

#include "system/system.hpp"

namespace bench {

namespace {

volatile std::sig_atomic_t interrupted = 0;

}  // namespace

void catch_interrupts() {
  on_interrupt([] { interrupted = 1; });
}

bool is_interrupted() { return interrupted != 0; }

}  // namespace bench
