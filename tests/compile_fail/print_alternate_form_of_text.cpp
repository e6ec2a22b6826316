// '#' for a value that is not a number.
// expect: non-.?constexpr.? function .*alternate_form_needs_a_number
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) { out.print("{:#}\n", "text"); }
