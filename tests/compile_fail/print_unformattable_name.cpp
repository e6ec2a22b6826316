// The message names the type that has no formatter.
// expect: check_formatter.*opaque
#include <leat/print.hpp>
#include <leat/writer.hpp>

struct opaque {};
void wrong(leat::writer& out) { out.print("{} {}", 1, opaque{}); }
