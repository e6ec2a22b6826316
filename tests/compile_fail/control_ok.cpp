// The correct form of what the other files do wrong: shows that these fail for their own reason.
// expect-ok
#include <leat/print.hpp>
#include <leat/writer.hpp>

void enough(leat::writer& out) { out.print("{} {}\n", 1, 2); }
