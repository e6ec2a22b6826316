// Zero padding (the '0' of "{:08}") of a value that is not a number.
// expect: non-.?constexpr.? function .*zero_padding_needs_a_number
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) { out.print("{:08}\n", "text"); }
