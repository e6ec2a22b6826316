// The facts of machine.hpp for POSIX systems: CPU, memory, kernel, disks and file systems.
#include "system/machine.hpp"

#ifdef __linux__
#  include <sys/sysmacros.h>
#  include <sys/vfs.h>
#else
#  include <sys/mount.h>
#  include <sys/param.h>
#  include <sys/sysctl.h>
#endif
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifdef __GLIBC__
#  include <gnu/libc-version.h>
#endif

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace bench {

namespace {

std::string cpu_model() {
#ifndef __linux__
  char name[256];
  std::size_t size = sizeof name;
#  ifdef __APPLE__
  constexpr const char* which = "machdep.cpu.brand_string";
#  else
  constexpr const char* which = "hw.model";
#  endif
  if (sysctlbyname(which, name, &size, nullptr, 0) == 0) return name;
#endif
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

/// Returns the type, such as "ext4", or "unknown".
std::string file_system_of(const std::filesystem::path& path) {
  std::ifstream file("/proc/self/mountinfo");
  const std::string mounts{std::istreambuf_iterator<char>(file), {}};
  std::error_code error;
  const auto whole = std::filesystem::canonical(path, error);
  auto type = file_system_in_mounts(mounts, error ? path : whole);
#ifdef __linux__
  // A container may hide the mount of its root.
  struct statfs found{};
  if (type == unknown_file_system && statfs(path.c_str(), &found) == 0) {
    type = file_system_by_magic(static_cast<std::uint32_t>(found.f_type));
  }
#else
  struct statfs found{};
  if (statfs(path.c_str(), &found) == 0) type = found.f_fstypename;
#endif
  return type;
}

}  // namespace

void add_system_facts(machine& facts) {
  utsname system{};
  uname(&system);
  facts.cpu = cpu_model();
  if (facts.cpu.empty()) facts.cpu = system.machine;
  facts.memory = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                 static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  facts.kernel = std::string(system.sysname) + ' ' + system.release;
#ifdef __GLIBC__
  facts.libc = std::string("glibc ") + gnu_get_libc_version();
#elif defined(__linux__) && !defined(__BIONIC__)
  facts.libc = "musl";  // the only libc on Linux without a macro
#endif
  facts.governor = first_line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (const auto boost = first_line_of("/sys/devices/system/cpu/cpufreq/boost"); !boost.empty())
    facts.turbo = boost == "1";
  if (const auto off = first_line_of("/sys/devices/system/cpu/intel_pstate/no_turbo"); !off.empty())
    facts.turbo = off == "0";
}

std::string host_name() {
  utsname system{};
  uname(&system);
  return system.nodename;
}

#ifdef __linux__
namespace {

/// Returns the device number of the disk or partition, as sysfs writes the number.
std::string number_of(const struct stat& file) {
  return std::to_string(major(file.st_dev)) + ':' + std::to_string(minor(file.st_dev));
}

}  // namespace
#endif

volume volume_of(const std::filesystem::path& path) {
  volume found{file_system_of(path), 0, ""};
  struct statvfs system{};
  if (statvfs(path.c_str(), &system) == 0) found.block_size = system.f_bsize;
#ifdef __linux__
  struct stat file{};
  if (stat(path.c_str(), &file) == 0) {
    found.disk = disk_by_number("/sys", number_of(file));
  }
#endif
  return found;
}

std::optional<std::uint64_t> bytes_written_by_disk(
    [[maybe_unused]] const std::filesystem::path& path) {
#ifdef __linux__
  struct stat file{};
  if (stat(path.c_str(), &file) == 0)
    return bytes_written_in(first_line_of("/sys/dev/block/" + number_of(file) + "/stat"));
#endif
  return std::nullopt;
}

double busy_seconds() {
  return busy_seconds(first_line_of("/proc/stat"), static_cast<double>(sysconf(_SC_CLK_TCK)));
}

}  // namespace bench
