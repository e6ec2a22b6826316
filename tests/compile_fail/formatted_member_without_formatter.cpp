// A member needs a formatter, too.
// expect-first: an argument has no fmt::formatter. For your own type write: .*leat::formatted<
#include <fmt/format.h>
#include <leat/formatted.hpp>
#include <leat/print.hpp>
#include <leat/writer.hpp>

#include <vector>

struct opaque {};
struct holder {
  std::vector<int> numbers;
  opaque inner;
};
template <>
struct fmt::formatter<holder> : leat::formatted<"{} {}", &holder::numbers, &holder::inner> {};

void wrong(leat::writer& out) { out.print("{}", holder()); }
