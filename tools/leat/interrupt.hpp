// Ctrl-C asks a run to stop; it goes on to clean up and to show what it has.
#pragma once

namespace bench {

/// From here on SIGINT, SIGTERM and SIGHUP, or what a console has in their place, only leave a
/// note; one that is ignored (nohup) stays so.
void catch_interrupts();

bool is_interrupted();

}  // namespace bench
