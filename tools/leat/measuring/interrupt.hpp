// Ctrl-C asks a run to stop. The run then removes its files and shows what it has.
#pragma once

namespace bench {

/// From here on SIGINT, SIGTERM and SIGHUP, or the events of a Windows console, only leave a note.
/// A signal that was ignored before, as under nohup, stays ignored.
void catch_interrupts();

bool is_interrupted();

}  // namespace bench
