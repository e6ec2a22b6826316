// A format that does not fit its members is also refused if {fmt} prints the value.
// expect-first: a specification in the format of leat::formatted does not fit its member
#include <fmt/format.h>
#include <leat/formatted.hpp>

struct point {
  double x, y;
};
template <>
struct fmt::formatter<point> : leat::formatted<"({}, {:d})", &point::x, &point::y> {};

std::string wrong() { return fmt::format("{}", point{1, 2}); }
