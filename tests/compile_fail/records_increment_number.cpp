// A plain number that records return can't be changed.
// expect: lvalue required|not assignable
#include <leat/records.hpp>

void wrong(leat::records<int>& nodes) { ++nodes[7]; }
