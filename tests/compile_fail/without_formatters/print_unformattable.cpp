// Without formatters only native values are formatted. The message names the type and a remedy.
// expect: static assertion failed.*LEAT_FORMAT=none
#include <leat/print.hpp>
#include <leat/writer.hpp>

struct opaque {};
void wrong(leat::writer& out) { out.print("{} {}", 1.5, opaque{}); }
