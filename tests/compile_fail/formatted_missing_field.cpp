// Each member must have a field in the format.
// expect-first: a member in leat::formatted has no field in its format
#include <fmt/format.h>
#include <leat/formatted.hpp>
#include <leat/print.hpp>
#include <leat/writer.hpp>

struct point {
  double x, y;
};
template <>
struct fmt::formatter<point> : leat::formatted<"({})", &point::x, &point::y> {};

void wrong(leat::writer& out) { out.print("{}", point{1, 2}); }
