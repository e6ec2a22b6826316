// A function that changes a copy of the record.
// expect-first: must take the record as a T& and return void
#include <leat/records.hpp>

#include <vector>

void wrong(leat::records<int>& nodes, const std::vector<int>& positions, std::error_code& ec) {
  nodes.update(positions, [](int v, std::size_t) { ++v; }, ec);
}
