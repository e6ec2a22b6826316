#include "machine.hpp"

#ifdef __linux__
#  include <sys/stat.h>
#  include <sys/sysmacros.h>
#  include <sys/vfs.h>
#else
#  include <sys/mount.h>
#  include <sys/param.h>
#  include <sys/sysctl.h>
#endif
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <thread>

#include "bench.hpp"

namespace bench {

namespace {

constexpr std::string_view unknown = "unknown";

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

/// The first line of a file, or nothing.
std::string line_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

/// A field of mountinfo, which writes a space as \040.
std::filesystem::path unescaped(std::string_view field) {
  std::string text;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] == '\\' && i + 3 < field.size()) {
      text += static_cast<char>(std::stoi(std::string(field.substr(i + 1, 3)), nullptr, 8));
      i += 3;
    } else {
      text += field[i];
    }
  }
  return text;
}

bool lies_below(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const auto [end, rest] = std::ranges::mismatch(folder, path);
  return end == folder.end() || (std::next(end) == folder.end() && end->empty());
}

}  // namespace

machine this_machine() {
  machine found;
  utsname system{};
  uname(&system);
  found.cpu = cpu_model();
  if (found.cpu.empty()) found.cpu = system.machine;
  found.cores = std::thread::hardware_concurrency();
  found.memory = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                 static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  found.kernel = std::string(system.sysname) + ' ' + system.release;
#ifdef __clang__
  found.compiler = "Clang " __clang_version__;
#else
  found.compiler = "GCC " __VERSION__;
#endif
  found.flags = LEAT_COMPILER_FLAGS;
#ifdef __OPTIMIZE__
  found.optimized = true;
#endif
  found.governor = line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (const auto boost = line_of("/sys/devices/system/cpu/cpufreq/boost"); !boost.empty())
    found.turbo = boost == "1";
  if (const auto off = line_of("/sys/devices/system/cpu/intel_pstate/no_turbo"); !off.empty())
    found.turbo = off == "0";
  if (getloadavg(&found.load, 1) != 1) found.load = 0;
  return found;
}

std::string file_system_of(const std::filesystem::path& path) {
  std::ifstream file("/proc/self/mountinfo");
  const std::string mounts{std::istreambuf_iterator<char>(file), {}};
  std::error_code error;
  const auto whole = std::filesystem::canonical(path, error);
  auto type = file_system_in(mounts, error ? path : whole);
#ifdef __linux__
  // A container may hide the mount that its root belongs to.
  struct statfs found{};
  if (type == unknown && statfs(path.c_str(), &found) == 0) {
    type = file_system_with(static_cast<std::uint32_t>(found.f_type));
  }
#else
  struct statfs found{};
  if (statfs(path.c_str(), &found) == 0) type = found.f_fstypename;
#endif
  return type;
}

std::string volume::text() const {
  auto text = file_system;
  if (block_size != 0) text += ", blocks of " + bytes(static_cast<std::int64_t>(block_size)).text;
  if (!disk.empty()) text += ", on " + disk;
  return text;
}

volume volume_of(const std::filesystem::path& path) {
  volume found{file_system_of(path), 0, ""};
  struct statvfs system{};
  if (statvfs(path.c_str(), &system) == 0) found.block_size = system.f_bsize;
#ifdef __linux__
  struct stat file{};
  if (stat(path.c_str(), &file) == 0) {
    const auto number =
        std::to_string(major(file.st_dev)) + ':' + std::to_string(minor(file.st_dev));
    found.disk = disk_in("/sys", number);
  }
#endif
  return found;
}

std::string disk_in(const std::filesystem::path& sysfs, const std::string& number) {
  std::error_code none;
  auto disk = std::filesystem::canonical(sysfs / "dev/block" / number, none);
  if (none) return "";
  if (std::filesystem::exists(disk / "partition", none)) disk = disk.parent_path();
  auto text = disk.filename().string();
  // A virtual disk, which has no model, says that it rotates whatever lies below it.
  const auto model = line_of(disk / "device/model");
  if (!model.empty()) text += ", " + model;
  if (!model.empty() && line_of(disk / "queue/rotational") == "1") text += ", rotating";
  return text;
}

double busy_seconds(std::string_view stat, double ticks) {
  // cpu user nice system idle iowait irq softirq steal ...
  std::istringstream fields{std::string(stat.substr(0, stat.find('\n')))};
  std::string name;
  std::array<double, 8> spent{};
  fields >> name;
  for (auto& one : spent) fields >> one;
  if (!fields || name != "cpu") return 0;
  constexpr std::size_t idle = 3, waiting = 4;
  return (std::accumulate(spent.begin(), spent.end(), 0.0) - spent[idle] - spent[waiting]) / ticks;
}

double busy_seconds() {
  return busy_seconds(line_of("/proc/stat"), static_cast<double>(sysconf(_SC_CLK_TCK)));
}

std::string file_system_in(std::string_view mounts, const std::filesystem::path& path) {
  // 36 35 98:0 /root /mount/point options [optional fields] - type source options
  std::string type(unknown);
  std::ptrdiff_t deepest = -1;
  std::istringstream lines{std::string(mounts)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string skipped, point;
    fields >> skipped >> skipped >> skipped >> skipped >> point;
    const auto dash = line.find(" - ");
    if (!fields || dash == std::string::npos) continue;
    const auto folder = unescaped(point);
    const auto depth = std::ranges::distance(folder);
    // Of several at the same point the last one hides the others.
    if (depth < deepest || !lies_below(path, folder)) continue;
    deepest = depth;
    type = line.substr(dash + 3, line.find(' ', dash + 3) - dash - 3);
  }
  return type;
}

std::string file_system_with(std::uint64_t magic) {
  switch (magic) {
    case 0xEF53:
      return "ext4";  // ext2 and ext3 have the same
    case 0x58465342:
      return "xfs";
    case 0x9123683E:
      return "btrfs";
    case 0x01021994:
      return "tmpfs";
    case 0x794C7630:
      return "overlay";
    case 0x6969:
      return "nfs";
    case 0x4D44:
      return "vfat";
    default:
      return std::string(unknown);
  }
}

}  // namespace bench
