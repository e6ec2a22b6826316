// A stored number has only the operators of its value's type, and double has no %.
// expect: no match for .operator%=.|no viable overloaded '%='|constraints not satisfied
#include <leat/endian.hpp>

void wrong(leat::little<double>& number) { number %= 2; }
