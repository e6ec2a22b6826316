// Writes a temporary file, then renames this file to the target. open.cpp makes the device.
#include "opening/windows/replacement.hpp"

#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "device/system.hpp"
#include "device/windows/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// Gives a file the target's access rights, as far as the process may read and set them.
void copy_permissions(HANDLE from, HANDLE to) {
  constexpr SECURITY_INFORMATION what = DACL_SECURITY_INFORMATION;
  DWORD size = 0;
  ::GetKernelObjectSecurity(from, what, nullptr, 0, &size);
  std::vector<std::byte> descriptor(size);
  if (size != 0 && ::GetKernelObjectSecurity(from, what, descriptor.data(), size, &size) != 0)
    static_cast<void>(::SetKernelObjectSecurity(to, what, descriptor.data()));
}

/// Returns the path of an open file, without symbolic links: a link stays, and the link's target is
/// replaced. If the system refuses, sets `ec`.
std::wstring final_path(HANDLE file, std::error_code& ec) {
  std::wstring path;
  for (;;) {
    const DWORD size = ::GetFinalPathNameByHandleW(
        file, path.data(), static_cast<DWORD>(path.size()), FILE_NAME_NORMALIZED);
    if (size == 0) ec = system_code();
    const bool whole = size < path.size();  // otherwise `size` is what the path needs
    path.resize(size);
    if (whole || ec) return path;
  }
}

/// FILE_RENAME_INFO of Windows 10. Some versions of MinGW's headers have only the older struct.
struct rename_request {
  DWORD flags;
  HANDLE folder;
  DWORD bytes;
  wchar_t name[1];
};

/// Renames an open file, even to the name of a second file that is open. As on POSIX, the second
/// file stays open in the programs that have opened it. Returns false if the system or the file
/// system can't replace an open file, or if there is no memory.
bool rename_open(HANDLE file, const std::wstring& to) noexcept {
  constexpr auto file_rename_info_ex = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);
  constexpr DWORD replace_if_exists = 1, posix_semantics = 2;
  const std::size_t bytes = to.size() * sizeof(wchar_t);
  const std::size_t size = offsetof(rename_request, name) + bytes + sizeof(wchar_t);
  const std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[size]());
  if (memory == nullptr) return false;
  auto* const wanted = new (memory.get()) rename_request{};
  wanted->flags = replace_if_exists | posix_semantics;
  wanted->bytes = static_cast<DWORD>(bytes);
  std::memcpy(memory.get() + offsetof(rename_request, name), to.data(), bytes);
  return ::SetFileInformationByHandle(file, file_rename_info_ex, wanted,
                                      static_cast<DWORD>(size)) != 0;
}

}  // namespace

void remove_file(path_ref path) noexcept try {
  std::error_code ec;
  const std::wstring native = native_path(path, ec);
  if (!ec) ::DeleteFileW(native.c_str());
} catch (const std::bad_alloc&) {
  return;  // the file stays
}

windows_replacement::windows_replacement(HANDLE handle, std::wstring temporary, std::wstring target,
                                         DWORD attributes, bool sync) noexcept
    : windows_file(handle, ownership::owned),
      temporary_(std::move(temporary)),
      target_(std::move(target)),
      attributes_(attributes),
      sync_(sync) {
  traits_.commits = true;
}

