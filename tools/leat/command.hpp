// What the subcommands share: the session, standard output and files.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reporting/report.hpp"

namespace bench {

inline constexpr int exit_interrupted = 130;

/// The values of --device: "real", which is no simulated disk, and the simulated disks.
const std::map<std::string, std::optional<leat::simulated_disk>>& devices();

/// A session on this machine that starts now.
session new_session(const std::vector<std::string>& command,
                    std::optional<leat::simulated_disk> disk);

/// Writes to standard output at once.
void show(std::string_view text);

void write_file(const std::string& path, std::string_view text);

/// Throws at the start of a run that could not write its reports at its end. An empty path is no
/// report.
void require_writable(const std::vector<std::string>& paths);
}  // namespace bench
