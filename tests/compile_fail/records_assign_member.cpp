// records[i] is a copy of a record: an assignment to a member of the copy would write nothing.
// expect: read-only location|returns a const value
#include <leat/records.hpp>

#include <array>

struct node {
  std::array<int, 2> edges;
};
void wrong(leat::records<node>& nodes) { nodes[7].edges[0] = 3; }
