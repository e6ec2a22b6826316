// A type without a formatter. The first error says how to write one.
// expect-first: has no (fmt|std)::formatter.*leat::formatted<.*format_as|LEAT_FORMAT=none
#include <leat/print.hpp>
#include <leat/writer.hpp>

struct opaque {};
void wrong(leat::writer& out) { out.print("{}", opaque{}); }
