// Nobody formats what is not native. The message names the type, and how to have it.
// expect: static assertion failed.*LEAT_FORMAT=none
#include <leat/print.hpp>
#include <leat/writer.hpp>

struct opaque {};
void wrong(leat::writer& out) { out.print("{} {}", 1.5, opaque{}); }
