// System calls, as the Windows devices use them; the functions of device/system.hpp; and the
// constructors of leat::folder, which always fail.
#include "device/windows/system.hpp"

#include <leat/folder.hpp>

#define RtlGenRandom SystemFunction036  // the function's name in the library
#include <ntsecapi.h>
#include <winioctl.h>
#include <winternl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cwctype>
#include <limits>
#include <new>

#include "base/errno.hpp"
#include "device/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// The most bytes of one transfer. The system counts bytes with 32 bits.
constexpr std::size_t max_transfer_size = std::size_t{1} << 30;
constexpr std::uint64_t largest_file = std::numeric_limits<std::int64_t>::max();

/// True for names that mean a device in every folder: CON, PRN, AUX, COM1, LPT1 and so on, also
/// with an extension.
bool is_reserved(std::wstring_view path) {
  const std::size_t slash = path.find_last_of(L"\\/");
  std::wstring_view last = slash == std::wstring_view::npos ? path : path.substr(slash + 1);
  last = last.substr(0, last.find_first_of(L".:"));
  while (last.ends_with(L' ')) last.remove_suffix(1);
  std::wstring name(last);
  std::ranges::transform(name, name.begin(), [](wchar_t c) {
    return static_cast<wchar_t>(c >= L'a' && c <= L'z' ? c - L'a' + L'A' : c);
  });
  if (name == L"CON" || name == L"PRN" || name == L"AUX") return true;
  if (name.size() != 4 || (!name.starts_with(L"COM") && !name.starts_with(L"LPT"))) return false;
  // The system accepts superscripts as digits, too.
  return std::wstring_view(L"0123456789\u00b9\u00b2\u00b3").find(name[3]) !=
         std::wstring_view::npos;
}

void WINAPI close_event(void* event) { ::CloseHandle(event); }

/// Returns the event of a transfer that this thread waits for. If the system has no event, returns
/// null, and system_code() is the reason. The event lives as long as the thread. The event can't be
/// a thread_local object: MinGW frees such an object's memory before the call of the destructor,
/// which would then close an arbitrary handle.
HANDLE event_of_thread() noexcept {
  static const DWORD slot = ::FlsAlloc(close_event);
  if (slot == FLS_OUT_OF_INDEXES) {
    ::SetLastError(ERROR_NO_SYSTEM_RESOURCES);
    return nullptr;
  }
  if (HANDLE const event = ::FlsGetValue(slot); event != nullptr) return event;
  HANDLE const event = ::CreateEventW(nullptr, TRUE, FALSE, nullptr);
  if (event == nullptr || ::FlsSetValue(slot, event) != 0) return event;
  ::CloseHandle(event);
  ::SetLastError(ERROR_NO_SYSTEM_RESOURCES);
  return nullptr;
}

/// Starts a transfer and waits for its end. Returns the number of moved bytes. Sets `ec` on
/// failure. A result of 0 without an error means the end.
template <class Start>
std::size_t transfer(HANDLE file, std::uint64_t at, std::error_code& ec, waiting mode,
                     const Start& start) noexcept {
  OVERLAPPED overlapped{};
  overlapped.Offset = static_cast<DWORD>(at);
  overlapped.OffsetHigh = static_cast<DWORD>(at >> 32);
  if (mode == waiting::by_event) {
    overlapped.hEvent = event_of_thread();
    if (overlapped.hEvent == nullptr) {
      ec = system_code();
      return 0;
    }
  }
  DWORD moved = 0;
  ec.clear();
  if (start(overlapped, moved) || (::GetLastError() == ERROR_IO_PENDING &&
                                   ::GetOverlappedResult(file, &overlapped, &moved, TRUE)))
    return moved;
  const DWORD why = ::GetLastError();
  // The message in the pipe is longer than the memory: the next read gets the rest.
  if (why == ERROR_MORE_DATA) return moved;
  // These two errors mean the end of a file, or the end of a pipe without a writer.
  if (why != ERROR_HANDLE_EOF && why != ERROR_BROKEN_PIPE)
    ec = {static_cast<int>(why), std::system_category()};
  return 0;
}

