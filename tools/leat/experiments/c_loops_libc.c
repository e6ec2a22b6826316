/* The loops of c_loops_body.h with libc's functions. The experiments in C++ call the loops. */
#include "system/libc_stdio.h"

#include "experiments/c_loops_body.h"

const struct c_loops libc_loops = LEAT_C_LOOPS;
