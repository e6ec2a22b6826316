// Kills several processes that append lines to one file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace leat_kills {

/// Removes the files of an earlier trial: the file and all files next to it.
void remove_all_of(const std::string& path);

/// Starts three processes that append lines to the file, with a durability that the seed chooses,
/// and kills one after the other. Adds the number of killed processes to `kills`. Returns what
/// is wrong with the file: each line must be there once, in its writer's order, and whole (except a
/// writer's last line without `process`); and all promised lines must be in the file.
std::string kill_writers_of_lines(const std::string& path, std::uint64_t seed, std::size_t& kills);

}  // namespace leat_kills
