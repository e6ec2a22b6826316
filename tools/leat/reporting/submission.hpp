// The anonymous report that a user publishes: figures, and the kind of the machine.
// bench_command.cpp calls submission().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reporting/report.hpp"

namespace bench {

/// Incremented when programs that read submissions must change.
inline constexpr int submission_schema = 1;

/// Returns the kind of a disk: "ssd", "hdd", "nvme", "virtual", "card", "memory", "network" or
/// "unknown".
std::string_view disk_kind(const volume& described);

/// Returns the name and the numbers of a release: "Linux 6.1.0" for "Linux 6.1.0-18-mycompany".
std::string_view plain_release(std::string_view kernel);

/// Returns the session as JSON, without folders, commands, flags and disk names. Throws `failure`
/// if the session did not use a real disk, if this build is not optimised, or if the text contains
/// one of `private_names`.
std::string submission(const session& all, const std::vector<std::string>& private_names);

}  // namespace bench
