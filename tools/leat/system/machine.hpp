// What the measurements ran on: the machine and its disks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

struct machine {
  std::string cpu;           // its model, or the architecture where the system tells no more
  unsigned cores = 0;        // those that this process may use
  std::uint64_t memory = 0;  // bytes
  std::string kernel;        // name and release
  std::string libc;          // name and version, or empty where it does not tell
  std::string compiler;      // the one that built this command
  std::string flags;         // of that compiler
  bool optimized = false;
  std::string governor;       // of the processor's frequency; empty where the system does not tell
  std::optional<bool> turbo;  // nothing where the system does not tell
  double load = 0;            // cores that other programs keep busy at this moment
};

machine this_machine();

/// The machine's name, the user's and the home folder: what no report may show to strangers.
std::vector<std::string> private_names();
std::string host_name();

/// Fills in what the system knows: all but the cores and what is about the compiler.
void ask_system(machine& about);

inline constexpr std::string_view unknown_file_system = "unknown";

/// Where files lie.
struct volume {
  std::string file_system;       // as "ext4", or "unknown" where the system does not tell
  std::uint64_t block_size = 0;  // bytes; 0 where the system does not tell
  std::string disk;              // as "nvme0n1, Samsung SSD 970 PRO", or empty
};

volume volume_of(const std::filesystem::path& path);

/// Bytes that the disk below a path has written since the machine started, for whatever program.
/// Nothing where the system does not tell.
std::optional<std::uint64_t> bytes_written_by_disk(const std::filesystem::path& path);

/// Seconds that all cores together have worked since the machine started; 0 where the system does
/// not tell.
double busy_seconds();

// What Linux tells in files, out of their text.

/// The disk with a number, as "major:minor", or the disk that the partition with this number is a
/// part of. `sysfs` is where that file system is mounted.
std::string disk_in(const std::filesystem::path& sysfs, const std::string& number);

/// bytes_written_by_disk() out of the line that Linux has for each disk.
std::optional<std::uint64_t> bytes_written_in(std::string_view stat);

/// The first line of a file without blanks at its end, or nothing.
std::string line_of(const std::filesystem::path& path);

/// busy_seconds() out of the first line of /proc/stat. The time that the machine's host kept for
/// other machines counts, too. A second has this many ticks.
double busy_seconds(std::string_view stat, double ticks);

/// The type of the file system that a path lies on, as "ext4", or "unknown": out of the text of
/// /proc/self/mountinfo. `path` is absolute and has no symbolic links.
std::string file_system_in(std::string_view mounts, const std::filesystem::path& path);

/// The type of a common file system by the magic number that statfs tells.
std::string file_system_with(std::uint64_t magic);

}  // namespace bench
