#include "device/sidecar.hpp"

#if defined(__linux__)

#  include <fcntl.h>
#  include <linux/membarrier.h>
#  include <sys/file.h>
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
#  include "device/posix/sidecar_file.hpp"
#  include "device/posix/system.hpp"

namespace leat {
inline namespace v0 {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

namespace {

/// What a call that takes a lock without waiting has returned.
locked locked_by(int result, std::error_code& ec) noexcept {
  ec.clear();
  if (result == 0) return locked::by_us;
  if (errno == EWOULDBLOCK || errno == EAGAIN || errno == EACCES) return locked::by_others;
  ec = last_error();
  return locked::failed;
}

}  // namespace

locked lock_writer(int sidecar, std::error_code& ec) noexcept {
  return locked_by(uninterrupted([&] { return ::flock(sidecar, LOCK_EX | LOCK_NB); }), ec);
}

locked lock_sign(int sidecar, short type, std::error_code& ec) noexcept {
  struct flock what{};
  what.l_type = type;
  what.l_whence = SEEK_SET;
  what.l_len = 1;
  return locked_by(uninterrupted([&] { return ::fcntl(sidecar, F_OFD_SETLK, &what); }), ec);
}

bool lock_turn(int sidecar, short type) noexcept {
  const no_cancel guard;
  struct flock what{};
  what.l_type = type;
  what.l_whence = SEEK_SET;
  what.l_start = 1;
  what.l_len = 1;
  return uninterrupted([&] { return ::fcntl(sidecar, F_OFD_SETLKW, &what); }) == 0;
}

boot_id this_boot(std::error_code& ec) noexcept {
  boot_id id{};
  ec.clear();
  const held_descriptor from(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  if (from.get() < 0)
    ec = errno == ENOENT ? std::make_error_code(std::errc::operation_not_supported) : last_error();
  else if (read_fully(from.get(), 0, id.data(), 36, ec) != 36 && !ec)
    ec = std::make_error_code(std::errc::operation_not_supported);
  return id;
}

int open_again(int file, std::error_code& ec) noexcept {
  return open_descriptor(name_of_open(file).text, O_RDWR, 0, ec);
}

std::string path_of_sidecar(path_ref path, const struct stat& status, int file,
                            std::error_code& ec) {
  ec.clear();
  if (status.st_nlink == 0) return {};
  char name[4096];
  const ssize_t n = ::readlink(name_of_open(file).text, name, sizeof name);
  if (n > 0 && static_cast<std::size_t>(n) < sizeof name)
    return std::string(name, static_cast<std::size_t>(n)) + ".leat";
  if (n < 0 && errno != ENOENT) {  // otherwise there is no /proc
    ec = last_error();
    return {};
  }
  return std::string(path.view()) + ".leat";
}

std::size_t read_fully(int file, std::uint64_t at, char* into, std::size_t n,
                       std::error_code& ec) noexcept {
  ec.clear();
  std::size_t done = 0;
  while (done != n) {
    const ssize_t some = uninterrupted(
        [&] { return ::pread(file, into + done, n - done, static_cast<off_t>(at + done)); });
    if (some < 0) ec = last_error();
    if (some <= 0) break;
    done += static_cast<std::size_t>(some);
  }
  return done;
}

void end_gap(std::atomic<std::uint64_t>& at, int file, std::error_code& ec) noexcept {
  struct stat status{};
  ec.clear();
  if (::fstat(file, &status) != 0)
    ec = last_error();
  else if (static_cast<std::uint64_t>(status.st_size) < at.load())
    at.store(static_cast<std::uint64_t>(status.st_size));
}

void put_in_place(int file, std::uint64_t at, std::string_view bytes,
                  std::error_code& ec) noexcept {
  ec.clear();
  std::array<char, 16384> there;
  std::size_t same = 0;
  while (same != bytes.size()) {
    const std::size_t n =
        read_fully(file, at + same, there.data(), std::min(there.size(), bytes.size() - same), ec);
    if (!ec && std::memcmp(there.data(), bytes.data() + same, n) != 0) ec = errc::foreign_sidecar;
    if (ec) return;
    if (n == 0) break;
    same += n;
  }
  while (same != bytes.size()) {
    const ssize_t n = uninterrupted([&] {
      return ::pwrite(file, bytes.data() + same, bytes.size() - same,
                      static_cast<off_t>(at + same));
    });
    if (n <= 0) {
      ec = n < 0 ? last_error() : make_error_code(errc::no_progress);
      return;
    }
    same += static_cast<std::size_t>(n);
  }
}

std::uint32_t decide(sidecar_header& header, std::uint32_t proposal) noexcept {
  std::uint32_t decided = sidecar_header::undecided;
  header.decided.compare_exchange_strong(decided, proposal);
  return decided == sidecar_header::undecided ? proposal : decided;
}

void order_all_threads() noexcept {
  if (::syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) == 0) return;
  // No processor keeps a store for itself as long as this.
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

void fence(std::memory_order order) noexcept {
#  if defined(__SANITIZE_THREAD__)
  // GCC's thread sanitizer knows no fences. It sees nothing of other processes anyway.
  std::atomic_signal_fence(order);
#  else
  std::atomic_thread_fence(order);
#  endif
}

// Makes and locks the file. -1: it is not possible; `exists` tells whether there is one.
int sidecar_file::make(const std::string& path, bool& exists) noexcept {
  std::error_code ec;
  held_descriptor made(open_descriptor(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600, ec));
  exists = ec == std::errc::file_exists;
  if (made.get() < 0) return -1;
  const locked lock = lock_writer(made.get(), ec);
  if (lock == locked::failed) ::unlink(path.c_str());
  if (lock != locked::by_us || !is_name_of(AT_FDCWD, path.c_str(), made.get(), ec)) {
    exists = !ec;  // somebody has taken it for what a killed process left
    return -1;
  }
  if (take_space(made.get(), 0, size_alone)) return made.release();
  ::unlink(path.c_str());
  return -1;
}

bool sidecar_file::take_space(int file, std::size_t from, std::size_t to) noexcept {
  static constexpr std::array<char, 4096> zeros{};
  std::array<iovec, size_with_lanes / zeros.size()> pieces;
  pieces.fill({const_cast<char*>(zeros.data()), zeros.size()});  // pwritev only reads
  const ssize_t taken = uninterrupted([&] {
    return ::pwritev(file, pieces.data(), static_cast<int>((to - from) / zeros.size()),
                     static_cast<off_t>(from));
  });
  return taken == static_cast<ssize_t>(to - from);
}

// Fills the header of a new sidecar. Null if the file can't be mapped.
std::unique_ptr<sidecar> sidecar_file::start(held_descriptor& made, held_descriptor& whole,
                                             const std::string& name, const device& file,
                                             const struct stat& status, const boot_id& boot) {
  mapping map(made.get(), size_alone, mapping::access::write);
  if (!map) {
    ::unlink(name.c_str());
    return nullptr;
  }
  auto& header = *new (map.data()) sidecar_header{};
  header.version = sidecar_header::this_version;
  header.window = sidecar::window_size;
  std::copy(boot.begin(), boot.end(), header.boot);
  header.identity[0] = status.st_dev;
  header.identity[1] = status.st_ino;
  header.decided.store(sidecar_header::undecided);
  auto result = own(made, whole, name, std::move(map), file.traits().appends, true);
  result->begin_at(file.position());
  header.magic.store(magic, std::memory_order_release);
  return result;
}

std::unique_ptr<sidecar> sidecar_file::own(held_descriptor& lock, held_descriptor& whole,
                                           const std::string& name, mapping map, bool appends,
                                           bool alone) {
  std::unique_ptr<sidecar> result(
      new sidecar(lock.get(), whole.get(), name, std::move(map), appends, alone));
  static_cast<void>(lock.release());
  static_cast<void>(whole.release());
  return result;
}

std::unique_ptr<sidecar> sidecar_file::open(path_ref path, const device& file) {
  const int descriptor = file.native_handle();
  struct stat status{};
  if (descriptor < 0 || !file.traits().positional || ::fstat(descriptor, &status) != 0 ||
      !S_ISREG(status.st_mode))
    return nullptr;
  std::error_code ec;
  const std::string name = path_of_sidecar(path, status, descriptor, ec);
  if (name.empty()) return nullptr;
  const boot_id boot = this_boot(ec);
  if (ec) return nullptr;
  held_descriptor whole(open_again(descriptor, ec));
  if (ec) return nullptr;
  for (int attempt = 0; attempt != 100; ++attempt) {
    bool exists = false;
    held_descriptor made(make(name, exists));
    if (made.get() >= 0) return start(made, whole, name, file, status, boot);
    if (!exists) return nullptr;
    // Others have the file open. After settling, the sidecar is a sign that it is shared.
    settle_sidecar(path, descriptor, settling::replay, ec);
    if (ec) return nullptr;
    held_descriptor sign(open_descriptor(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0, ec));
    if (sign.get() < 0 || lock_sign(sign.get(), F_RDLCK, ec) != locked::by_us ||
        !is_name_of(AT_FDCWD, name.c_str(), sign.get(), ec)) {
      if (ec && ec != std::errc::no_such_file_or_directory) return nullptr;
      continue;
    }
    mapping map = sidecar_file::map(sign.get(), ec);
    if (map && of(map).shared.load() != 0)
      return own(sign, whole, name, std::move(map), file.traits().appends, false);
  }
  return nullptr;
}

mapping sidecar_file::map(int descriptor, std::error_code& ec, mapping::access how) {
  struct stat status{};
  ec = errc::bad_sidecar;
  // A writer that makes lanes may be stopped on the way.
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size < static_cast<off_t>(size_alone) ||
      status.st_size > static_cast<off_t>(size_with_lanes))
    return {};
  const bool lanes = status.st_size == static_cast<off_t>(size_with_lanes);
  mapping map(descriptor, lanes ? size_with_lanes : size_alone, how);
  if (!map) {
    ec = std::make_error_code(std::errc::not_enough_memory);
    return {};
  }
  const sidecar_header& header = of(map);
  const std::size_t window = header.window;
  if (header.magic.load(std::memory_order_acquire) != magic ||
      header.version != sidecar_header::this_version || window != sidecar::window_size ||
      header.count.load() > window ||
      (header.decided.load() != sidecar_header::undecided &&
       header.decided.load() > std::max(window, lanes_size)))
    return {};
  ec.clear();
  return map;
}

void sidecar_file::complete_turn(mapping& map, int file, std::error_code& ec) noexcept {
  const no_cancel guard;
  sidecar_header& header = of(map);
  const std::size_t size = std::min<std::size_t>(header.turn_size.load(), sidecar::longest_turn);
  ec.clear();
  if (size != 0) {
    end_gap(header.turn_at, file, ec);
    if (!ec)
      put_in_place(file, header.turn_at.load(), map.view().substr(sidecar::turn_at, size), ec);
    if (ec == errc::foreign_sidecar)
      ec.clear();  // others have written behind the part that is there
    if (ec) return;
  }
  header.turn_size.store(0);
}

}  // namespace v0
}  // namespace leat

#endif
