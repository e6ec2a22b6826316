// E4 on a disk that is not here.
#pragma once

#include "../bench.hpp"

namespace bench {

experiment simulated_read(const request& wanted);
experiment simulated_update(const request& wanted);

}  // namespace bench
