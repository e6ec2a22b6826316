// A literal that asks for more arguments than there are.
// expect: argument
#include <leat/print.hpp>
#include <leat/writer.hpp>

void too_few(leat::writer& out) { out.print("{} {}\n", 1); }
