// E4 on a disk that is not here.
#pragma once

#include "../bench.hpp"

namespace bench {

experiment simulated_read(const request& wanted, leat::simulated_disk disk);
experiment simulated_update(const request& wanted, leat::simulated_disk disk);

}  // namespace bench
