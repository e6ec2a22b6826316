// A format that names an argument: print's arguments have no names.
// expect: non-.?constexpr.? function .*invalid_argument_index_or_single_brace
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) { out.print("{name}", 1); }
