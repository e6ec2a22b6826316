// The ways of E4 to visit places: those of stdio, of system calls and of leat.
#pragma once

#include <memory>
#include <string_view>

#include "experiments/random_scenes.hpp"
#include "measuring/experiment.hpp"

namespace bench {

/// What the names of rows end with whose updates the disk has when they end.
inline constexpr std::string_view with_fdatasync = ", fdatasync";

void add_reads(experiment& to, const std::shared_ptr<scenes>& of);
void add_updates(experiment& to, const std::shared_ptr<scenes>& of);

}  // namespace bench
