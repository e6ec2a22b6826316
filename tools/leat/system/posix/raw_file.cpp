// Implements raw_file.hpp for POSIX systems: files by system calls, mappings, and the page cache.
#include "system/raw_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "system/failure.hpp"

namespace bench {

namespace {

int open_path(const std::filesystem::path& path, access mode, hint open_hint) {
  int flags = mode == access::read     ? O_RDONLY
              : mode == access::write  ? O_WRONLY
              : mode == access::update ? O_RDWR
                                       : O_WRONLY | O_CREAT | O_TRUNC;
  if (open_hint == hint::direct) {
#ifdef O_DIRECT
    flags |= O_DIRECT;
#else
    fail("open", path, ENOTSUP);
#endif
  }
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  if (fd < 0) fail("open", path, errno);
  return fd;
}

/// The error of a read or a write that has moved too few bytes. Unless the call returned -1, errno
/// belongs to an earlier call.
int error_of(ssize_t moved) { return moved < 0 ? errno : EIO; }

}  // namespace

raw_file::raw_file(const std::filesystem::path& path, access mode, hint open_hint)
    : path_(path), handle_(open_path(path, mode, open_hint)) {}

raw_file::~raw_file() {
  if (handle_ >= 0) ::close(handle_);
}

leat::native_handle_type raw_file::release() { return std::exchange(handle_, -1); }

void raw_file::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = ::write(handle_, bytes.data(), bytes.size());
    if (count < 0) fail("write", path_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::size_t raw_file::read(char* to, std::size_t size) {
  const auto count = ::read(handle_, to, size);
  if (count < 0) fail("read", path_, errno);
  return static_cast<std::size_t>(count);
}

void raw_file::read_at(std::uint64_t at, char* to, std::size_t size) const {
  const auto count = ::pread(handle_, to, size, static_cast<off_t>(at));
  if (count != static_cast<ssize_t>(size)) fail("read", path_, error_of(count));
}

void raw_file::write_at(std::uint64_t at, std::string_view bytes) const {
  const auto count = ::pwrite(handle_, bytes.data(), bytes.size(), static_cast<off_t>(at));
  if (count != static_cast<ssize_t>(bytes.size())) fail("write", path_, error_of(count));
}

void raw_file::announce([[maybe_unused]] std::uint64_t at,
                        [[maybe_unused]] std::size_t size) const {
#ifdef POSIX_FADV_WILLNEED
  ::posix_fadvise(handle_, static_cast<off_t>(at), static_cast<off_t>(size), POSIX_FADV_WILLNEED);
#endif
}

void raw_file::sync() {
  if (::fsync(handle_) != 0) fail("write", path_, errno);
}

void raw_file::sync_data() {
#if defined(__APPLE__)
  sync();  // macOS does not declare fdatasync
#else
  if (::fdatasync(handle_) != 0) fail("write", path_, errno);
#endif
}

void raw_file::close() {
  if (::close(release()) != 0) fail("write", path_, errno);
}

mapped_bytes::mapped_bytes(const std::filesystem::path& path, access mode)
    : size_(std::filesystem::file_size(path)) {
  const raw_file file(path, mode);
  const int allowed = mode == access::update ? PROT_READ | PROT_WRITE : PROT_READ;
  void* const area = ::mmap(nullptr, size_, allowed, MAP_SHARED, file.get(), 0);
  if (area == MAP_FAILED) fail("map", path, errno);
  data_ = static_cast<char*>(area);
}

mapped_bytes::~mapped_bytes() { ::munmap(data_, size_); }

bool drop_from_cache(const std::filesystem::path& path) {
#ifdef POSIX_FADV_DONTNEED
  if (::posix_fadvise(raw_file(path, access::read).get(), 0, 0, POSIX_FADV_DONTNEED) != 0)
    return false;
  const mapped_bytes file(path);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> cached((file.view().size() + page - 1) / page);
  if (::mincore(const_cast<char*>(file.view().data()), file.view().size(), cached.data()) != 0) {
    return false;
  }
  return std::ranges::none_of(cached, [](unsigned char flags) { return flags & 1; });
#else
  static_cast<void>(path);
  return false;
#endif
}

bool direct_bypasses_cache() { return true; }

}  // namespace bench
