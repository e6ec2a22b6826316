// An assignment to a temporary number would be lost.
// expect: passing .* as 'this' argument|expects an lvalue for object argument
#include <leat/endian.hpp>

leat::big<int> next();
void wrong() { next() = 1; }
