// A const char* that is known only at run time as the format string, without leat::runtime().
// expect: not usable in a constant expression|not a constant expression|call to consteval function
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out, const char* text) { out.print(text, 1); }
