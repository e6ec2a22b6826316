// A stored number has only the operators of its type.
// expect: no match for .operator%=.|no viable overloaded '%='|constraints not satisfied
#include <leat/endian.hpp>

void wrong(leat::little<double>& number) { number %= 2; }
