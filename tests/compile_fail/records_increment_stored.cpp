// A number in the file's byte order is a copy, too.
// expect: discards qualifiers|cannot increment value of type .* .const
#include <leat/records.hpp>

void wrong(leat::records<leat::little<int>>& nodes) { ++nodes[7]; }
