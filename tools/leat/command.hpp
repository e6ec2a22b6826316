// What the subcommands share: a session, and files and text that come out of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report.hpp"

namespace bench {

inline constexpr int exit_interrupted = 130;

/// The disks there are to ask for, by name: "real", which is none, and the simulated ones.
const std::map<std::string, std::optional<leat::simulated_disk>>& devices();

/// On this machine, now.
session new_session(const std::vector<std::string>& command,
                    std::optional<leat::simulated_disk> disk);

/// On standard output, at once.
void show(std::string_view text);

void write_file(const std::string& path, std::string_view text);

/// Finds out now, not at the end of the run, that a report cannot be written.
void require_writable(const std::string& path);

}  // namespace bench
