// The sidecar as a file: its name, its locks, its header, and how its bytes get into the file.
// Called by the other files of this folder. Linux only.
#include "recovery/sidecar.hpp"

#if defined(__linux__)

#  include <fcntl.h>
#  include <linux/fs.h>
#  include <linux/membarrier.h>
#  include <sys/file.h>
#  include <sys/ioctl.h>
#  include <sys/stat.h>
#  include <sys/syscall.h>
#  include <sys/uio.h>
#  include <unistd.h>

#  include <algorithm>
#  include <chrono>
#  include <cstring>
#  include <new>
#  include <thread>
#  include <utility>

#  include "base/no_cancel.hpp"
#  include "device/follow_system.hpp"
#  include "device/posix/system.hpp"
#  include "recovery/posix/sidecar_file.hpp"

namespace leat {
inline namespace v0 {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

namespace {

/// Translates the result of a call that takes a lock without waiting.
lock_result lock_result_of(int result, std::error_code& ec) noexcept {
  ec.clear();
  if (result == 0) return lock_result::acquired;
  if (errno == EWOULDBLOCK || errno == EAGAIN || errno == EACCES)
    return lock_result::held_by_others;
  ec = system_code();
  return lock_result::failed;
}

/// True if the sidecar's name is the last component of this path plus an ending.
bool is_sidecar_of(const sidecar_location& where, std::string_view path) noexcept {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return std::string_view(where.name).substr(0, where.name.rfind('.')) == name;
}

/// Appends the bytes to a file that is open to append. Returns the number of written bytes. If a
/// write fails, sets `ec`.
std::size_t append_all(int file, std::string_view bytes, std::error_code& ec) noexcept {
  std::size_t done = 0;
  while (done != bytes.size()) {
    const ssize_t n =
        retry_on_eintr([&] { return ::write(file, bytes.data() + done, bytes.size() - done); });
    if (n <= 0) {
      ec = n < 0 ? system_code() : make_error_code(errc::no_progress);
      break;
    }
    done += static_cast<std::size_t>(n);
  }
  return done;
}

}  // namespace

lock_result lock_writer(int sidecar, std::error_code& ec) noexcept {
  return lock_result_of(retry_on_eintr([&] { return ::flock(sidecar, LOCK_EX | LOCK_NB); }), ec);
}

bool has_living_writer(int sidecar) noexcept {
  if (::flock(sidecar, LOCK_SH | LOCK_NB) != 0) return true;
  ::flock(sidecar, LOCK_UN);
  return false;
}

lock_result lock_sharing(int sidecar, short type, std::error_code& ec) noexcept {
  struct flock request{};
  request.l_type = type;
  request.l_whence = SEEK_SET;
  request.l_len = 1;
  return lock_result_of(retry_on_eintr([&] { return ::fcntl(sidecar, F_OFD_SETLK, &request); }),
                        ec);
}

bool lock_calls(int sidecar, short type) noexcept {
  const no_cancel guard;
  struct flock request{};
  request.l_type = type;
  request.l_whence = SEEK_SET;
  request.l_start = 1;
  request.l_len = 1;
  return retry_on_eintr([&] { return ::fcntl(sidecar, F_OFD_SETLKW, &request); }) == 0;
}

boot_id this_boot(std::error_code& ec) noexcept {
  boot_id id{};
  ec.clear();
  const unique_descriptor from(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  if (from.get() < 0)
    ec = errno == ENOENT ? std::make_error_code(std::errc::operation_not_supported) : system_code();
  else if (read_fully(from.get(), 0, id.data(), 36, ec) != 36 && !ec)
    ec = std::make_error_code(std::errc::operation_not_supported);
  return id;
}

int reopen_to_append(int file, std::error_code& ec) noexcept {
  return open_descriptor(proc_fd_path(file).text, O_RDWR | O_APPEND, 0, ec);
}

sidecar_location locate_sidecar(const opened_path& path, const struct stat& status, int file,
                                std::error_code& ec) {
  ec.clear();
  if (path.is_inside || status.st_nlink == 0) return {};
  constexpr int most_attempts = 10;  // the file may be moved between two attempts
  for (int attempt = 0; attempt != most_attempts; ++attempt) {
    char text[4096];
    const ssize_t n = ::readlink(proc_fd_path(file).text, text, sizeof text);
    if (n < 0 && errno != ENOENT) {
      ec = system_code();
      return {};
    }
    // Without /proc, use the given path. File systems in user space may make a new directory entry
    // (dentry) for the same name at any time. Then the open file's own entry counts as deleted, but
    // the file still has the name.
    std::string_view whole =
        n < 0 ? path.text : std::string_view(text, static_cast<std::size_t>(n));
    constexpr std::string_view deleted = " (deleted)";
    for (bool first = true; first || whole.ends_with(deleted); first = false) {
      if (!first) whole.remove_suffix(deleted.size());
      sidecar_location where;
      where.folder =
          unique_descriptor(open_at(AT_FDCWD, folder_of(whole).c_str(), lookup_flags, 0));
      if (where.folder.get() < 0 && errno != ENOENT && errno != ENOTDIR) {
        ec = system_code();
        return {};
      }
      where.name = whole.substr(whole.rfind('/') + 1);
      if (where.folder.get() >= 0 && (where.is_name_of(file, ec) || n < 0)) {
        where.name += ".leat";
        return where;
      }
      if (ec) return {};
    }
  }
  return {};
}

int open_sidecar(const sidecar_location& where, int flags, std::error_code& ec) noexcept {
  const int found =
      open_at(where.folder.get(), where.name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK, 0);
  // A file's name may be too long for a sidecar.
  ec = found >= 0 || errno == ENOENT || errno == ENAMETOOLONG ? std::error_code{} : system_code();
  return found;
}

bool is_trusted(int sidecar, const struct stat& file) noexcept {
  struct stat status{};
  return get_status(sidecar, status) == 0 && S_ISREG(status.st_mode) &&
         (status.st_uid == ::geteuid() || status.st_uid == file.st_uid) &&
         (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

bool sidecar_location::is_name_of(int file, std::error_code& ec) const noexcept {
  return v0::is_name_of(folder.get(), name.c_str(), file, ec);
}

void sidecar_location::remove() const noexcept { ::unlinkat(folder.get(), name.c_str(), 0); }

file_identity identity_of(const struct stat& status, int file) noexcept {
  long generation = 0;  // the system fills an int or the whole long
  if (::ioctl(file, FS_IOC_GETVERSION, &generation) != 0) generation = 0;
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(generation)};
}

bool belongs_to(const sidecar_header& header, const file_identity& file) noexcept {
  const std::uint64_t generation = header.identity[2].load();
  return header.identity[0].load() == file[0] && header.identity[1].load() == file[1] &&
         (generation == file[2] || generation == 0 || file[2] == 0);
}

std::size_t read_fully(int file, std::uint64_t at, char* into, std::size_t n,
                       std::error_code& ec) noexcept {
  ec.clear();
  std::size_t done = 0;
  while (done != n) {
    const ssize_t some = retry_on_eintr(
        [&] { return ::pread(file, into + done, n - done, static_cast<off_t>(at + done)); });
    if (some < 0) ec = system_code();
    if (some <= 0) break;
    done += static_cast<std::size_t>(some);
  }
  return done;
}

void clamp_to_end(std::atomic<std::uint64_t>& at, int file, std::error_code& ec) noexcept {
  struct stat status{};
  ec.clear();
  if (get_status(file, status) != 0)
    ec = system_code();
  else if (static_cast<std::uint64_t>(status.st_size) < at.load())
    at.store(static_cast<std::uint64_t>(status.st_size));
}

std::size_t match_or_append(int file, std::uint64_t at, std::string_view bytes,
                            std::error_code& ec) noexcept {
  ec.clear();
  std::array<char, 16384> existing;
  std::size_t same = 0;
  while (same != bytes.size()) {
    const std::size_t n = read_fully(file, at + same, existing.data(),
                                     std::min(existing.size(), bytes.size() - same), ec);
    if (!ec && std::memcmp(existing.data(), bytes.data() + same, n) != 0)
      ec = errc::foreign_sidecar;
    if (ec) return 0;
    if (n == 0) break;
    same += n;
  }
  return same + append_all(file, bytes.substr(same), ec);
}

std::uint32_t decide(sidecar_header& header, std::uint32_t proposal) noexcept {
  std::uint32_t decided = sidecar_header::undecided;
  header.decided.compare_exchange_strong(decided, proposal);
  return decided == sidecar_header::undecided ? proposal : decided;
}

void barrier_for_all_threads() noexcept {
  if (::syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) == 0) return;
  // No processor delays a store for 10 ms.
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

void fence(std::memory_order order) noexcept {
#  if defined(__SANITIZE_THREAD__)
  // GCC's thread sanitizer knows no fences, and sees nothing of other processes.
  std::atomic_signal_fence(order);
#  else
  std::atomic_thread_fence(order);
#  endif
}

// Makes, locks and fills the file. The name comes last, so a file that has the name is complete.
// Returns an empty descriptor on failure. `exists`: there is a file of this name.
unique_descriptor sidecar_file::make(const sidecar_location& where, const header_values& values,
                                     mapping& map, bool& exists) noexcept {
  struct stat status{};
  exists = ::fstatat(where.folder.get(), where.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (exists) return {};
  unique_descriptor created(open_at(where.folder.get(), ".", O_TMPFILE | O_RDWR, 0600));
  std::error_code ec;
  if (created.get() < 0 || lock_writer(created.get(), ec) != lock_result::acquired ||
      !allocate_zeros(created.get(), 0, size_without_thread_buffers))
    return {};
  map = mapping(created.get(), size_without_thread_buffers, mapping::access::write);
  if (!map) return {};
  auto& header = *new (map.data()) sidecar_header{};
  header.magic = magic;
  header.version = sidecar_header::this_version;
  header.buffer_size = sidecar::buffer_size;
  std::copy(values.boot.begin(), values.boot.end(), header.boot);
  for (std::size_t i = 0; i != values.identity.size(); ++i)
    header.identity[i].store(values.identity[i]);
  header.follows = values.kind == sidecar::writer::follows ? 1 : 0;
  header.decided.store(sidecar_header::undecided);
  if (::linkat(AT_FDCWD, proc_fd_path(created.get()).text, where.folder.get(), where.name.c_str(),
               AT_SYMLINK_FOLLOW) == 0)
    return created;
  exists = errno == EEXIST;
  return {};
}

bool sidecar_file::allocate_zeros(int file, std::size_t from, std::size_t to) noexcept {
  static constexpr std::array<char, 4096> zeros{};
  std::array<iovec, size_with_thread_buffers / zeros.size()> pieces;
  pieces.fill({const_cast<char*>(zeros.data()), zeros.size()});  // pwritev only reads
  const ssize_t taken = retry_on_eintr([&] {
    return ::pwritev(file, pieces.data(), static_cast<int>((to - from) / zeros.size()),
                     static_cast<off_t>(from));
  });
  return taken == static_cast<ssize_t>(to - from);
}

std::unique_ptr<sidecar> sidecar_file::make_sidecar(unique_descriptor& descriptor,
                                                    unique_descriptor& append_file,
                                                    sidecar_location& where, mapping map,
                                                    bool appends, bool alone) {
  std::unique_ptr<sidecar> result(new sidecar(descriptor.get(), append_file.get(),
                                              where.folder.get(), std::move(where.name),
                                              std::move(map), appends, alone));
  for (unique_descriptor* const one : {&descriptor, &append_file, &where.folder})
    static_cast<void>(one->release());
  return result;
}

std::unique_ptr<sidecar> sidecar_file::open(const opened_path& path, const device& file,
                                            sidecar::writer kind) {
  const int descriptor = file.native_handle();
  struct stat status{};
  if (path.is_inside || descriptor < 0 || !file.traits().positional ||
      get_status(descriptor, status) != 0 || !S_ISREG(status.st_mode))
    return nullptr;
  std::error_code ec;
  sidecar_location where = locate_sidecar(path, status, descriptor, ec);
  if (where.name.empty()) return nullptr;
  // A tool has just moved the log. No process would look for a sidecar next to the moved file.
  if (kind == sidecar::writer::follows && !is_sidecar_of(where, path.text)) return nullptr;
  const boot_id boot = this_boot(ec);
  if (ec) return nullptr;
  unique_descriptor append_file(reopen_to_append(descriptor, ec));
  if (ec) return nullptr;
  const file_identity identity = identity_of(status, descriptor);
  constexpr int most_attempts = 1000;
  // Recovery removes a sidecar of another file. If such a sidecar stays, the system has refused the
  // removal.
  constexpr int most_refused = 10;
  int refused = 0;
  for (int attempt = 0; attempt != most_attempts; ++attempt) {
    if (attempt != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    bool exists = false;
    mapping map;
    unique_descriptor created = make(where, {boot, identity, kind}, map, exists);
    if (created.get() >= 0) {
      auto result =
          make_sidecar(created, append_file, where, std::move(map), file.traits().appends, true);
      result->restart_at(file.position());
      return result;
    }
    if (!exists) return nullptr;
    // Other processes may have the file open. If the sidecar is still there after the recovery, the
    // sidecar is a sign that the file is shared.
    recover_sidecar(path, descriptor, recovery_mode::replay, ec);
    if (ec) return nullptr;
    unique_descriptor existing(
        open_at(where.folder.get(), where.name.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0));
    if (existing.get() < 0) {
      if (errno == ENOENT) continue;
      return nullptr;
    }
    map = sidecar_file::map(existing.get(), ec);
    ec.clear();  // recover_sidecar() reports what is wrong
    if (map && !belongs_to(header_of(map), identity) && ++refused == most_refused) return nullptr;
    const auto is_shared = [&] {
      return map && header_of(map).shared.load() != 0 && belongs_to(header_of(map), identity);
    };
    // The lock says that the file is shared, so only a process that joins may hold it.
    if (is_shared() && lock_sharing(existing.get(), F_RDLCK, ec) == lock_result::acquired &&
        where.is_name_of(existing.get(), ec) && is_shared())
      return make_sidecar(existing, append_file, where, std::move(map), file.traits().appends,
                          false);
    if (ec) return nullptr;
  }
  return nullptr;
}

mapping sidecar_file::map(int descriptor, std::error_code& ec, mapping::access how) {
  struct stat status{};
  ec = errc::bad_sidecar;
  // A writer may have been killed while it made its thread buffers, so other sizes are possible.
  if (get_status(descriptor, status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size < static_cast<off_t>(size_without_thread_buffers) ||
      status.st_size > static_cast<off_t>(size_with_thread_buffers))
    return {};
  const bool thread_buffers = status.st_size == static_cast<off_t>(size_with_thread_buffers);
  mapping map(descriptor, thread_buffers ? size_with_thread_buffers : size_without_thread_buffers,
              how);
  if (!map) {
    ec = std::make_error_code(std::errc::not_enough_memory);
    return {};
  }
  const sidecar_header& header = header_of(map);
  const std::size_t buffer = header.buffer_size;
  if (header.magic != magic || header.version != sidecar_header::this_version ||
      buffer != sidecar::buffer_size || header.count.load() > buffer ||
      (header.decided.load() != sidecar_header::undecided &&
       header.decided.load() > std::max(buffer, thread_buffers_size)))
    return {};
  ec.clear();
  return map;
}

void sidecar_file::replay(sidecar_header& header, int file, std::string_view bytes, bool appends,
                          std::error_code& ec) noexcept {
  ec.clear();
  if (header.placed.load() != 0) return;
  const std::uint32_t before = header.placed_count.load();  // number of bytes in the file already
  bytes.remove_prefix(std::min<std::size_t>(before, bytes.size()));
  std::atomic<std::uint64_t> at = header.base.load() + before;
  clamp_to_end(at, file, ec);
  if (ec) return;
  header.base.store(at.load() - before);
  std::size_t in_file = match_or_append(file, at.load(), bytes, ec);
  if (ec == errc::foreign_sidecar && appends && header.moving.load() == 0) {
    // Processes without a sidecar may append, too. match_or_append() has appended nothing.
    struct stat status{};
    ec = get_status(file, status) == 0 ? std::error_code{} : system_code();
    if (ec) return;
    header.base.store(static_cast<std::uint64_t>(status.st_size) - before);
    in_file = append_all(file, bytes, ec);
  }
  header.placed_count.store(before + static_cast<std::uint32_t>(in_file));
  if (!ec) header.placed.store(1);
}

void sidecar_file::complete_call(mapping& map, int file, std::error_code& ec) noexcept {
  const no_cancel guard;
  sidecar_header& header = header_of(map);
  const std::size_t size = std::min<std::size_t>(header.call_size.load(), sidecar::longest_call);
  ec.clear();
  struct stat status{};
  if (size == 0 || get_status(file, status) != 0 || !belongs_to(header, identity_of(status, file)))
    return;
  clamp_to_end(header.call_at, file, ec);
  if (!ec)
    match_or_append(file, header.call_at.load(), map.view().substr(sidecar::call_at, size), ec);
  // If other processes have written after the first part of the call, the call stays incomplete.
  if (ec == errc::foreign_sidecar) ec.clear();
  if (!ec) header.call_size.store(0);
}

}  // namespace v0
}  // namespace leat

#endif
