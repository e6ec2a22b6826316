// leat::println takes no std::ostream. The message names what replaces std::println(std::cerr, ...).
// expect-first: for std::cerr write leat::err.println
#include <leat/print.hpp>

#include <iostream>

void wrong() { leat::println(std::cerr, "{}", 1); }
