// The same for a format that is known at run time.
// expect: check_formatter.*opaque
#include <leat/print.hpp>
#include <leat/writer.hpp>

struct opaque {};
void wrong(leat::writer& out) { out.print(leat::runtime("{}"), opaque{}); }
