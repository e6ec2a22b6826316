// '{' as the fill character.
// expect: non-.?constexpr.? function .*invalid_fill_character
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) { out.print("{:{<5}", 1); }
