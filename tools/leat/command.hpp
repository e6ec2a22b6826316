// What the subcommands share: the session, standard output and files.
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

/// The values of --device: "real", which is no simulated disk, and the simulated disks.
const std::map<std::string, std::optional<leat::simulated_disk>>& devices();

/// A session on this machine that starts now. `store` is an address, or empty.
session new_session(const std::vector<std::string>& command,
                    std::optional<leat::simulated_disk> disk, const std::string& store);

/// Whether the command can use object stores: it was built with that component.
#if defined(LEAT_REMOTE)
inline constexpr bool has_stores = true;
#else
inline constexpr bool has_stores = false;
#endif

inline constexpr auto no_stores =
    "this leat was built without the component for objects of other machines";

/// What a report says of the place of objects: the server.
volume volume_of_store();

/// An option asks for something that does not exist.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Writes to standard output at once.
void show(std::string_view text);

void write_file(const std::string& path, std::string_view text);

/// Throws at the start of a run that could not write its reports at its end. An empty path is no
/// report.
void require_writable(const std::vector<std::string>& paths);
}  // namespace bench
