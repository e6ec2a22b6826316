// A type letter that this argument does not accept.
// expect: non-.?constexpr.? function .*invalid_type_for_this_argument
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) { out.print("{:d}\n", "text"); }
