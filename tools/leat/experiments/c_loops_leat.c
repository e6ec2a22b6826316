/* The loops of c_loops_body.h with leat's functions. The experiments in C++ call the loops. */
#include "system/leat_stdio.h"

#include "experiments/c_loops_body.h"

const struct c_loops leat_loops = LEAT_C_LOOPS;
