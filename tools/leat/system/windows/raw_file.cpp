// Implements raw_file.hpp for Windows: files by system calls, and mappings.
#include "system/raw_file.hpp"

#include <cerrno>
#include <utility>

#include "system/windows/calls.hpp"

namespace bench {

namespace {

HANDLE open_path(const std::filesystem::path& path, access mode, hint open_hint) {
  const DWORD wanted = mode == access::read     ? GENERIC_READ
                       : mode == access::update ? GENERIC_READ | GENERIC_WRITE
                                                : GENERIC_WRITE;
  const DWORD flags = open_hint == hint::sequential ? FILE_FLAG_SEQUENTIAL_SCAN
                      : open_hint == hint::direct   ? FILE_FLAG_NO_BUFFERING
                                                    : FILE_ATTRIBUTE_NORMAL;
  const HANDLE file = ::CreateFileW(
      path.c_str(), wanted, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
      mode == access::create ? CREATE_ALWAYS : OPEN_EXISTING, flags, nullptr);
  if (file == INVALID_HANDLE_VALUE) fail_with_last_error("open", path);
  return file;
}

OVERLAPPED overlapped_at(std::uint64_t at) {
  OVERLAPPED where{};
  where.Offset = static_cast<DWORD>(at);
  where.OffsetHigh = static_cast<DWORD>(at >> 32);
  return where;
}

}  // namespace

raw_file::raw_file(const std::filesystem::path& path, access mode, hint open_hint)
    : path_(path), handle_(open_path(path, mode, open_hint)) {}

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
      fail_with_last_error("write", path_);
    bytes.remove_prefix(count);
  }
}

std::size_t raw_file::read(char* to, std::size_t size) {
  DWORD count = 0;
  if (::ReadFile(handle_, to, static_cast<DWORD>(size), &count, nullptr) == 0)
    fail_with_last_error("read", path_);
  return count;
}

void raw_file::read_at(std::uint64_t at, char* to, std::size_t size) const {
  OVERLAPPED where = overlapped_at(at);
  DWORD count = 0;
  if (::ReadFile(handle_, to, static_cast<DWORD>(size), &count, &where) == 0)
    fail_with_last_error("read", path_);
  if (count != size) fail("read", path_, EIO);
}

void raw_file::write_at(std::uint64_t at, std::string_view bytes) const {
  OVERLAPPED where = overlapped_at(at);
  DWORD count = 0;
  if (::WriteFile(handle_, bytes.data(), static_cast<DWORD>(bytes.size()), &count, &where) == 0)
    fail_with_last_error("write", path_);
  if (count != bytes.size()) fail("write", path_, EIO);
}

/// Does nothing: Windows can announce reads only for mappings.
void raw_file::announce(std::uint64_t, std::size_t) const {}

void raw_file::sync() {
  if (::FlushFileBuffers(handle_) == 0) fail_with_last_error("write", path_);
}

void raw_file::sync_data() { sync(); }

void raw_file::close() {
  if (::CloseHandle(release()) == 0) fail_with_last_error("write", path_);
}

mapped_bytes::mapped_bytes(const std::filesystem::path& path, access mode)
    : size_(std::filesystem::file_size(path)) {
  const raw_file file(path, mode);
  const bool writes = mode == access::update;
  const HANDLE section = ::CreateFileMappingW(
      file.get(), nullptr, writes ? PAGE_READWRITE : PAGE_READONLY, 0, 0, nullptr);
  if (section == nullptr) fail_with_last_error("map", path);
  void* const area =
      ::MapViewOfFile(section, writes ? FILE_MAP_READ | FILE_MAP_WRITE : FILE_MAP_READ, 0, 0, 0);
  ::CloseHandle(section);
  if (area == nullptr) fail_with_last_error("map", path);
  data_ = static_cast<char*>(area);
}

mapped_bytes::~mapped_bytes() { ::UnmapViewOfFile(data_); }

/// Returns false: Windows does not report whether a file has left the cache.
bool drop_from_cache(const std::filesystem::path&) { return false; }

bool direct_bypasses_cache() { return !is_wine(); }

}  // namespace bench
