// records[i] is a copy of a record: an assignment to the copy would write nothing. set() writes.
// expect: discards qualifiers|const edge.*, but method is not marked const
#include <leat/records.hpp>

struct edge {
  int from, to;
};
void wrong(leat::records<edge>& edges) { edges[7] = edge{1, 2}; }
