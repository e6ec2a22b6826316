// Values are printed as const, so a member function that is not const is refused.
// expect-first: leat::formatted shows data members and const member functions of the type itself
#include <fmt/format.h>
#include <leat/formatted.hpp>
#include <leat/print.hpp>
#include <leat/writer.hpp>

struct counter {
  int count();
};
template <>
struct fmt::formatter<counter> : leat::formatted<"{}", &counter::count> {};

void wrong(leat::writer& out) { out.print("{}", counter()); }
