// A mistake that {fmt} refuses at run time is refused at compile time.
// expect: zero_padding_needs_a_number
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out) { out.print("{:05}", true); }
