#include <leat/stdio.h>

#include "c_loops_body.h"

const struct c_loops leat_loops = LEAT_C_LOOPS;
