// A std::string as the format string, without leat::runtime().
// expect: not known at compile time: write leat::runtime
#include <leat/print.hpp>
#include <leat/writer.hpp>

void wrong(leat::writer& out, const std::string& text) { out.print(text, 1); }