std::unique_ptr<windows_replacement> windows_replacement::open(path_ref path, const options& how,
                                                               std::error_code& ec) {
  std::wstring target = native_path(path, ec);
  if (ec) return nullptr;
  if (target.starts_with(LR"(\\.\)")) {
    ec = errc::not_a_file;
    return nullptr;
  }
  if (target.ends_with(L'\\') || target.ends_with(L'/')) {
    ec = std::make_error_code(std::errc::is_a_directory);
    return nullptr;
  }

  DWORD attributes = 0;
  const HANDLE old = open_native(target, {.access = FILE_READ_ATTRIBUTES | READ_CONTROL}, ec);
  if (ec && ec != std::errc::no_such_file_or_directory) return nullptr;
  const struct closer {
    HANDLE handle;
    ~closer() {
      if (handle != no_handle) ::CloseHandle(handle);
    }
  } closes_old{old};
  if (!ec) {
    BY_HANDLE_FILE_INFORMATION about{};
    if (!is_on_disk(old) || ::GetFileInformationByHandle(old, &about) == 0) {
      ec = errc::not_a_file;
      return nullptr;
    }
    attributes = about.dwFileAttributes & (FILE_ATTRIBUTE_HIDDEN | FILE_ATTRIBUTE_SYSTEM |
                                           FILE_ATTRIBUTE_NOT_CONTENT_INDEXED);
    const DWORD named = ::GetFileAttributesW(target.c_str());
    if ((named & FILE_ATTRIBUTE_REPARSE_POINT) != 0) target = final_path(old, ec);
    if (ec) return nullptr;
  }

  const std::size_t name_at = target.find_last_of(L"\\/") + 1;
  // The temporary file's name has fewer than 255 characters, even if the target's name has 255.
  const std::wstring stem = target.substr(0, name_at) + L'.' + target.substr(name_at, 200) + L'.';
  // The first names are fixed, so that this loop finds and removes the files of killed programs.
  // The file of a running program can't be removed, because that program has opened it without
  // FILE_SHARE_DELETE.
  constexpr int numbered_names = 8;
  const auto name_of = [&](int n) {
    return stem + (n < numbered_names ? L"0000000" + std::to_wstring(n) : to_utf16(random_name())) +
           L".tmp";
  };
  for (int n = 0; n != numbered_names; ++n) ::DeleteFileW(name_of(n).c_str());
  for (int n = 0; n != 100; ++n) {
    std::wstring temporary = name_of(n);
    const HANDLE handle = open_native(temporary,
                                      {.access = GENERIC_READ | GENERIC_WRITE | DELETE | WRITE_DAC,
                                       .disposition = CREATE_NEW,
                                       .share = FILE_SHARE_READ | FILE_SHARE_WRITE},
                                      ec);
    if (ec == std::errc::file_exists) continue;
    if (ec) return nullptr;
    std::unique_ptr<windows_replacement> result(
        new (std::nothrow) windows_replacement(handle, std::move(temporary), std::move(target),
                                               attributes, how.durability == durability::system));
    if (result == nullptr) {
      ::CloseHandle(handle);
      ::DeleteFileW(temporary.c_str());  // NOLINT(bugprone-use-after-move): nothing was moved then
      ec = std::make_error_code(std::errc::not_enough_memory);
    } else if (old != no_handle) {
      copy_permissions(old, handle);
    }
    return result;
  }
  return nullptr;
}

windows_replacement::~windows_replacement() {
  std::error_code ignored;
  windows_file::close(ignored);
  if (!temporary_.empty()) ::DeleteFileW(temporary_.c_str());
}

native_handle_type windows_replacement::release(std::uint64_t, std::error_code& ec) noexcept {
  ec = std::make_error_code(std::errc::operation_not_supported);
  return no_handle;
}

void windows_replacement::close(std::error_code& ec) noexcept {
  ec.clear();
  const HANDLE handle = native_handle();
  if (handle == no_handle || temporary_.empty()) return;
  if (attributes_ != 0) {
    FILE_BASIC_INFO about{};
    about.FileAttributes = attributes_;  // times of 0 change nothing
    static_cast<void>(::SetFileInformationByHandle(handle, FileBasicInfo, &about, sizeof about));
  }
  std::error_code sync_error;  // the new name may not be on the disk
  const bool renamed = rename_open(handle, target_);
  // The system writes the new name with the file's other metadata.
  if (renamed && sync_ && ::FlushFileBuffers(handle) == 0) sync_error = system_code();
  windows_file::close(ec);
  if (ec && !renamed) return;
  if (!ec) ec = sync_error;
  // MoveFileExW works if no program has the target open.
  if (!renamed &&
      ::MoveFileExW(temporary_.c_str(), target_.c_str(),
                    MOVEFILE_REPLACE_EXISTING | (sync_ ? DWORD{MOVEFILE_WRITE_THROUGH} : 0)) == 0) {
    ec = system_code();
    return;
  }
  temporary_.clear();
  traits_.commits = false;
}

}  // namespace v0
}  // namespace leat
