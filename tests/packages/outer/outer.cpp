// A library that uses leat.
#include "outer.hpp"

void answer(leat::writer& out, int number) { out.print("The answer is {}.\n", number); }
