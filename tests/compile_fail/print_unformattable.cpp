// A type without a formatter.
// expect: has no (fmt|std)::formatter|LEAT_FORMAT=none
#include <leat/print.hpp>
#include <leat/writer.hpp>

struct opaque {};
void wrong(leat::writer& out) { out.print("{}", opaque{}); }
