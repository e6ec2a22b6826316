// A width from an argument that is a text.
// expect: non-.?constexpr.? function .*width_or_precision_must_be_an_integer
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) { out.print("{:{}}", 1, "5"); }
