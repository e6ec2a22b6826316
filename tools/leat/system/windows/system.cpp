// Implements system.hpp for Windows: clocks, console events and the terminal. Other programs cannot
// be started.
#include "system/system.hpp"

#include <fmt/format.h>
#include <windows.h>

#include <shellapi.h>

#include <cerrno>
#include <chrono>

#include "system/path_text.hpp"
#include "system/windows/calls.hpp"

namespace bench {

namespace {

HANDLE handle_of(output which) {
  return ::GetStdHandle(which == output::standard ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
}

}  // namespace

bool is_installed(const char* program) {
  const std::filesystem::path name(program);
  return ::SearchPathW(nullptr, name.c_str(), L".exe", 0, nullptr, nullptr) != 0;
}

std::optional<file_identity> identity_of(const std::filesystem::path& path) {
  constexpr DWORD all_share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  const HANDLE file = ::CreateFileW(path.c_str(), FILE_READ_ATTRIBUTES, all_share, nullptr,
                                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (file == INVALID_HANDLE_VALUE) return {};
  BY_HANDLE_FILE_INFORMATION about{};
  const bool is_known = ::GetFileInformationByHandle(file, &about) != 0;
  ::CloseHandle(file);
  if (!is_known) return {};
  return file_identity{about.dwVolumeSerialNumber,
                       std::uint64_t{about.nFileIndexHigh} << 32 | about.nFileIndexLow};
}

program_result run_quietly(const std::vector<std::string>& words) {
  fail("start", words.front(), ENOSYS);
}

program_pipe::program_pipe(const std::vector<std::string>& words) : program_pipe() {
  fail("start", words.front(), ENOSYS);
}
program_pipe::program_pipe(const std::vector<std::string>& words, const std::filesystem::path&)
    : program_pipe(words) {}
program_pipe::~program_pipe() = default;
leat::native_handle_type program_pipe::handle() const { return nullptr; }
void program_pipe::close() {}

std::vector<std::string> arguments_of(int argc, char** argv) {
  int count = 0;
  wchar_t** const words = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  if (words == nullptr) return {argv, argv + argc};
  std::vector<std::string> all;
  for (int i = 0; i != count; ++i) all.push_back(utf8_from_path(words[i]));
  ::LocalFree(words);
  return all;
}

/// Windows counts CPU time in steps of 15 ms. The time of children is not included.
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

std::filesystem::path make_private_folder(const std::filesystem::path& parent,
                                          std::string_view prefix) {
  for (std::uint64_t number =
           static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
       ; ++number) {
    const auto path = parent / fmt::format("{}{:x}-{:x}", prefix, ::GetCurrentProcessId(), number);
    if (::CreateDirectoryW(path.c_str(), nullptr) != 0) return path;
    if (::GetLastError() != ERROR_ALREADY_EXISTS)
      fail_with_last_error("create a folder in", parent);
  }
}

/// Does nothing: on Windows a write to a broken pipe fails with an error anyway.
void ignore_broken_output() {}

bool wait_while_output_is_read(std::chrono::milliseconds time) {
  ::Sleep(static_cast<DWORD>(time.count()));
  return true;
}

namespace {

void (*interrupt_handler)() = nullptr;

BOOL WINAPI call_interrupt_handler(DWORD) {
  interrupt_handler();
  return TRUE;
}

}  // namespace

void on_interrupt(void (*handler)()) {
  interrupt_handler = handler;
  ::SetConsoleCtrlHandler(call_interrupt_handler, TRUE);
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

}  // namespace bench
