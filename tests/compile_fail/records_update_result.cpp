// A function that takes the record as a T&, and returns the new value instead of writing it there.
// expect-first: must take the record as a T& and return void
#include <leat/records.hpp>

#include <vector>

void wrong(leat::records<int>& nodes, const std::vector<int>& positions) {
  nodes.update(positions, [](auto& v) { return v + 1; });
}
