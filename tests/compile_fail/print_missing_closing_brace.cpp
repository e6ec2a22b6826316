// A field without a closing brace.
// expect: non-.?constexpr.? function .*missing_closing_brace
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) { out.print("{:5", 1); }
