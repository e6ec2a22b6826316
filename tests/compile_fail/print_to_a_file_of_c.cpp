// The counterpart of std::println(stderr, ...) does not exist.
// expect: leat does not print to a FILE: write leat::err.println
#include <leat/print.hpp>

#include <cstdio>

void wrong() { leat::println(stderr, "{}", 1); }
