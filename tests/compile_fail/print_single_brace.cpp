// A brace of the text that is not written twice.
// expect: non-.?constexpr.? function .*invalid_argument_index_or_single_brace
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) { out.print("{\"a\": {}}", 3); }
