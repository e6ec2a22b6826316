// System calls, as leat's code for POSIX systems uses them; and the functions of device/system.hpp.
#include "device/posix/system.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__linux__)
#  include <linux/magic.h>
#  include <sys/syscall.h>
#  include <sys/sysmacros.h>
#  include <sys/vfs.h>
#elif defined(__APPLE__)
#  include <crt_externs.h>
#  include <sys/random.h>  // getentropy
#else
extern "C" char** environ;  // no header declares `environ`
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>

#include "base/errno.hpp"
#include "base/no_cancel.hpp"
#include "base/over_read.hpp"
#include "device/posix/resolved_path.hpp"
#include "device/system.hpp"

namespace leat {
inline namespace v0 {

int above_standard_streams(int descriptor) noexcept {
  if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
  const int other = ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int why = errno;
  ::close(descriptor);
  errno = why;
  return other;
}

int open_at(int folder, const char* name, int flags, unsigned permissions) noexcept {
  const no_cancel guard;
  return above_standard_streams(retry_on_eintr(
      [&] { return ::openat(folder, name, flags | O_CLOEXEC, static_cast<mode_t>(permissions)); }));
}

int open_descriptor(path_ref path, int flags, unsigned permissions, std::error_code& ec) noexcept {
  const resolved_path where(path, ec);
  return ec ? no_handle : where.open(flags, permissions, ec);
}

bool wait_until_writable(native_handle_type descriptor,
                         std::chrono::milliseconds timeout) noexcept {
  const no_cancel guard;
  const auto end = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    pollfd one{descriptor, POLLOUT, 0};
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    const int n = ::poll(&one, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (n >= 0 || errno != EINTR) return n != 0;
  }
}

// Without pipe2 and dup3, a descriptor is marked to be closed on exec only after it was made. A
// program that another thread starts in between inherits the descriptor.

bool open_pipe(int (&ends)[2]) noexcept {
#if defined(__APPLE__)
  if (::pipe(ends) != 0) return false;
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  return true;
#else
  return ::pipe2(ends, O_CLOEXEC) == 0;
#endif
}

int duplicate(int descriptor, int as, bool close_on_exec) noexcept {
#if defined(__APPLE__)
  const int made = ::dup2(descriptor, as);
  if (made >= 0 && close_on_exec) ::fcntl(made, F_SETFD, FD_CLOEXEC);
  return made;
#else
  return ::dup3(descriptor, as, close_on_exec ? O_CLOEXEC : 0);
#endif
}

char** environment() noexcept {
#if defined(__APPLE__)
  return *::_NSGetEnviron();  // a shared library can't use the variable `environ`
#else
  return environ;
#endif
}

#if defined(__APPLE__)
namespace {

/// On macOS fsync leaves the bytes in the drive's cache (man 2 fsync), but F_FULLFSYNC does not.
/// Some file systems support only fsync.
int sync_fully(int descriptor) noexcept {
  const int result = ::fcntl(descriptor, F_FULLFSYNC);
  return result != 0 && errno == ENOTSUP ? ::fsync(descriptor) : result;
}

}  // namespace
#endif

void sync_file(int descriptor, std::error_code& ec) noexcept {
  ec.clear();
#if defined(__APPLE__)
  const int result = retry_on_eintr([&] { return sync_fully(descriptor); });
#else
  const int result = retry_on_eintr([&] { return ::fdatasync(descriptor); });
#endif
  if (result != 0) ec = system_code();
}

ssize_t write_at_cursor(int descriptor, std::string_view from) noexcept {
#if defined(__linux__) && !defined(LEAT_MEMORY_IS_CHECKED)  // sanitizers can't check syscall(2)
  // syscall(2) is no cancellation point. Disabling cancellation around write(2) would take two
  // atomic operations for each write, and an unbuffered stream writes each byte.
  return ::syscall(SYS_write, descriptor, from.data(), from.size());
#else
  const no_cancel guard;
  return ::write(descriptor, from.data(), from.size());
#endif
}

ssize_t write_at_cursor(int descriptor, std::span<const iovec> from) noexcept {
  if (from.size() == 1)
    return write_at_cursor(descriptor, {static_cast<char*>(from[0].iov_base), from[0].iov_len});
#if defined(__linux__) && !defined(LEAT_MEMORY_IS_CHECKED)
  return ::syscall(SYS_writev, descriptor, from.data(), static_cast<int>(from.size()));
#else
  const no_cancel guard;
  return ::writev(descriptor, from.data(), static_cast<int>(from.size()));
#endif
}

int get_status(int descriptor, struct stat& status) noexcept {
#if defined(__linux__) && defined(STATX_BASIC_STATS)
  constexpr unsigned wanted = STATX_BASIC_STATS & ~(STATX_ATIME | STATX_MTIME | STATX_CTIME);
  struct statx found;
  if (::statx(descriptor, "", AT_EMPTY_PATH, wanted, &found) != 0)
    return errno == ENOSYS || errno == EPERM  // old filters of system calls refuse statx
               ? ::fstat(descriptor, &status)
               : -1;
  status = {};
  status.st_dev = ::makedev(found.stx_dev_major, found.stx_dev_minor);
  status.st_ino = found.stx_ino;
  status.st_mode = found.stx_mode;
  status.st_nlink = found.stx_nlink;
  status.st_uid = found.stx_uid;
  status.st_gid = found.stx_gid;
  status.st_rdev = ::makedev(found.stx_rdev_major, found.stx_rdev_minor);
  status.st_size = static_cast<off_t>(found.stx_size);
  status.st_blksize = static_cast<blksize_t>(found.stx_blksize);
  status.st_blocks = static_cast<blkcnt_t>(found.stx_blocks);
  return 0;
#else
  return ::fstat(descriptor, &status);
#endif
}

bool is_name_of(int folder, const char* name, int descriptor, std::error_code& ec) noexcept {
  ec.clear();
  struct stat named{}, open{};
  if (::fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT) ec = system_code();
    return false;
  }
  if (get_status(descriptor, open) != 0) ec = system_code();
  return !ec && named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

void sync_folder(int parent, const char* name, int file, std::error_code& ec) noexcept {
  const no_cancel guard;
  const int descriptor = open_at(parent, name, O_RDONLY | O_DIRECTORY, 0);
  ec = descriptor < 0 ? system_code() : std::error_code{};
  if (ec == std::errc::permission_denied && file >= 0) {
    ec.clear();
#if defined(__linux__)
    if (retry_on_eintr([&] { return ::syncfs(file); }) != 0) ec = system_code();
#else
    sync_file(file, ec);  // on other systems, a sync of a file also syncs its name
#endif
  }
  if (descriptor < 0) return;
  // Some file systems can't sync a folder (EINVAL), and offer no other way.
#if defined(__APPLE__)
  const int result = retry_on_eintr([&] { return sync_fully(descriptor); });
#else
  const int result = retry_on_eintr([&] { return ::fsync(descriptor); });
#endif
  if (result != 0 && errno != EINVAL) ec = system_code();
  ::close(descriptor);
}

std::size_t page_size() noexcept {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

bool may_make_files_in(const char* folder) noexcept {
  return ::faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0;
}

bool is_affordable(std::uint64_t bytes) noexcept {
  // Every machine has this much memory, so no system call is needed.
  constexpr std::uint64_t always_affordable = 64 << 20;
  if (bytes <= always_affordable) return true;
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_size = ::sysconf(_SC_PAGESIZE);
  if (pages < 0 || page_size < 0) return true;  // the size of the memory is unknown
  return bytes <= static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_size) / 2;
}

std::optional<std::int64_t> page_faults() noexcept {
#if defined(RUSAGE_THREAD)
  struct rusage used{};
  if (::getrusage(RUSAGE_THREAD, &used) == 0) return used.ru_minflt + used.ru_majflt;
#endif
  return std::nullopt;
}

void set_direct([[maybe_unused]] int descriptor, [[maybe_unused]] bool direct,
                std::error_code& ec) noexcept {
#if defined(O_DIRECT)
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags >= 0 &&
      ::fcntl(descriptor, F_SETFL, direct ? flags | O_DIRECT : flags & ~O_DIRECT) == 0)
    ec.clear();
  else
    ec = system_code();
  // File systems without O_DIRECT report EINVAL, see open(2).
  if (ec == std::errc::invalid_argument)
    ec = std::make_error_code(std::errc::operation_not_supported);
#elif defined(F_NOCACHE)
  if (::fcntl(descriptor, F_NOCACHE, direct ? 1 : 0) == 0)
    ec.clear();
  else
    ec = system_code();
#else
  ec = std::make_error_code(std::errc::operation_not_supported);
#endif
}

native_handle_type direct_handle(const device& disk) noexcept { return disk.native_handle(); }

bool is_same_file(int a, int b) noexcept {
  struct stat one{}, other{};
  return get_status(a, one) == 0 && get_status(b, other) == 0 && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

namespace {

/// Returns true for a file on a file system whose files may lose bytes by a read, or make a read
/// wait. Examples: /proc/kmsg and .../tracing/trace_pipe. Such a file is not read to find out its
/// size.
bool must_not_be_probed([[maybe_unused]] int descriptor) noexcept {
#if defined(__linux__)
  struct statfs file_system{};
  if (::fstatfs(descriptor, &file_system) != 0) return false;
  const auto type = static_cast<std::uint32_t>(file_system.f_type);
  return type == PROC_SUPER_MAGIC || type == DEBUGFS_MAGIC || type == TRACEFS_MAGIC;
#else
  return false;
#endif
}

/// Returns true if the reported size is wrong: the size is 0 although a byte can be read, or the
/// size is not 0 and its last byte does not exist.
bool is_false_size(std::uint64_t size, int descriptor) noexcept {
  const no_cancel guard;
  const errno_guard kept;
  char byte;
  const auto at = static_cast<off_t>(size == 0 ? 0 : size - 1);
  const ssize_t n = retry_on_eintr([&] { return ::pread(descriptor, &byte, 1, at); });
  return size == 0 ? n > 0 : n == 0;  // if the file can't be read, the reported size is taken
}

timespec change_time(const struct stat& status) noexcept {
#if defined(__APPLE__)
  return status.st_ctimespec;
#else
  return status.st_ctim;
#endif
}

}  // namespace

std::uint64_t end_by_seek(int descriptor, std::error_code& ec) noexcept {
  const off_t before = ::lseek(descriptor, 0, SEEK_CUR);
  const off_t end = before < 0 ? -1 : ::lseek(descriptor, 0, SEEK_END);
  if (end < 0 || ::lseek(descriptor, before, SEEK_SET) < 0) {
    ec = system_code();
    return 0;
  }
  ec.clear();
  return static_cast<std::uint64_t>(end);
}

std::uint64_t size_of_file(int descriptor, struct stat status, std::error_code& ec) noexcept {
  ec.clear();
  constexpr int most_tries = 20;  // for a file that other processes change meanwhile
  int equal_checks = 0;
  for (int tries = 0; tries != most_tries; ++tries) {
    const auto size = static_cast<std::uint64_t>(status.st_size);
    // A file with blocks has its true size. A file without blocks may have a made-up size, as in
    // /proc. Such a file may also be empty, or be one hole.
    if (status.st_blocks != 0) return size;
    const bool unknown = size == 0 && must_not_be_probed(descriptor);
    if (!unknown && !is_false_size(size, descriptor)) return size;
    struct stat now{};
    if (::fstat(descriptor, &now) != 0) {
      ec = system_code();
      return 0;
    }
    // The time of the last change shows a change of a file that has the same size again.
    const timespec before = change_time(status), after = change_time(now);
    const bool same = now.st_size == status.st_size && now.st_blocks == status.st_blocks &&
                      before.tv_sec == after.tv_sec && before.tv_nsec == after.tv_nsec;
    // The time of the last change has steps of some milliseconds, so one check can miss a change.
    equal_checks = same ? equal_checks + 1 : 0;
    if (unknown || equal_checks == 3) break;
    status = now;
  }
  ec = std::make_error_code(std::errc::operation_not_supported);
  return 0;
}

std::string random_name() {
  static constexpr char alphabet[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::uint64_t number;
  // Without random numbers the name is easier to guess. But the caller's O_EXCL makes sure that no
  // other process has made the file.
  if (::getentropy(&number, sizeof number) != 0)
    number =
        static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) *
        static_cast<std::uint64_t>(::getpid());
  std::string name(8, ' ');
  for (char& c : name) {
    c = alphabet[number % (sizeof alphabet - 1)];
    number /= sizeof alphabet - 1;
  }
  return name;
}

#if defined(MADV_WIPEONFORK)
namespace {

/// Returns the address of a number that is 0 in each new process, whichever system call has made
/// the process. If the system can't clear memory at a fork, returns null.
std::atomic<process_id>* make_process_id_cache() noexcept {
  void* const memory =
      ::mmap(nullptr, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (::madvise(memory, page_size(), MADV_WIPEONFORK) == 0)
    return new (memory) std::atomic<process_id>(0);
  ::munmap(memory, page_size());
  return nullptr;
}

}  // namespace
#endif

process_id this_process() noexcept {
#if defined(MADV_WIPEONFORK)
  // getpid() is called once in each process.
  static std::atomic<process_id>* const cached_id = make_process_id_cache();
  if (cached_id != nullptr) {
    process_id id = cached_id->load(std::memory_order_relaxed);
    if (id == 0) cached_id->store(id = ::getpid(), std::memory_order_relaxed);
    return id;
  }
#endif
  return ::getpid();
}

}  // namespace v0
}  // namespace leat
