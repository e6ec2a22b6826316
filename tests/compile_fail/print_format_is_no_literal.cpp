// A format string that is known only at run time, without leat::runtime().
// expect: not a constant expression|call to consteval function
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out, const std::string& text) { out.print(text, 1); }
