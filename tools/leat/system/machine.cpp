// Facts about the machine, which reports show, and parsers of Linux's files about disks and CPUs.
#include "system/machine.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <thread>

namespace bench {

namespace {

/// Decodes a field of mountinfo, where \040 is a space.
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

std::string first_line_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

namespace {

/// Returns the number of cores that are busy while this function sleeps. The system's load average
/// would include the build that has just made this command.
double busy_cores() {
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  const double before = busy_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const std::chrono::duration<double> passed = clock::now() - begin;
  return std::max(0.0, (busy_seconds() - before) / passed.count());
}

}  // namespace

machine this_machine() {
  machine found;
  add_system_facts(found);
  found.load = busy_cores();
  found.cores = std::thread::hardware_concurrency();
#ifdef __clang__
  // __clang_version__ is not used: it may contain the URL of the sources.
  found.compiler = "Clang " + std::to_string(__clang_major__) + '.' +
                   std::to_string(__clang_minor__) + '.' + std::to_string(__clang_patchlevel__);
#else
  found.compiler = "GCC " __VERSION__;
#endif
  found.flags = LEAT_COMPILER_FLAGS;
#ifdef __OPTIMIZE__
  found.optimized = true;
#endif
  return found;
}

std::vector<std::string> private_names() {
  std::vector<std::string> names{host_name()};
  for (const char* variable : {"USER", "LOGNAME", "USERNAME", "HOME", "USERPROFILE"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr) names.emplace_back(value);
  }
  std::erase_if(names, [](const std::string& name) { return name.empty() || name == "/"; });
  return names;
}

std::string disk_by_number(const std::filesystem::path& sysfs, const std::string& number) {
  std::error_code none;
  auto disk = std::filesystem::canonical(sysfs / "dev/block" / number, none);
  if (none) return "";
  if (std::filesystem::exists(disk / "partition", none)) disk = disk.parent_path();
  auto text = disk.filename().string();
  // A virtual disk has no model, and reports "rotating" even if the disk of the host is an SSD.
  const auto model = first_line_of(disk / "device/model");
  if (!model.empty()) text += ", " + model;
  if (!model.empty() && first_line_of(disk / "queue/rotational") == "1") text += ", rotating";
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

std::optional<std::uint64_t> bytes_written_in(std::string_view stat) {
  // Reads, merged, sectors, ms; writes, merged, sectors, ... A sector always has 512 bytes.
  std::istringstream fields{std::string(stat)};
  std::array<std::uint64_t, 7> numbers{};
  for (auto& one : numbers) fields >> one;
  if (!fields) return std::nullopt;
  return numbers.back() * 512;
}

std::string file_system_in_mounts(std::string_view mounts, const std::filesystem::path& path) {
  // 36 35 98:0 /root /mount/point options [optional fields] - type source options
  std::string type(unknown_file_system);
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
    // If one point has several mounts, the last mount hides the earlier mounts.
    if (depth < deepest || !lies_below(path, folder)) continue;
    deepest = depth;
    type = line.substr(dash + 3, line.find(' ', dash + 3) - dash - 3);
  }
  return type;
}

std::string file_system_by_magic(std::uint64_t magic) {
  switch (magic) {
    case 0xEF53:
      return "ext4";  // ext2 and ext3 have the same number
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
      return std::string(unknown_file_system);
  }
}

}  // namespace bench
