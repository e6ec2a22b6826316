// The command on Windows.
#include "system.hpp"

#include <windows.h>

#include <fmt/format.h>
#include <shellapi.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "bench.hpp"
#include "machine.hpp"
#include "text.hpp"

namespace bench {

namespace {

[[noreturn]] void fail_now(std::string_view verb, const std::filesystem::path& what) {
  fail(verb, what, std::error_code(static_cast<int>(::GetLastError()), std::system_category()));
}

HANDLE open_path(const std::filesystem::path& path, access what, hint how) {
  const DWORD wanted = what == access::read     ? GENERIC_READ
                       : what == access::update ? GENERIC_READ | GENERIC_WRITE
                                                : GENERIC_WRITE;
  const DWORD told = how == hint::sequential ? FILE_FLAG_SEQUENTIAL_SCAN
                     : how == hint::direct   ? FILE_FLAG_NO_BUFFERING
                                             : FILE_ATTRIBUTE_NORMAL;
  const HANDLE file =
      ::CreateFileW(path.c_str(), wanted, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                    nullptr, what == access::create ? CREATE_ALWAYS : OPEN_EXISTING, told, nullptr);
  if (file == INVALID_HANDLE_VALUE) fail_now("open", path);
  return file;
}

OVERLAPPED place(std::uint64_t at) {
  OVERLAPPED where{};
  where.Offset = static_cast<DWORD>(at);
  where.OffsetHigh = static_cast<DWORD>(at >> 32);
  return where;
}

bool is_wine() {
  return ::GetProcAddress(::GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != nullptr;
}

double seconds_of(const FILETIME& time) {
  return static_cast<double>(std::uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime) * 1e-7;
}

HANDLE handle_of(output which) {
  return ::GetStdHandle(which == output::standard ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
}

}  // namespace

raw_file::raw_file(const std::filesystem::path& path, access what, hint how)
    : path_(path), handle_(open_path(path, what, how)) {}

raw_file::~raw_file() {
  if (handle_ != INVALID_HANDLE_VALUE) ::CloseHandle(handle_);
}

leat::native_handle_type raw_file::release() {
  return std::exchange(handle_, INVALID_HANDLE_VALUE);
}

void raw_file::write(std::string_view bytes) {
  while (!bytes.empty()) {
    DWORD count = 0;
    if (::WriteFile(handle_, bytes.data(), static_cast<DWORD>(bytes.size()), &count, nullptr) == 0)
      fail_now("write", path_);
    bytes.remove_prefix(count);
  }
}

std::size_t raw_file::read(char* to, std::size_t size) {
  DWORD count = 0;
  if (::ReadFile(handle_, to, static_cast<DWORD>(size), &count, nullptr) == 0)
    fail_now("read", path_);
  return count;
}

void raw_file::read_at(std::uint64_t at, char* to, std::size_t size) const {
  OVERLAPPED where = place(at);
  DWORD count = 0;
  if (::ReadFile(handle_, to, static_cast<DWORD>(size), &count, &where) == 0 || count != size)
    fail_now("read", path_);
}

void raw_file::write_at(std::uint64_t at, std::string_view bytes) const {
  OVERLAPPED where = place(at);
  DWORD count = 0;
  if (::WriteFile(handle_, bytes.data(), static_cast<DWORD>(bytes.size()), &count, &where) == 0 ||
      count != bytes.size())
    fail_now("write", path_);
}

/// Windows can be told of mappings only.
void raw_file::announce(std::uint64_t, std::size_t) const {}

void raw_file::sync() {
  if (::FlushFileBuffers(handle_) == 0) fail_now("write", path_);
}

void raw_file::close() {
  if (::CloseHandle(release()) == 0) fail_now("write", path_);
}

mapped_bytes::mapped_bytes(const std::filesystem::path& path, access what)
    : size_(std::filesystem::file_size(path)) {
  const raw_file file(path, what);
  const bool writes = what == access::update;
  const HANDLE section = ::CreateFileMappingW(
      file.get(), nullptr, writes ? PAGE_READWRITE : PAGE_READONLY, 0, 0, nullptr);
  if (section == nullptr) fail_now("map", path);
  void* const area =
      ::MapViewOfFile(section, writes ? FILE_MAP_READ | FILE_MAP_WRITE : FILE_MAP_READ, 0, 0, 0);
  ::CloseHandle(section);
  if (area == nullptr) fail_now("map", path);
  data_ = static_cast<char*>(area);
}

mapped_bytes::~mapped_bytes() { ::UnmapViewOfFile(data_); }

std::FILE* open_c_file(const std::filesystem::path& path, const char* mode) {
  return ::_wfopen(path.c_str(), std::wstring(mode, mode + std::string_view(mode).size()).c_str());
}

/// There is a way to ask for it, but none to find out whether it was done.
bool drop_from_cache(const std::filesystem::path&) { return false; }

bool obeys_direct() { return !is_wine(); }

bool is_installed(const char* program) {
  const std::filesystem::path name(program);
  return ::SearchPathW(nullptr, name.c_str(), L".exe", 0, nullptr, nullptr) != 0;
}

std::vector<std::string> arguments_of(int argc, char** argv) {
  int count = 0;
  wchar_t** const words = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  if (words == nullptr) return {argv, argv + argc};
  std::vector<std::string> all;
  for (int i = 0; i != count; ++i) all.push_back(text_of(words[i]));
  ::LocalFree(words);
  return all;
}

/// The processor's time is counted in steps of 15 ms; children don't count.
clocks real_clocks() {
  return {[] {
            const auto now = std::chrono::steady_clock::now().time_since_epoch();
            return std::chrono::duration<double>(now).count();
          },
          [] {
            FILETIME made{}, ended{}, kernel{}, user{};
            ::GetProcessTimes(::GetCurrentProcess(), &made, &ended, &kernel, &user);
            return seconds_of(kernel) + seconds_of(user);
          }};
}

std::filesystem::path make_private_folder(const std::filesystem::path& in,
                                          std::string_view prefix) {
  for (std::uint64_t number =
           static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
       ; ++number) {
    const auto path = in / fmt::format("{}{:x}-{:x}", prefix, ::GetCurrentProcessId(), number);
    if (::CreateDirectoryW(path.c_str(), nullptr) != 0) return path;
    if (::GetLastError() != ERROR_ALREADY_EXISTS) fail_now("create a folder in", in);
  }
}

/// They are errors like any other.
void ignore_broken_output() {}

namespace {

void (*interrupt_note)() = nullptr;

BOOL WINAPI take_interrupt(DWORD) {
  interrupt_note();
  return TRUE;
}

}  // namespace

void on_interrupt(void (*note)()) {
  interrupt_note = note;
  ::SetConsoleCtrlHandler(take_interrupt, TRUE);
}

bool is_terminal(output which) {
  DWORD mode = 0;
  const HANDLE console = handle_of(which);
  return ::GetConsoleMode(console, &mode) != 0 &&
         ::SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

int terminal_width() {
  CONSOLE_SCREEN_BUFFER_INFO screen{};
  if (::GetConsoleScreenBufferInfo(handle_of(output::standard), &screen) == 0) return 0;
  return screen.srWindow.Right - screen.srWindow.Left + 1;
}

// --- the machine ---------------------------------------------------------------------------------

void ask_system(machine& about) {
  wchar_t name[256]{};
  DWORD size = sizeof name;
  const auto read = [&](const wchar_t* key, const wchar_t* value) {
    size = sizeof name;
    return ::RegGetValueW(HKEY_LOCAL_MACHINE, key, value, RRF_RT_REG_SZ, nullptr, name, &size) == 0;
  };
  about.cpu = read(LR"(HARDWARE\DESCRIPTION\System\CentralProcessor\0)", L"ProcessorNameString")
                  ? text_of(name)
                  : "x86-64";
  MEMORYSTATUSEX memory{};
  memory.dwLength = sizeof memory;
  if (::GlobalMemoryStatusEx(&memory) != 0) about.memory = memory.ullTotalPhys;
  about.kernel = "Windows";
  constexpr auto current = LR"(SOFTWARE\Microsoft\Windows NT\CurrentVersion)";
  if (read(current, L"CurrentBuildNumber")) about.kernel += " build " + text_of(name);
  if (is_wine()) about.kernel += ", under Wine";
}

volume volume_of(const std::filesystem::path& path) {
  volume found{std::string(unknown_file_system), 0, ""};
  wchar_t root[MAX_PATH + 1]{}, name[MAX_PATH + 1]{};
  if (::GetVolumePathNameW(path.c_str(), root, MAX_PATH) == 0) return found;
  if (::GetVolumeInformationW(root, nullptr, 0, nullptr, nullptr, nullptr, name, MAX_PATH) != 0)
    found.file_system = text_of(name);
  DWORD sectors = 0, bytes = 0, available = 0, all = 0;
  if (::GetDiskFreeSpaceW(root, &sectors, &bytes, &available, &all) != 0)
    found.block_size = std::uint64_t{sectors} * bytes;
  return found;
}

double busy_seconds() {
  FILETIME idle{}, kernel{}, user{};
  if (::GetSystemTimes(&idle, &kernel, &user) == 0) return 0;
  // The kernel's part has the idle time in it.
  return seconds_of(kernel) + seconds_of(user) - seconds_of(idle);
}

}  // namespace bench
