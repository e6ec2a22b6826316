#include <stdio.h>

#ifdef _WIN32
#  define LEAT_NO_POSIX_STDIO
#endif

#include "c_loops_body.h"

const struct c_loops libc_loops = LEAT_C_LOOPS;
