// A point without a precision.
// expect: non-.?constexpr.? function .*missing_precision
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) { out.print("{:.f}", 1.5); }
