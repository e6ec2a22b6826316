// A correct call. The call shows that the other files fail for their own reasons, not for a common
// reason.
// expect-ok
#include <leat/print.hpp>
#include <leat/writer.hpp>

void enough(leat::writer& out) { out.print("{} {}\n", 1, 2); }
