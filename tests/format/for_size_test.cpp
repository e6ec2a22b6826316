// Calls in a file that is compiled with -Os: leat's headers contain other code.
#define LEAT_SUITE for_size
#include "format/not_expanded.hpp"

#if !defined(__OPTIMIZE_SIZE__)
#  error "this file is compiled with -Os"
#endif
