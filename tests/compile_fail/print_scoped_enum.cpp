// A scoped enumeration is no number, and has no name to print.
// expect: check_formatter.*color
#include <leat/print.hpp>
#include <leat/writer.hpp>

enum class color { red };
void wrong(leat::writer& out) { out.print("{}", color::red); }
