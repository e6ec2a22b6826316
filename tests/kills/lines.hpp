// Kills several processes that append lines to one file: a scenario of kills.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace leat_kills {

/// Removes the files of an earlier trial: all files in the folder of `path`.
void remove_files_beside(const std::string& path);

/// Starts three processes that append lines to the file, with a durability that the seed chooses,
/// and kills one after the other. Adds the number of killed processes, also of killed recoveries,
/// to `kills`. Returns what is wrong with the file, or an empty text. The file must have the first
/// lines of each writer, at least all promised lines. Each line is whole, is in the file once, and
/// in order. Without durability::process, the last line of each writer may be torn.
std::string kill_writers_of_lines(const std::string& path, std::uint64_t seed, std::size_t& kills);

}  // namespace leat_kills
