// The experiments random-read and random-update (E4) on a simulated disk. random_access.cpp calls
// these functions.
#pragma once

#include "measuring/experiment.hpp"

namespace bench {

/// Return the experiments random-read and random-update over a model of `disk`.
experiment simulated_read(const request& wanted, leat::simulated_disk disk);
experiment simulated_update(const request& wanted, leat::simulated_disk disk);

}  // namespace bench
