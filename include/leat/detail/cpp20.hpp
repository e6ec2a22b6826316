// Stops a compiler that does not compile C++20, before it reports other errors. Each public header
// for C++ includes this header first.
#pragma once

#if __cplusplus < 202002L
#  error "leat needs C++20: compile with -std=c++20"
// Compilers continue after #error, but not after a missing header.
#  include <compile-with-std=c++20>
#endif
