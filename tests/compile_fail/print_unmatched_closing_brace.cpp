// A '}' that closes nothing.
// expect: non-.?constexpr.? function .*unmatched_closing_brace
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) { out.print("} {}", 1); }
