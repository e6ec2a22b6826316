// What the measurements ran on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace bench {

struct machine {
  std::string cpu;     // its model, or the architecture where the system tells no more
  unsigned cores = 0;  // that this process may use
  std::uint64_t memory = 0;
  std::string kernel;    // name and release
  std::string compiler;  // that built this command
  bool optimized = false;
};

machine this_machine();

/// The type of the file system a path lies on, as in "ext4"; "unknown" where nothing tells.
std::string file_system_of(const std::filesystem::path& path);

/// The same from the text of /proc/self/mountinfo; `path` is absolute and has no symbolic links.
std::string file_system_in(std::string_view mounts, const std::filesystem::path& path);

/// The same from the magic number that statfs tells of the common ones.
std::string file_system_with(std::uint64_t magic);

}  // namespace bench
