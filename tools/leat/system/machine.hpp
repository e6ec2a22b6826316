// Facts about the machine and its disks. The reports show these facts; random_access.cpp and
// read_buffer.cpp use the facts about disks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

struct machine {
  std::string cpu;           // the CPU's model, or the architecture if unknown
  unsigned cores = 0;        // usable by this process
  std::uint64_t memory = 0;  // bytes
  std::string kernel;        // name and release
  std::string libc;          // name and version, or empty if unknown
  std::string compiler;      // the compiler of this command
  std::string flags;         // the options of that compiler
  bool optimized = false;
  std::string governor;       // for the CPU frequency; empty if unknown
  std::optional<bool> turbo;  // nothing if unknown
  double load = 0;            // cores that other programs kept busy before the run
};

/// Returns the facts about this machine. Takes 0.3 s, to measure `load`.
machine this_machine();

/// Returns the host name, the user name and the home folder: private data that a submission must
/// not contain.
std::vector<std::string> private_names();
std::string host_name();

/// Sets all members that the system knows, except `cores`, `load` and the facts about the
/// compiler.
void add_system_facts(machine& facts);

inline constexpr std::string_view unknown_file_system = "unknown";

/// The location of files.
struct volume {
  std::string file_system;       // such as "ext4", or "unknown"
  std::uint64_t block_size = 0;  // bytes; 0 if unknown
  std::string disk;              // such as "nvme0n1, Samsung SSD 970 PRO", or empty
};

/// Returns the location of a path. Facts that the system does not report are "unknown", 0 or empty.
volume volume_of(const std::filesystem::path& path);

/// Returns the number of bytes that the disk or partition of a path has written since boot, for all
/// programs. If the number is unknown, returns nothing.
std::optional<std::uint64_t> bytes_written_by_disk(const std::filesystem::path& path);

/// Returns the seconds that the cores have been busy since boot, summed over all cores; 0 if
/// unknown.
double busy_seconds();

// Parsers of Linux's files.

/// Returns the disk with a device number such as "259:0", or the disk of the partition with
/// this number; empty if unknown. `sysfs` is the mount point of sysfs.
std::string disk_by_number(const std::filesystem::path& sysfs, const std::string& number);

/// Returns the result of bytes_written_by_disk() from the line of a disk's file `stat`.
std::optional<std::uint64_t> bytes_written_in(std::string_view stat);

/// Returns the first line of a file without trailing blanks; empty if the file cannot be read.
std::string first_line_of(const std::filesystem::path& path);

/// Returns the result of busy_seconds() from the first line of /proc/stat. Includes the time that
/// the host gave to other virtual machines (steal). `ticks` is the number of clock ticks in a
/// second.
double busy_seconds(std::string_view stat, double ticks);

/// Returns the file system type of a path, such as "ext4", or "unknown", from the text of
/// /proc/self/mountinfo. `path` is absolute and has no symbolic links.
std::string file_system_in_mounts(std::string_view mounts, const std::filesystem::path& path);

/// Returns the type of a common file system by the magic number from statfs; "unknown" for other
/// numbers.
std::string file_system_by_magic(std::uint64_t magic);

}  // namespace bench
