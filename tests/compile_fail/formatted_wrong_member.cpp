// The format of a type is checked against its members.
// expect-first: a specification in the format of leat::formatted does not fit its member
#include <fmt/format.h>
#include <leat/formatted.hpp>
#include <leat/print.hpp>
#include <leat/writer.hpp>

struct point {
  double x, y;
};
template <>
struct fmt::formatter<point> : leat::formatted<"({}, {:d})", &point::x, &point::y> {};

void wrong(leat::writer& out) { out.print("{}", point{1, 2}); }
