// A function that returns the new value, and does not change the record.
// expect-first: must take the record as a T& and return void
#include <leat/records.hpp>

#include <vector>

void wrong(leat::records<int>& nodes, const std::vector<int>& positions) {
  nodes.update(positions, [](int v) { return v + 1; });
}
