// The ways of E4 to visit places: those of stdio, of system calls and of leat.
#pragma once

#include <memory>

#include "experiments/random_scenes.hpp"
#include "measuring/experiment.hpp"

namespace bench {

void add_reads(experiment& to, const std::shared_ptr<scenes>& of);
void add_updates(experiment& to, const std::shared_ptr<scenes>& of);

}  // namespace bench
