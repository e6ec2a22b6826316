// What a user gives to others: the figures of a run, and on what kind of machine they were
// measured.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reporting/report.hpp"

namespace bench {

/// Grows when a program that reads submissions has to change.
inline constexpr int submission_schema = 1;

/// "ssd", "hdd", "nvme", "virtual", "card", "memory", "network" or "unknown".
std::string_view disk_kind(const volume& of);

/// The name and the numbers of a release: "Linux 6.1.0" of "Linux 6.1.0-18-mycompany".
std::string_view plain_release(std::string_view kernel);

/// The session as JSON without folders, commands, flags, and names of disks. Throws a failure where
/// the run has figures that say nothing to others, or if one of these names would be in the text.
std::string submission(const session& all, const std::vector<std::string>& private_names);

}  // namespace bench
