// A type that nobody said how to format.
// expect: [Cc]annot format an argument|type_is_unformattable|formatter
#include <leat/print.hpp>
#include <leat/writer.hpp>

struct opaque {};
void wrong(leat::writer& out) { out.print("{}", opaque{}); }
