// leat::println takes no FILE*. The message names what replaces std::println(stderr, ...).
// expect: leat does not print to a FILE: write leat::err.println
#include <leat/print.hpp>

#include <cstdio>

void wrong() { leat::println(stderr, "{}", 1); }
