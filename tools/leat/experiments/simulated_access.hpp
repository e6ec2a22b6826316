// The experiments random-read and random-update (E4) on a simulated disk.
#pragma once

#include "measuring/experiment.hpp"

namespace bench {

experiment simulated_read(const request& wanted, leat::simulated_disk disk);
experiment simulated_update(const request& wanted, leat::simulated_disk disk);

}  // namespace bench
