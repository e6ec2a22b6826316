// A number in the byte order of the file is a copy too.
// expect: discards qualifiers|cannot increment value of type .* .const
#include <leat/records.hpp>

void wrong(leat::records<leat::little<int>>& nodes) { ++nodes[7]; }
