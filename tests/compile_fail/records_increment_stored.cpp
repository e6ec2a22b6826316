// A number in a fixed byte order that leat::records returns is a copy, too.
// expect: discards qualifiers|cannot increment value of type .* .const
#include <leat/records.hpp>

void wrong(leat::records<leat::little<int>>& nodes) { ++nodes[7]; }
