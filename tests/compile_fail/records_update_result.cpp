// update() refuses a function that takes the record as a T&, but returns the new value instead of
// writing the value to the record. expect-first: must take the record as a T& and return void
#include <leat/records.hpp>

#include <vector>

void wrong(leat::records<int>& nodes, const std::vector<int>& positions) {
  nodes.update(positions, [](auto& v) { return v + 1; });
}
