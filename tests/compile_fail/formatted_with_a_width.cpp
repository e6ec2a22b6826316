// A width is allowed for the members, in the format of leat::formatted, not for the whole value.
// expect: specification_not_allowed_for_this_argument
#include <fmt/format.h>
#include <leat/formatted.hpp>
#include <leat/print.hpp>
#include <leat/writer.hpp>

struct point {
  double x, y;
};
template <>
struct fmt::formatter<point> : leat::formatted<"({}, {})", &point::x, &point::y> {};

void wrong(leat::writer& out) { out.print("{:>20}", point{1, 2}); }
