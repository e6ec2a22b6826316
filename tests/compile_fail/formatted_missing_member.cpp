// Each field of the format must have a member.
// expect-first: the format of leat::formatted has more fields than members
#include <fmt/format.h>
#include <leat/formatted.hpp>
#include <leat/print.hpp>
#include <leat/writer.hpp>

struct point {
  double x, y;
};
template <>
struct fmt::formatter<point> : leat::formatted<"({}, {})", &point::x> {};

void wrong(leat::writer& out) { out.print("{}", point{1, 2}); }
