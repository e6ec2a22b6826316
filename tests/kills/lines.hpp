// Several processes that append lines to one file, and are killed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace leat_kills {

/// Removes what an earlier trial has left: the file, and all beside it.
void remove_all_of(const std::string& path);

/// Starts three processes that append lines to the file, under a level that the seed chooses, and
/// kills one after the other; adds their number to `kills`. Returns what is wrong with the file:
/// each line must be whole, once, in its writer's order; and all that were promised are there.
std::string kill_writers_of_lines(const std::string& path, std::uint64_t seed, std::size_t& kills);

}  // namespace leat_kills
