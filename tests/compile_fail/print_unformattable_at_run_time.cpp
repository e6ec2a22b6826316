// A type without a formatter, in a format string that is known only at run time.
// expect-first: has no (fmt|std)::formatter.*leat::formatted<.*format_as|LEAT_FORMAT=none
#include <leat/print.hpp>
#include <leat/writer.hpp>

struct opaque {};
void wrong(leat::writer& out) { out.print(leat::runtime("{}"), opaque{}); }
