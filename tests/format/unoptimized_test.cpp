// Calls in a file that is compiled with -O0: leat's headers contain other code.
#define LEAT_SUITE unoptimized
#include "format/not_expanded.hpp"

#if defined(__OPTIMIZE__)
#  error "this file is compiled with -O0"
#endif
