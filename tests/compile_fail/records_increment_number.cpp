// A plain number that leat::records returns is a copy, and can't be changed.
// expect: lvalue required|not assignable
#include <leat/records.hpp>

void wrong(leat::records<int>& nodes) { ++nodes[7]; }