ULONG information_of(HANDLE handle, int which) noexcept {
  ULONG value = 0;
  IO_STATUS_BLOCK status;
  if (::NtQueryInformationFile(handle, &status, &value, sizeof value,
                               static_cast<FILE_INFORMATION_CLASS>(which)) < 0)
    return 0;
  return value;
}

}  // namespace

int fail_with(const std::error_code& ec) noexcept {
  errno = errno_of(ec);
  return -1;
}

std::wstring to_utf16(std::string_view text) {
  const auto size = static_cast<int>(text.size());
  const int needed = ::MultiByteToWideChar(CP_UTF8, 0, text.data(), size, nullptr, 0);
  std::wstring wide(static_cast<std::size_t>(needed), L'\0');
  ::MultiByteToWideChar(CP_UTF8, 0, text.data(), size, wide.data(), needed);
  return wide;
}

std::string to_utf8(std::wstring_view text) {
  const auto size = static_cast<int>(text.size());
  const int needed =
      ::WideCharToMultiByte(CP_UTF8, 0, text.data(), size, nullptr, 0, nullptr, nullptr);
  std::string narrow(static_cast<std::size_t>(needed), '\0');
  ::WideCharToMultiByte(CP_UTF8, 0, text.data(), size, narrow.data(), needed, nullptr, nullptr);
  return narrow;
}

std::wstring native_path(const path_ref& given, std::error_code& ec) {
  ec.clear();
  if (given.is_inside()) {
    ec = std::make_error_code(std::errc::operation_not_supported);
    return {};
  }
  const std::string_view path = given.view();
  // The system would cut the path at a NUL.
  if (path.find('\0') != std::string_view::npos) {
    ec = std::make_error_code(std::errc::invalid_argument);
    return {};
  }
  if (path.empty() || path.size() > std::numeric_limits<std::int16_t>::max()) {
    ec = std::make_error_code(path.empty() ? std::errc::no_such_file_or_directory
                                           : std::errc::filename_too_long);
    return {};
  }
  const auto size = static_cast<int>(path.size());
  const int needed =
      ::MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path.data(), size, nullptr, 0);
  if (needed == 0) {
    ec = std::make_error_code(std::errc::illegal_byte_sequence);
    return {};
  }
  std::wstring wide = to_utf16(path);
  if (wide.starts_with(LR"(\\?\)") || wide.starts_with(LR"(\\.\)")) return wide;
  if (is_reserved(wide)) {
    ec = errc::reserved_name;
    return {};
  }
  const DWORD room = ::GetFullPathNameW(wide.c_str(), 0, nullptr, nullptr);
  std::wstring full(room, L'\0');
  const DWORD length = ::GetFullPathNameW(wide.c_str(), room, full.data(), nullptr);
  if (length == 0 || length >= room) {
    ec = system_code();
    return {};
  }
  full.resize(length);
  // The path of the device NUL stays as it is. Short paths get no prefix, because messages of other
  // programs show these paths.
  if (full.starts_with(LR"(\\.\)") || full.size() < MAX_PATH - 12) return full;
  if (full.starts_with(LR"(\\)")) return LR"(\\?\UNC)" + full.substr(1);
  return LR"(\\?\)" + full;
}

