// Starts the commands of C's popen on Windows, connected by a pipe, and waits for their end.
#include <fcntl.h>
#include <windows.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <new>
#include <string>

#include "device/command.hpp"
#include "device/descriptor.hpp"
#include "device/windows/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// The list of the handles that a new process inherits.
class handle_list {
 public:
  explicit handle_list(std::span<HANDLE> handles) {
    SIZE_T size = 0;
    ::InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
    memory_ = std::make_unique<std::byte[]>(size);
    is_initialized_ = ::InitializeProcThreadAttributeList(get(), 1, 0, &size) != 0;
    is_complete_ =
        is_initialized_ &&
        ::UpdateProcThreadAttribute(get(), 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles.data(),
                                    handles.size_bytes(), nullptr, nullptr) != 0;
  }
  ~handle_list() {
    if (is_initialized_) ::DeleteProcThreadAttributeList(get());
  }
  handle_list(const handle_list&) = delete;
  handle_list& operator=(const handle_list&) = delete;

  LPPROC_THREAD_ATTRIBUTE_LIST get() const noexcept {
    return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory_.get());
  }
  explicit operator bool() const noexcept { return is_complete_; }

 private:
  std::unique_ptr<std::byte[]> memory_;
  bool is_initialized_ = false;
  bool is_complete_ = false;
};

std::wstring shell() {
  std::array<wchar_t, MAX_PATH> name{};
  const DWORD size =
      ::GetEnvironmentVariableW(L"COMSPEC", name.data(), static_cast<DWORD>(name.size()));
  return size != 0 && size < name.size() ? std::wstring(name.data(), size) : L"cmd.exe";
}

/// A copy of a handle that a new process can inherit. The destructor closes the copy. The copy is
/// null if the handle can't be copied. The copy is also null for no_handle, because no_handle as a
/// pseudo handle means this process.
class inheritable_handle {
 public:
  explicit inheritable_handle(HANDLE from) noexcept {
    const HANDLE self = ::GetCurrentProcess();
    if (from == no_handle ||
        ::DuplicateHandle(self, from, self, &handle_, 0, TRUE, DUPLICATE_SAME_ACCESS) == 0)
      handle_ = nullptr;
  }
  ~inheritable_handle() {
    if (handle_ != nullptr) ::CloseHandle(handle_);
  }
  inheritable_handle(const inheritable_handle&) = delete;
  inheritable_handle& operator=(const inheritable_handle&) = delete;
  HANDLE get() const noexcept { return handle_; }

 private:
  HANDLE handle_ = nullptr;
};

/// Starts `SHELL /s /c "text"`, where SHELL is the result of shell(). With /s the text between the
/// outer quotes is the command. If `reads` is true, `pipe_end` is the command's standard output,
/// otherwise its standard input. Returns the handle of the process. On failure, returns null and
/// sets `ec`.
HANDLE start(const char* text, HANDLE pipe_end, bool reads, std::error_code& ec) noexcept try {
  const inheritable_handle input(reads ? handle_of_descriptor(0) : pipe_end);
  const inheritable_handle output(reads ? pipe_end : handle_of_descriptor(1));
  const inheritable_handle errors(handle_of_descriptor(2));
  std::array<HANDLE, 3> handles{};
  std::size_t count = 0;
  for (const HANDLE one : {input.get(), output.get(), errors.get()})
    if (one != nullptr) handles[count++] = one;
  const handle_list list({handles.data(), count});
  if (!list) {
    ec = system_code();
    return nullptr;
  }
  STARTUPINFOEXW how{};
  how.StartupInfo.cb = sizeof how;
  how.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  how.StartupInfo.hStdInput = input.get();
  how.StartupInfo.hStdOutput = output.get();
  how.StartupInfo.hStdError = errors.get();
  how.lpAttributeList = list.get();
  const std::wstring program = shell();
  std::wstring line = L"\"" + program + L"\" /s /c \"" + to_utf16(text) + L"\"";
  PROCESS_INFORMATION started{};
  if (::CreateProcessW(nullptr, line.data(), nullptr, nullptr, TRUE, EXTENDED_STARTUPINFO_PRESENT,
                       nullptr, nullptr, &how.StartupInfo, &started) == 0) {
    ec = system_code();
    return nullptr;
  }
  ::CloseHandle(started.hThread);
  return started.hProcess;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return nullptr;
}

}  // namespace

/// `closed_descriptors` is not needed: the command inherits the standard handles only.
int start_command(const char* text, bool reads, bool close_on_exec, std::span<const int>,
                  command_id& command) noexcept {
  HANDLE reading = nullptr, writing = nullptr;
  if (::CreatePipe(&reading, &writing, nullptr, 0) == 0) return fail_with(system_code());
  const HANDLE ours = reads ? reading : writing;
  const HANDLE theirs = reads ? writing : reading;
  // The descriptor is made first. Without a free descriptor, no command is started.
  const int descriptor = descriptor_of(ours);
  std::error_code ec;
  const HANDLE process = descriptor < 0 ? nullptr : start(text, theirs, reads, ec);
  ::CloseHandle(theirs);
  if (descriptor < 0) return -1;
  if (process == nullptr) {
    ::_close(descriptor);
    return fail_with(ec);
  }
  command = reinterpret_cast<command_id>(process);
  if (!close_on_exec) ::SetHandleInformation(ours, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
  return descriptor;
}

int wait_for_command(command_id command) noexcept {
  const auto process = reinterpret_cast<HANDLE>(command);
  DWORD code = 0;
  const bool ended = ::WaitForSingleObject(process, INFINITE) == WAIT_OBJECT_0 &&
                     ::GetExitCodeProcess(process, &code) != 0;
  ::CloseHandle(process);
  if (ended) return static_cast<int>(code);
  errno = ECHILD;
  return -1;
}

}  // namespace v0
}  // namespace leat
