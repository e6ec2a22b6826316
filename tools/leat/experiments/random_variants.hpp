// The variants of E4: visits by stdio, by system calls and by leat. random_access.cpp calls
// add_reads() and add_updates().
#pragma once

#include <memory>
#include <string_view>

#include "experiments/random_scenes.hpp"
#include "measuring/experiment.hpp"

namespace bench {

/// Suffix of the names of rows that sync their updates before they end.
inline constexpr std::string_view with_fdatasync = ", fdatasync";

/// Add the variants of random-read and of random-update.
void add_reads(experiment& to, const std::shared_ptr<scenes>& all_scenes);
void add_updates(experiment& to, const std::shared_ptr<scenes>& all_scenes);

}  // namespace bench
