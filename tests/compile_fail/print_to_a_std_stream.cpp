// leat::println takes no std::ostream. The message says what to write for std::cerr.
// expect-first: for std::cerr write leat::err.println
#include <leat/print.hpp>

#include <iostream>

void wrong() { leat::println(std::cerr, "{}", 1); }
