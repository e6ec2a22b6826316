// A plain number that records return is no place to write to.
// expect: lvalue required|not assignable
#include <leat/records.hpp>

void wrong(leat::records<int>& nodes) { ++nodes[7]; }
