// An array on disk after a header: creates a table of points, changes points at some positions, and
// reads the table.
#include <leat/leat.hpp>

#include <cstdint>
#include <vector>

struct header {
  leat::little<std::uint32_t> magic = 0x5441454C;  // "LEAT"
  leat::little<std::uint32_t> version = 1;
};
struct point {
  leat::little<float> x, y;
};

int main() try {
  const leat::records_options after_header{.header = sizeof(header)};
  auto points = leat::records<point>::create("points", after_header);
  points.underlying().write_at(0, leat::bytes_of(header{}));
  points.append(std::vector<point>(1000, point{1, 2}));
  points.update(std::vector<int>{3, 500, 3}, [](point& p) { p.x += 10; });
  points.close();

  const auto again = leat::records<point>::open("points", leat::mode::read, after_header);
  float sum = 0;
  for (const point p : again) sum += p.x;
  leat::println("{} points, the sum of x is {}", again.size(), sum);
} catch (const leat::io_error& error) {
  leat::err.println("records_with_header: {}", error.what());
  return 1;
}
