// A pointer to an object. The message says how to print the address.
// expect-first: static_cast<const void.>|LEAT_FORMAT=none
#include <leat/print.hpp>

void wrong(const int* at) { leat::println("{}", at); }
