// The flag that Ctrl-C sets. The commands bench and tune, and the experiments with a store, read
// the flag. An interrupted run removes its files and shows its results so far.
#pragma once

namespace bench {

/// From now on SIGINT, SIGTERM and SIGHUP, or the events of a Windows console, only set a flag. A
/// signal that was ignored before (nohup) stays ignored.
void catch_interrupts();

/// True if a signal or an event that catch_interrupts() names has arrived since the call of
/// catch_interrupts().
bool is_interrupted();

}  // namespace bench
