// A literal with more fields than arguments.
// expect: non-.?constexpr.? function .*argument_missing
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) { out.print("{} {}\n", 1); }
