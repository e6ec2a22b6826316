// A scoped enumeration is not a number, and its values have no printable names.
// expect: check_formatter.*color
#include <leat/print.hpp>
#include <leat/writer.hpp>

enum class color { red };
void wrong(leat::writer& out) { out.print("{}", color::red); }
