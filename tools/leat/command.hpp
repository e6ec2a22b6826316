// Shared by the subcommands of leat: the start of a session, --device, standard output and report
// files. main.cpp, bench_command.cpp and tune_command.cpp call these functions.
#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "reporting/report.hpp"

namespace bench {

inline constexpr int exit_interrupted = 130;

/// The values of --device that are not addresses: "real", and the simulated disks.
const std::map<std::string, std::optional<leat::simulated_disk>>& devices();

/// Starts a session on this machine. Takes 0.3 s, as this_machine() does. `store` is an address, or
/// empty.
session new_session(const std::vector<std::string>& command,
                    std::optional<leat::simulated_disk> disk, const std::string& store);

/// True if the command was built with object storage.
#if defined(LEAT_REMOTE)
inline constexpr bool has_stores = true;
#else
inline constexpr bool has_stores = false;
#endif

inline constexpr auto no_stores = "this leat was built without the component for object storage";

/// Returns the volume that a report shows for objects: the server. If this build has no object
/// storage, returns an empty volume.
volume volume_of_store();

/// Thrown if the arguments are invalid.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Writes to standard output and flushes. Throws leat::io_error.
void show(std::string_view text);

/// Replaces a file. Throws leat::io_error.
void write_file(const std::string& path, std::string_view text);

/// Throws leat::io_error if a report cannot be written to its path. Called before a run, so that no
/// run is lost. An empty path means no report.
void require_writable(const std::vector<std::string>& paths);
}  // namespace bench
