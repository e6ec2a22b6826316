// What the other files get wrong, done right: shows that they fail for their own reason.
// expect-ok
#include <leat/print.hpp>
#include <leat/writer.hpp>

void enough(leat::writer& out) { out.print("{} {}\n", 1, 2); }
