// The facts of machine.hpp for Windows: CPU, memory, kernel and file systems.
#include "system/machine.hpp"

#include "system/path_text.hpp"
#include "system/windows/calls.hpp"

namespace bench {

void add_system_facts(machine& facts) {
  wchar_t name[256]{};
  DWORD size = sizeof name;
  const auto read = [&](const wchar_t* key, const wchar_t* value) {
    size = sizeof name;
    return ::RegGetValueW(HKEY_LOCAL_MACHINE, key, value, RRF_RT_REG_SZ, nullptr, name, &size) == 0;
  };
  facts.cpu = read(LR"(HARDWARE\DESCRIPTION\System\CentralProcessor\0)", L"ProcessorNameString")
                  ? utf8_from_path(name)
                  : "x86-64";
  MEMORYSTATUSEX memory{};
  memory.dwLength = sizeof memory;
  if (::GlobalMemoryStatusEx(&memory) != 0) facts.memory = memory.ullTotalPhys;
  facts.kernel = "Windows";
  constexpr auto current = LR"(SOFTWARE\Microsoft\Windows NT\CurrentVersion)";
  if (read(current, L"CurrentBuildNumber")) facts.kernel += " build " + utf8_from_path(name);
  if (is_wine()) facts.kernel += ", under Wine";
}

std::string host_name() {
  wchar_t name[MAX_COMPUTERNAME_LENGTH + 1]{};
  DWORD size = MAX_COMPUTERNAME_LENGTH + 1;
  return ::GetComputerNameW(name, &size) != 0 ? utf8_from_path(name) : "";
}

volume volume_of(const std::filesystem::path& path) {
  volume found{std::string(unknown_file_system), 0, ""};
  wchar_t root[MAX_PATH + 1]{}, name[MAX_PATH + 1]{};
  if (::GetVolumePathNameW(path.c_str(), root, MAX_PATH) == 0) return found;
  if (::GetVolumeInformationW(root, nullptr, 0, nullptr, nullptr, nullptr, name, MAX_PATH) != 0)
    found.file_system = utf8_from_path(name);
  DWORD sectors = 0, bytes = 0, available = 0, all = 0;
  if (::GetDiskFreeSpaceW(root, &sectors, &bytes, &available, &all) != 0)
    found.block_size = std::uint64_t{sectors} * bytes;
  return found;
}

std::optional<std::uint64_t> bytes_written_by_disk(const std::filesystem::path&) {
  return std::nullopt;
}

double busy_seconds() {
  FILETIME idle{}, kernel{}, user{};
  if (::GetSystemTimes(&idle, &kernel, &user) == 0) return 0;
  // The kernel's time includes the idle time.
  return seconds_of(kernel) + seconds_of(user) - seconds_of(idle);
}

}  // namespace bench
