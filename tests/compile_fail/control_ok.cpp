// A correct call. It shows that the other files fail for their own reason, not a common one.
// expect-ok
#include <leat/print.hpp>
#include <leat/writer.hpp>

void enough(leat::writer& out) { out.print("{} {}\n", 1, 2); }