HANDLE open_native(const std::wstring& path, const open_parameters& how,
                   std::error_code& ec) noexcept {
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  const HANDLE opened =
      ::CreateFileW(path.c_str(), how.access, how.share, how.inherited ? &inherited : nullptr,
                    how.disposition, how.flags, nullptr);
  if (opened == no_handle) {
    ec = system_code();
    const DWORD attributes = ::GetFileAttributesW(path.c_str());
    if (ec.value() == ERROR_ACCESS_DENIED && attributes != INVALID_FILE_ATTRIBUTES &&
        (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0)
      ec = std::make_error_code(std::errc::is_a_directory);
    return no_handle;
  }
  ec.clear();
  if (how.truncates && is_on_disk(opened)) resize_file(opened, 0, ec);
  if (!ec) return opened;
  ::CloseHandle(opened);
  return no_handle;
}

HANDLE open_handle(path_ref path, const open_parameters& how, std::error_code& ec) noexcept try {
  const std::wstring native = native_path(path, ec);
  return ec ? no_handle : open_native(native, how, ec);
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return no_handle;
}

DWORD access_of(HANDLE handle) noexcept {
  constexpr int file_access_information = 8;
  return information_of(handle, file_access_information);
}

bool is_asynchronous(HANDLE handle) noexcept {
  constexpr int file_mode_information = 16;
  constexpr ULONG synchronous = 0x30;  // FILE_SYNCHRONOUS_IO_ALERT and …_NONALERT
  return is_on_disk(handle) && (information_of(handle, file_mode_information) & synchronous) == 0;
}

bool is_same_file(HANDLE a, HANDLE b) noexcept {
  BY_HANDLE_FILE_INFORMATION one{}, other{};
  return ::GetFileInformationByHandle(a, &one) != 0 &&
         ::GetFileInformationByHandle(b, &other) != 0 &&
         one.dwVolumeSerialNumber == other.dwVolumeSerialNumber &&
         one.nFileIndexHigh == other.nFileIndexHigh && one.nFileIndexLow == other.nFileIndexLow;
}

bool is_on_disk(HANDLE handle) noexcept { return ::GetFileType(handle) == FILE_TYPE_DISK; }

bool is_console(HANDLE handle) noexcept {
  DWORD mode;
  return ::GetFileType(handle) == FILE_TYPE_CHAR && ::GetConsoleMode(handle, &mode) != 0;
}

std::size_t read_handle(HANDLE file, std::uint64_t at, std::span<char> into, std::error_code& ec,
                        waiting mode) noexcept {
  if (at > largest_file && at != at_current_offset) {
    ec = std::make_error_code(std::errc::file_too_large);
    return 0;
  }
  const auto size = static_cast<DWORD>(std::min(into.size(), max_transfer_size));
  const std::size_t n = transfer(file, at, ec, mode, [&](OVERLAPPED& overlapped, DWORD& moved) {
    return ::ReadFile(file, into.data(), size, &moved,
                      at == at_current_offset ? nullptr : &overlapped) != 0;
  });
  // The system refuses a read beyond the largest offset, even if the file ends before that
  // offset.
  if (ec.value() == ERROR_INVALID_PARAMETER) {
    std::error_code unknown;
    if (const std::uint64_t end = size_of(file, unknown); !unknown && at >= end) ec.clear();
  }
  return n;
}

std::size_t write_handle(HANDLE file, std::uint64_t at, std::string_view bytes, std::error_code& ec,
                         waiting mode) noexcept {
  if (at > largest_file && at != at_end_of_file && at != at_current_offset) {
    ec = std::make_error_code(std::errc::file_too_large);
    return 0;
  }
  const auto size = static_cast<DWORD>(std::min(bytes.size(), max_transfer_size));
  const std::size_t written =
      transfer(file, at, ec, mode, [&](OVERLAPPED& overlapped, DWORD& moved) {
        return ::WriteFile(file, bytes.data(), size, &moved,
                           at == at_current_offset ? nullptr : &overlapped) != 0;
      });
  // transfer() treats a broken pipe as the end, which is right only for reads.
  if (written == 0 && size != 0 && !ec) ec = std::make_error_code(std::errc::broken_pipe);
  return written;
}

bool seek_handle(HANDLE file, std::uint64_t at, std::error_code& ec) noexcept {
  ec.clear();
  LARGE_INTEGER position;
  position.QuadPart = static_cast<LONGLONG>(at);
  if (at <= largest_file && ::SetFilePointerEx(file, position, nullptr, FILE_BEGIN) != 0)
    return true;
  ec = at > largest_file ? std::make_error_code(std::errc::file_too_large) : system_code();
  return false;
}

std::int64_t position_of(HANDLE file) noexcept {
  LARGE_INTEGER none{}, position;
  if (!is_on_disk(file) || ::SetFilePointerEx(file, none, &position, FILE_CURRENT) == 0) return -1;
  return position.QuadPart;
}

std::uint64_t size_of(HANDLE file, std::error_code& ec) noexcept {
  LARGE_INTEGER size;
  if (!is_on_disk(file)) {
    ec = std::make_error_code(std::errc::operation_not_supported);
  } else if (::GetFileSizeEx(file, &size) != 0) {
    ec.clear();
    return static_cast<std::uint64_t>(size.QuadPart);
  } else {
    ec = system_code();
  }
  return 0;
}

void resize_file(HANDLE file, std::uint64_t size, std::error_code& ec) noexcept {
  ec.clear();
  if (size > largest_file) {
    ec = std::make_error_code(std::errc::file_too_large);
    return;
  }
  FILE_END_OF_FILE_INFO end;
  end.EndOfFile.QuadPart = static_cast<LONGLONG>(size);
  if (::SetFileInformationByHandle(file, FileEndOfFileInfo, &end, sizeof end) == 0)
    ec = system_code();
}

void make_sparse(HANDLE file) noexcept {
  DWORD unused;
  static_cast<void>(
      ::DeviceIoControl(file, FSCTL_SET_SPARSE, nullptr, 0, nullptr, 0, &unused, nullptr));
}

// Paths inside a folder are not supported, so the class folder can't open a folder.

folder::folder(path_ref, std::error_code& ec) noexcept {
  ec = std::make_error_code(std::errc::operation_not_supported);
}

folder::folder(path_ref path) {
  throw io_error({std::make_error_code(std::errc::operation_not_supported), "open"}, path.view());
}

folder::~folder() = default;

bool may_make_files_in(const char*) noexcept { return true; }

bool is_affordable(std::uint64_t bytes) noexcept {
  // Every machine has this much memory, so no system call is needed.
  constexpr std::uint64_t always_affordable = 64 << 20;
  MEMORYSTATUSEX memory;
  memory.dwLength = sizeof memory;
  return bytes <= always_affordable || ::GlobalMemoryStatusEx(&memory) == 0 ||
         bytes <= memory.ullTotalPhys / 2;
}

std::optional<std::int64_t> page_faults() noexcept { return std::nullopt; }

/// Does nothing, because each transfer uses the handle that its alignment allows.
void set_direct(native_handle_type, bool, std::error_code& ec) noexcept { ec.clear(); }

std::string random_name() {
  static constexpr char alphabet[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::array<unsigned char, 8> bytes{};
  // Without random numbers the name is easier to guess. But the caller's CREATE_NEW makes sure that
  // no other process has made the file.
  if (::RtlGenRandom(bytes.data(), bytes.size()) == 0) {
    LARGE_INTEGER now;
    ::QueryPerformanceCounter(&now);
    for (unsigned i = 0; i != bytes.size(); ++i)
      bytes[i] = static_cast<unsigned char>(now.QuadPart >> (8 * i));
  }
  std::string name;
  for (const unsigned char byte : bytes) name += alphabet[byte % (sizeof alphabet - 1)];
  return name;
}

/// Only fork handlers call wait_until_writable(), and Windows has no fork.
bool wait_until_writable(native_handle_type, std::chrono::milliseconds) noexcept { return true; }

process_id this_process() noexcept { return static_cast<process_id>(::GetCurrentProcessId()); }

}  // namespace v0
}  // namespace leat
