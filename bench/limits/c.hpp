// The limits of C's loops: see limits.hpp.
#pragma once

#include "experiments/c_loops.h"

namespace limits {

/// The same work by hand. ENOTSUP where there is no limit.
extern const c_loops loops;

}  // namespace limits
