// The members must be members of the type itself.
// expect-first: leat::formatted shows data members and const member functions of the type itself
#include <fmt/format.h>
#include <leat/formatted.hpp>
#include <leat/print.hpp>
#include <leat/writer.hpp>

struct line {
  int length;
};
struct point {
  double x, y;
};
template <>
struct fmt::formatter<point> : leat::formatted<"({})", &line::length> {};

void wrong(leat::writer& out) { out.print("{}", point{1, 2}); }
