// The value of a named argument needs a formatter.
// expect-first: has no fmt::formatter.*leat::formatted<.*format_as
#include <fmt/format.h>
#include <leat/print.hpp>
#include <leat/writer.hpp>

struct opaque {};
void wrong(leat::writer& out) { out.print("{name}", fmt::arg("name", opaque())); }
