// A precision for an integer.
// expect: non-.?constexpr.? function .*precision_not_allowed_for_this_argument
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) { out.print("{:.3}\n", 42); }
