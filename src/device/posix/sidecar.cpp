#include "device/sidecar.hpp"

#if defined(__linux__)

#  include <fcntl.h>
#  include <linux/membarrier.h>
#  include <sys/file.h>
#  include <sys/stat.h>
#  include <sys/syscall.h>
#  include <unistd.h>

#  include <algorithm>
#  include <array>
#  include <bit>
#  include <chrono>
#  include <cstring>
#  include <new>
#  include <thread>
#  include <utility>

#  include "base/loss.hpp"
#  include "base/no_cancel.hpp"
#  include "device/posix/place.hpp"
#  include "device/posix/system.hpp"

namespace leat {
inline namespace v0 {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

namespace {

constexpr std::uint64_t magic =
    std::bit_cast<std::uint64_t>(std::array<char, 8>{'l', 'e', 'a', 't', ' ', 's', 'i', 'd'});

/// The lock of the one writer whose bytes wait in the sidecar.
bool lock_writer(int sidecar) noexcept {
  return uninterrupted([&] { return ::flock(sidecar, LOCK_EX | LOCK_NB); }) == 0;
}

/// The lock of those who share the file: F_RDLCK. With F_WRLCK one sees that there is none. It does
/// not meet the lock above.
bool lock_sign(int sidecar, short type) noexcept {
  struct flock what{};
  what.l_type = type;
  what.l_whence = SEEK_SET;
  what.l_len = 1;
  return ::fcntl(sidecar, F_OFD_SETLK, &what) == 0;
}

/// The lock of a turn. Waits for it, or gives it back.
bool lock_turn(int sidecar, short type) noexcept {
  const no_cancel guard;
  struct flock what{};
  what.l_type = type;
  what.l_whence = SEEK_SET;
  what.l_start = 1;
  what.l_len = 1;
  return uninterrupted([&] { return ::fcntl(sidecar, F_OFD_SETLKW, &what); }) == 0;
}

/// Which run of the system this is. Empty where the system does not tell.
std::array<char, 40> this_boot() noexcept {
  std::array<char, 40> id{};
  const held_descriptor from(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  if (from.get() < 0 || ::read(from.get(), id.data(), 36) != 36) id = {};
  return id;
}

/// Opens an open file a second time, to read and write it at any position.
int open_again(int file, std::error_code& ec) noexcept {
  char path[32];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  return open_descriptor(path, O_RDWR, 0, ec);
}

/// Where the sidecar of an open file is: beside the file itself, not beside a link to it. Empty if
/// the file has no name any more.
std::string path_of_sidecar(path_ref path, const struct stat& status, int file) {
  if (status.st_nlink == 0) return {};
  char link[32];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  char name[4096];
  const ssize_t n = ::readlink(link, name, sizeof name);
  if (n > 0 && static_cast<std::size_t>(n) < sizeof name)
    return std::string(name, static_cast<std::size_t>(n)) + ".leat";
  return std::string(path.view()) + ".leat";
}

/// Somebody may have made the file shorter than where bytes are to go. A plain write would have
/// gone to its end. The new place is kept, so that bytes of which a part is there go nowhere else.
void end_gap(std::atomic<std::uint64_t>& at, int file) noexcept {
  struct stat status{};
  if (::fstat(file, &status) == 0 && static_cast<std::uint64_t>(status.st_size) < at.load())
    at.store(static_cast<std::uint64_t>(status.st_size));
}

std::size_t read_fully(int file, std::uint64_t at, char* into, std::size_t n) noexcept {
  std::size_t done = 0;
  while (done != n) {
    const ssize_t some = uninterrupted(
        [&] { return ::pread(file, into + done, n - done, static_cast<off_t>(at + done)); });
    if (some <= 0) break;
    done += static_cast<std::size_t>(some);
  }
  return done;
}

/// Makes sure that the file has these bytes at `at`. It may have some of the first ones already.
/// errc::foreign_sidecar: it has others there, which somebody else has written.
void put_in_place(int file, std::uint64_t at, std::string_view bytes,
                  std::error_code& ec) noexcept {
  ec.clear();
  std::array<char, 16384> there;
  std::size_t same = 0;
  while (same != bytes.size()) {
    const std::size_t n =
        read_fully(file, at + same, there.data(), std::min(there.size(), bytes.size() - same));
    if (n == 0) break;
    if (std::memcmp(there.data(), bytes.data() + same, n) != 0) {
      ec = errc::foreign_sidecar;
      return;
    }
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

/// After this, each thread of the system sees what this one has stored before, or has made its own
/// next store visible before it reads.
void order_all_threads() noexcept {
  if (::syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) == 0) return;
  // No processor keeps a store for itself as long as this.
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

/// GCC's thread sanitizer knows no fences. It sees nothing of other processes anyway.
void fence(std::memory_order order) noexcept {
#  if defined(__SANITIZE_THREAD__)
  std::atomic_signal_fence(order);
#  else
  std::atomic_thread_fence(order);
#  endif
}

/// How many of the waiting bytes belong at the header's `base`. Whoever asks first decides.
std::uint32_t decide(sidecar_header& header, std::uint32_t proposal) noexcept {
  std::uint32_t decided = sidecar_header::undecided;
  header.decided.compare_exchange_strong(decided, proposal);
  return decided == sidecar_header::undecided ? proposal : decided;
}

}  // namespace

// The writer

sidecar::sidecar(int lock, int file, std::string path, mapping map, bool appends,
                 bool alone) noexcept
    : lock_(lock),
      file_(file),
      path_(std::move(path)),
      map_(std::move(map)),
      appends_(appends),
      alone_(alone),
      used_(alone ? 0 : window_size) {}

sidecar::~sidecar() {
  const no_cancel guard;
  if (alone_ && !of_parent_) header().count.store(0);
  std::error_code unknown;  // then it stays, and holds nothing
  if (!of_parent_ && lock_writer(lock_) && lock_sign(lock_, F_WRLCK) &&
      is_name_of(AT_FDCWD, path_.c_str(), lock_, unknown))
    ::unlink(path_.c_str());
  map_ = {};
  ::close(lock_);
  ::close(file_);
}

void sidecar::leave_to_parent() noexcept { of_parent_ = true; }

void sidecar::begin_at(std::uint64_t position, std::size_t kept) noexcept {
  if (!alone_) return;
  struct stat status{};
  if (appends_ && ::fstat(file_, &status) == 0)
    position = static_cast<std::uint64_t>(status.st_size);
  char* const window = map_.data() + window_at;
  header().count.store(0, std::memory_order_release);
  header().round.fetch_add(1, std::memory_order_relaxed);
  fence(std::memory_order_release);  // before the window changes
  header().base.store(position, std::memory_order_release);
  if (kept != 0) std::memmove(window, window + used_ - kept, kept);
  used_ = kept;
  header().count.store(static_cast<std::uint32_t>(kept), std::memory_order_release);
  header().moving.store(0, std::memory_order_release);
}

bool sidecar::begin_moving() noexcept {
  header().moving.store(1);
  if (header().shared.load() == 0) return true;
  header().moving.store(0);
  return false;
}

std::size_t sidecar::withdraw(std::error_code& ec) noexcept {
  const no_cancel guard;
  const std::uint32_t size = decide(header(), static_cast<std::uint32_t>(used_));
  put_in_place(file_, header().base.load(), waiting().substr(0, size), ec);
  lock_sign(lock_, F_RDLCK);
  alone_ = false;
  used_ = window_size;
  if (!ec) return size;
  // Somebody who knows nothing of sidecars has written there: the bytes go behind theirs.
  if (ec == errc::foreign_sidecar) ec.clear();
  return 0;
}

/// Making and reading the file.
struct sidecar_file {
  static constexpr std::size_t window_size = sidecar::window_size;
  static constexpr std::size_t whole_size = sidecar::turn_at + sidecar::longest_turn;

  /// Makes and locks the file. -1: it is not possible; `exists` tells whether there is one.
  static int make(const std::string& path, bool& exists) noexcept {
    std::error_code ec;
    held_descriptor made(open_descriptor(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600, ec));
    exists = ec == std::errc::file_exists;
    if (made.get() < 0) return -1;
    if (!lock_writer(made.get()) || !is_name_of(AT_FDCWD, path.c_str(), made.get(), ec)) {
      exists = !ec;  // somebody has taken it for what a killed process left
      return -1;
    }
    // All space is taken now: later, a full disk could not be reported.
    static constexpr std::array<char, 4096> zeros{};
    bool has_space = true;
    for (std::size_t at = 0; has_space && at != whole_size; at += zeros.size())
      has_space = ::pwrite(made.get(), zeros.data(), zeros.size(), static_cast<off_t>(at)) ==
                  static_cast<ssize_t>(zeros.size());
    if (has_space) return made.release();
    ::unlink(path.c_str());
    return -1;
  }

  /// Fills the header of a new sidecar. Null if the file can't be mapped.
  static std::unique_ptr<sidecar> start(held_descriptor& made, held_descriptor& whole,
                                        const std::string& name, const device& file,
                                        const struct stat& status) {
    mapping map(made.get(), whole_size, mapping::access::write);
    if (!map) {
      ::unlink(name.c_str());
      return nullptr;
    }
    auto& header = *new (map.data()) sidecar_header{};
    header.version = sidecar_header::this_version;
    header.window = sidecar::window_size;
    const auto boot = this_boot();
    std::copy(boot.begin(), boot.end(), header.boot);
    header.identity[0] = status.st_dev;
    header.identity[1] = status.st_ino;
    header.decided.store(sidecar_header::undecided);
    auto result = own(made, whole, name, std::move(map), file.traits().appends, true);
    result->begin_at(file.position());
    header.magic.store(magic, std::memory_order_release);
    return result;
  }

  static std::unique_ptr<sidecar> own(held_descriptor& lock, held_descriptor& whole,
                                      const std::string& name, mapping map, bool appends,
                                      bool alone) {
    std::unique_ptr<sidecar> result(
        new sidecar(lock.get(), whole.get(), name, std::move(map), appends, alone));
    static_cast<void>(lock.release());
    static_cast<void>(whole.release());
    return result;
  }

  static std::unique_ptr<sidecar> open(path_ref path, const device& file) {
    const int descriptor = file.native_handle();
    struct stat status{};
    if (descriptor < 0 || !file.traits().positional || ::fstat(descriptor, &status) != 0 ||
        !S_ISREG(status.st_mode))
      return nullptr;
    const std::string name = path_of_sidecar(path, status, descriptor);
    if (name.empty() || this_boot()[0] == '\0') return nullptr;
    std::error_code ec;
    held_descriptor whole(open_again(descriptor, ec));
    if (ec) return nullptr;
    for (int attempt = 0; attempt != 100; ++attempt) {
      bool exists = false;
      held_descriptor made(make(name, exists));
      if (made.get() >= 0) return start(made, whole, name, file, status);
      if (!exists) return nullptr;
      // Others have the file open. After settling, the sidecar is a sign that it is shared.
      settle_sidecar(path, file, settling::replay, ec);
      if (ec) return nullptr;
      held_descriptor sign(open_descriptor(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0, ec));
      if (sign.get() < 0 || !lock_sign(sign.get(), F_RDLCK) ||
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

  /// The sidecar of somebody else, mapped. Empty, with `ec` set, if it is none of this version.
  static mapping map(int descriptor, std::error_code& ec,
                     mapping::access how = mapping::access::write) {
    struct stat status{};
    ec = errc::bad_sidecar;
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
        static_cast<std::uint64_t>(status.st_size) != whole_size)
      return {};
    mapping map(descriptor, whole_size, how);
    if (!map) {
      ec = std::make_error_code(std::errc::not_enough_memory);
      return {};
    }
    const sidecar_header& header = of(map);
    const std::size_t window = header.window;
    if (header.magic.load(std::memory_order_acquire) != magic ||
        header.version != sidecar_header::this_version || window != sidecar::window_size ||
        header.count.load() > window ||
        (header.decided.load() != sidecar_header::undecided && header.decided.load() > window))
      return {};
    ec.clear();
    return map;
  }

  static sidecar_header& of(mapping& map) noexcept {
    return *std::launder(reinterpret_cast<sidecar_header*>(map.data()));
  }
  static const sidecar_header& of(const mapping& map) noexcept {
    return *std::launder(reinterpret_cast<const sidecar_header*>(map.view().data()));
  }

  static std::string_view window(const mapping& map, std::size_t count) noexcept {
    return map.view().substr(sidecar::window_at, count);
  }

  /// Completes the call that a killed process has begun to write. Called with the lock of turns.
  static void complete_turn(mapping& map, int file) noexcept {
    const no_cancel guard;
    sidecar_header& header = of(map);
    const std::size_t size = std::min<std::size_t>(header.turn_size.load(), sidecar::longest_turn);
    std::error_code ignored;  // others have written behind the part that is there
    if (size != 0) {
      end_gap(header.turn_at, file);
      put_in_place(file, header.turn_at.load(), map.view().substr(sidecar::turn_at, size), ignored);
    }
    header.turn_size.store(0);
  }
};

sidecar::turn::turn(sidecar* of, std::string_view bytes) noexcept
    : of_(of != nullptr && !of->alone_ && of->appends_ && lock_turn(of->lock_, F_WRLCK) ? of
                                                                                        : nullptr),
      size_(bytes.size()) {
  if (of_ == nullptr) return;
  sidecar_file::complete_turn(of_->map_, of_->file_);
  struct stat status{};
  if (size_ > longest_turn || ::fstat(of_->file_, &status) != 0) return;
  std::memcpy(of_->map_.data() + turn_at, bytes.data(), size_);
  of_->header().turn_at.store(static_cast<std::uint64_t>(status.st_size));
  of_->header().turn_size.store(static_cast<std::uint32_t>(size_), std::memory_order_release);
}

sidecar::turn::~turn() {
  if (of_ == nullptr) return;
  of_->header().turn_size.store(0);
  lock_turn(of_->lock_, F_UNLCK);
}

std::unique_ptr<sidecar> sidecar::open(path_ref path, const device& file) noexcept try {
  const no_cancel guard;
  // In folders that strangers can write to, each call writes its bytes.
  return path.is_inside() ? nullptr : sidecar_file::open(path, file);
} catch (const std::bad_alloc&) {
  return nullptr;
}

// Others who open the file

namespace {

/// False if a stranger may have written the sidecar: in a folder for all, anybody can make one. Its
/// bytes would go into the file.
bool is_trusted(int sidecar, const struct stat& file) noexcept {
  struct stat status{};
  return ::fstat(sidecar, &status) == 0 && S_ISREG(status.st_mode) &&
         (status.st_uid == ::geteuid() || status.st_uid == file.st_uid) &&
         (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

/// Of a state that changes soon; a millisecond lies between two.
constexpr int most_attempts = 10'000;

/// True if the sidecar is the one of this open file.
bool belongs_to(const sidecar_header& header, const struct stat& file) noexcept {
  return header.identity[0] == file.st_dev && header.identity[1] == file.st_ino;
}

/// The header of a sidecar, whatever else is in the file.
class header_copy {
 public:
  explicit header_copy(int sidecar) noexcept {
    read_fully(sidecar, 0, bytes_.data(), bytes_.size());
  }
  const sidecar_header* operator->() const noexcept {
    return std::launder(reinterpret_cast<const sidecar_header*>(bytes_.data()));
  }
  /// No byte has waited in it yet: its writer is making it, or was killed then.
  bool is_unborn() const noexcept { return (*this)->magic.load() == 0; }
  /// The system has crashed, or was started anew, since it was made. The disk may have it in part,
  /// and nobody knows which of its bytes are right.
  bool is_stale() const noexcept {
    const auto boot = this_boot();
    return (*this)->magic.load() == magic && (*this)->version == sidecar_header::this_version &&
           std::memcmp((*this)->boot, boot.data(), sizeof sidecar_header::boot) != 0;
  }

 private:
  alignas(sidecar_header) std::array<char, sizeof(sidecar_header)> bytes_{};
};

/// Makes a living writer write by itself, and puts what waits into the file. Returns how much.
/// False in `lives`: the writer has died meanwhile.
std::uint64_t share(int sidecar, mapping& map, int file, bool& lives,
                    std::error_code& ec) noexcept {
  sidecar_header& header = sidecar_file::of(map);
  header.shared.store(1);
  order_all_threads();
  // From now on the writer sees `shared` after each call, and before it moves its window.
  for (int waited = 0; header.moving.load() != 0; ++waited) {
    lives = !lock_writer(sidecar);
    if (!lives) return 0;
    if (waited == most_attempts) {  // somebody else has the writer's lock, as a child may
      ec = std::make_error_code(std::errc::device_or_resource_busy);
      return 0;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const std::uint32_t size = decide(header, header.count.load());
  put_in_place(file, header.base.load(), sidecar_file::window(map, size), ec);
  // The writer will find this too, and writes its bytes behind the others.
  if (ec == errc::foreign_sidecar) ec.clear();
  return size;
}

/// Puts into the file what a killed process has left. Returns how much.
std::uint64_t replay(mapping& map, int file, std::error_code& ec) noexcept {
  sidecar_header& header = sidecar_file::of(map);
  // After a withdrawal only the decided bytes belong to completed calls.
  const std::uint32_t decided = header.decided.load();
  const std::uint32_t size = decided == sidecar_header::undecided ? header.count.load() : decided;
  end_gap(header.base, file);
  put_in_place(file, header.base.load(), sidecar_file::window(map, size), ec);
  if (ec) return 0;
  sidecar_file::complete_turn(map, file);
  return size;
}

enum class outcome { settled, again };

/// Settles the sidecar that is open. `again`: its state is changing.
outcome settle(path_ref path, int opened, int sidecar, const std::string& name,
               const struct stat& file, settling how, std::uint64_t& moved, std::error_code& ec) {
  if (!is_trusted(sidecar, file)) {
    ec = errc::bad_sidecar;
    return outcome::settled;
  }
  bool lives = !lock_writer(sidecar);
  if (!is_name_of(AT_FDCWD, name.c_str(), sidecar, ec))
    return ec ? outcome::settled : outcome::again;
  const header_copy header(sidecar);
  if (header.is_unborn() && lives) return outcome::again;
  if (header.is_unborn() || header.is_stale()) {
    const std::uint32_t count = header->count.load();
    if (count != 0 && how == settling::replay)
      report_loss({errc::stale_sidecar, "recover", header->base.load(),
                   std::min<std::size_t>(count, sidecar_file::window_size)},
                  path.view());
    ::unlink(name.c_str());
    return outcome::settled;
  }
  mapping map = sidecar_file::map(sidecar, ec);
  if (!map) return outcome::settled;
  if (!belongs_to(sidecar_file::of(map), file)) {
    ec = errc::foreign_sidecar;
    return outcome::settled;
  }
  const held_descriptor whole(open_again(opened, ec));
  if (ec) return outcome::settled;
  if (lives) moved = share(sidecar, map, whole.get(), lives, ec);
  // Without the writer, others may have settled the sidecar meanwhile, and made another one.
  if (!lives && !ec && !is_name_of(AT_FDCWD, name.c_str(), sidecar, ec))
    return ec ? outcome::settled : outcome::again;
  // Others may still share the file after the death of the first one.
  if (lives || ec || !lock_sign(sidecar, F_WRLCK)) return outcome::settled;
  if (how == settling::replay) moved = replay(map, whole.get(), ec);
  if (!ec) ::unlink(name.c_str());
  return outcome::settled;
}

}  // namespace

sidecar_view::~sidecar_view() { close(); }

void sidecar_view::close() noexcept {
  const no_cancel guard;
  map_ = {};
  if (const int file = std::exchange(file_, no_handle); file != no_handle) ::close(file);
}

void sidecar_view::find(path_ref path, const device& file, std::error_code& ec) noexcept try {
  const no_cancel guard;
  if (map_ && is_name_of(AT_FDCWD, path_.c_str(), file_, ec)) return;
  close();
  ec.clear();
  const int opened = file.native_handle();
  struct stat status{};
  if (path.is_inside() || opened < 0) return;
  if (::fstat(opened, &status) != 0) {
    ec = last_error();
    return;
  }
  path_ = path_of_sidecar(path, status, opened);
  if (path_.empty()) return;
  held_descriptor found(open_descriptor(path_, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0, ec));
  if (ec == std::errc::no_such_file_or_directory || ec == std::errc::filename_too_long) ec.clear();
  if (found.get() < 0) return;
  if (!is_trusted(found.get(), status)) ec = errc::bad_sidecar;
  if (ec) return;
  if (const header_copy header(found.get()); header.is_unborn() || header.is_stale()) return;
  mapping map = sidecar_file::map(found.get(), ec, mapping::access::read);
  if (!map) return;
  if (!belongs_to(sidecar_file::of(map), status)) {
    ec = errc::foreign_sidecar;
    return;
  }
  file_ = found.release();
  map_ = std::move(map);
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
}

sidecar_view::waiting sidecar_view::now() const noexcept {
  if (!map_) return {};
  const sidecar_header& header = sidecar_file::of(map_);
  for (;;) {
    const std::uint32_t round = header.round.load(std::memory_order_acquire);
    std::uint32_t count = header.count.load(std::memory_order_acquire);
    if (header.shared.load() != 0) {
      const std::uint32_t decided = header.decided.load();
      count = decided == sidecar_header::undecided ? 0 : decided;
    }
    const std::uint64_t base = header.base.load(std::memory_order_acquire);
    if (header.round.load(std::memory_order_acquire) == round)
      return {round, base, base + std::min<std::size_t>(count, header.window)};
  }
}

std::size_t sidecar_view::read(std::uint64_t at, std::span<char> into) const noexcept {
  for (;;) {
    const waiting bytes = now();
    if (at < bytes.begin || at >= bytes.end) return 0;
    const std::size_t n =
        static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), bytes.end - at));
    const std::string_view window =
        sidecar_file::window(map_, static_cast<std::size_t>(bytes.end - bytes.begin));
    std::memcpy(into.data(), window.data() + (at - bytes.begin), n);
    fence(std::memory_order_acquire);
    // Otherwise other bytes may have come into the window meanwhile.
    if (sidecar_file::of(map_).round.load(std::memory_order_relaxed) == bytes.round) return n;
  }
}

std::uint64_t sidecar_view::end(std::uint64_t size) const noexcept {
  const waiting bytes = now();
  return bytes.begin <= size ? std::max(bytes.end, size) : size;
}

std::uint64_t settle_sidecar(path_ref path, const device& file, settling how,
                             std::error_code& ec) noexcept try {
  const no_cancel guard;
  ec.clear();
  if (path.is_inside()) return 0;
  const int opened = file.native_handle();
  struct stat status{};
  if (opened < 0 || ::fstat(opened, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  const std::string name = path_of_sidecar(path, status, opened);
  if (name.empty()) return 0;
  for (int attempt = 0; attempt != most_attempts; ++attempt) {
    const held_descriptor found(open_descriptor(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0, ec));
    // A name may be too long for a sidecar.
    if (ec == std::errc::no_such_file_or_directory || ec == std::errc::filename_too_long) {
      ec.clear();
      return 0;
    }
    if (ec) return 0;
    std::uint64_t moved = 0;
    if (settle(path, opened, found.get(), name, status, how, moved, ec) == outcome::settled)
      return moved;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ec = std::make_error_code(std::errc::device_or_resource_busy);
  return 0;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return 0;
}

}  // namespace v0
}  // namespace leat

#else
#  include "device/no_sidecar.hpp"
#endif
