// A rotating log, whose content is in several files.
#pragma once

#include <leat/rotating.hpp>

#include <string>

namespace leat_kills {

/// Removes what an earlier trial has left: the file, and all beside it.
void remove_all_of(const std::string& path);

/// Its files are small, so that it often gets a new one.
leat::file_writer open_log(const std::string& path, leat::durability how);

/// Opens the log once more, as the next writer would, and puts all its files in the place of the
/// log, the oldest first. Returns what is wrong.
std::string join_log(const std::string& path, leat::durability how);

}  // namespace leat_kills
