// Ctrl-C asks a run to stop. The interrupted run removes its files and shows its results so far.
#pragma once

namespace bench {

/// From now on SIGINT, SIGTERM and SIGHUP, or the events of a Windows console, only set a flag. A
/// signal that was ignored before (nohup) stays ignored.
void catch_interrupts();

/// True if such a signal or event has arrived since catch_interrupts().
bool is_interrupted();

}  // namespace bench
