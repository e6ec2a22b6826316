// What the measurements ran on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace bench {

struct machine {
  std::string cpu;     // its model, or the architecture where the system tells no more
  unsigned cores = 0;  // that this process may use
  std::uint64_t memory = 0;
  std::string kernel;    // name and release
  std::string compiler;  // that built this command
  std::string flags;     // that it was given
  bool optimized = false;
  std::string governor;       // of the processor's frequency, where the system tells
  std::optional<bool> turbo;  // likewise
  double load = 0;            // runnable tasks, the average of the last minute
};

machine this_machine();
/// What the system knows of it.
void ask_system(machine& about);

inline constexpr std::string_view unknown_file_system = "unknown";

/// Where files lie.
struct volume {
  std::string file_system;       // as in "ext4"; "unknown" where nothing tells
  std::uint64_t block_size = 0;  // in which it keeps files
  std::string disk;              // as in "nvme0n1, Samsung SSD 970 PRO"; empty where nothing tells

  /// "ext4, blocks of 4 KiB, on vda"
  std::string text() const;
};

volume volume_of(const std::filesystem::path& path);

/// The disk with this number, "major:minor", or of which that is a partition, as the tree of sysfs
/// describes it.
std::string disk_in(const std::filesystem::path& sysfs, const std::string& number);

/// The first line of a file without blanks at its end, or nothing.
std::string line_of(const std::filesystem::path& path);

/// Seconds that all cores together have worked since the machine started: those of the first line
/// of /proc/stat, also what its host kept for others. `ticks` of it are a second.
double busy_seconds(std::string_view stat, double ticks);
/// The same of this machine; 0 where nothing tells.
double busy_seconds();

/// The type of the file system a path lies on, as in "ext4"; "unknown" where nothing tells: from
/// the text of /proc/self/mountinfo; `path` is absolute and has no symbolic links.
std::string file_system_in(std::string_view mounts, const std::filesystem::path& path);

/// The same from the magic number that statfs tells of the common ones.
std::string file_system_with(std::uint64_t magic);

}  // namespace bench
