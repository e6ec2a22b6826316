// '#' for what has no base.
// expect: non-.?constexpr.? function .*alternate_form_needs_a_number
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) { out.print("{:#}\n", "text"); }
