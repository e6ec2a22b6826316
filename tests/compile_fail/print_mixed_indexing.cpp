// Automatic and manual indexes in one literal.
// expect: non-.?constexpr.? function .*automatic_and_manual_indexing_mixed
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) { out.print("{} {1}", 1, 2); }
