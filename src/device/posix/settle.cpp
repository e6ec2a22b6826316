// What others do with a sidecar: they settle it, or look at what waits.
#include "device/sidecar.hpp"

#if defined(__linux__)

#  include <fcntl.h>
#  include <sys/stat.h>
#  include <unistd.h>

#  include <algorithm>
#  include <array>
#  include <chrono>
#  include <cstring>
#  include <memory>
#  include <new>
#  include <string_view>
#  include <thread>
#  include <utility>

#  include "base/loss.hpp"
#  include "base/no_cancel.hpp"
#  include "device/posix/sidecar_file.hpp"
#  include "device/posix/system.hpp"

namespace leat {
inline namespace v0 {

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
  header_copy(int sidecar, std::error_code& ec) noexcept {
    read_fully(sidecar, 0, bytes_.data(), bytes_.size(), ec);
  }
  const sidecar_header* operator->() const noexcept {
    return std::launder(reinterpret_cast<const sidecar_header*>(bytes_.data()));
  }
  /// No byte has waited in it yet: its writer is making it, or was killed then.
  bool is_unborn() const noexcept { return (*this)->magic.load() == 0; }
  /// The system has crashed, or was started anew, since it was made. The disk may have it in part,
  /// and nobody knows which of its bytes are right.
  bool is_stale(std::error_code& ec) const noexcept {
    const boot_id boot = this_boot(ec);
    return !ec && (*this)->magic.load() == sidecar_file::magic &&
           (*this)->version == sidecar_header::this_version &&
           std::memcmp((*this)->boot, boot.data(), sizeof sidecar_header::boot) != 0;
  }

 private:
  alignas(sidecar_header) std::array<char, sizeof(sidecar_header)> bytes_{};
};

/// What waits in a sidecar, in the order of the file; of lanes, only calls older than `before`.
class content {
 public:
  content(const mapping& map, std::error_code& ec,
          std::uint64_t before = lane::all_times) noexcept {
    const sidecar_header& header = sidecar_file::of(map);
    if (header.in_lanes.load() == 0) {
      window_ = sidecar_file::window(map, sidecar_file::window_size);
      size_ = header.count.load();
      return;
    }
    const char* const lanes = sidecar_file::lanes(map);
    merged_.reset(new (std::nothrow) char[lanes_size]);
    if (lanes == nullptr) ec = errc::bad_sidecar;
    if (merged_ == nullptr) ec = std::make_error_code(std::errc::not_enough_memory);
    if (ec) return;
    size_ = merge_lanes(lanes, before, merged_.get());
    window_ = {merged_.get(), size_};
  }
  std::size_t size() const noexcept { return size_; }
  std::string_view first(std::size_t n) const noexcept { return window_.substr(0, n); }

 private:
  std::unique_ptr<char[]> merged_;
  std::string_view window_;
  std::size_t size_ = 0;
};

/// Maps the lanes, too, if the writer has made them since the sidecar was mapped.
void map_lanes(int sidecar, mapping& map, std::error_code& ec) noexcept {
  if (sidecar_file::of(map).in_lanes.load() != 0 && sidecar_file::lanes(map) == nullptr)
    map = sidecar_file::map(sidecar, ec);
  if (!ec && sidecar_file::of(map).in_lanes.load() != 0 && sidecar_file::lanes(map) == nullptr)
    ec = errc::bad_sidecar;
}

/// Waits a little for a writer that is in the middle of something. False: it has died, or it takes
/// too long.
bool wait_for_writer(int sidecar, int& waited, bool& lives, std::error_code& ec) noexcept {
  lives = lock_writer(sidecar, ec) == locked::by_others;
  if (!lives) return false;
  if (waited++ == most_attempts) {  // somebody else has the writer's lock, as a child may
    ec = std::make_error_code(std::errc::device_or_resource_busy);
    return false;
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return true;
}

/// How many bytes wait in a sidecar whose threads see that the file is shared. All calls that have
/// returned before are among them. False: as wait_for_writer().
bool count_waiting(int sidecar, mapping& map, std::uint32_t& count, bool& lives,
                   std::error_code& ec) noexcept {
  map_lanes(sidecar, map, ec);
  if (ec) return false;
  std::uint64_t before = lane::all_times;
  if (sidecar_file::of(map).in_lanes.load() != 0) {
    const char* const lanes = sidecar_file::lanes(map);
    const lane_clock clock = sidecar_file::of(map).clock.load();
    const std::uint64_t now = lane_time(clock);
    before = settled_before(lanes, clock);
    for (int waited = 0; before < now; before = settled_before(lanes, clock)) {
      if (!wait_for_writer(sidecar, waited, lives, ec)) return false;
    }
  }
  count = static_cast<std::uint32_t>(content(map, ec, before).size());
  if (ec) return false;
  return true;
}

/// Makes a living writer write by itself, and puts what waits into the file. Returns how much.
/// False in `lives`: the writer has died meanwhile.
std::uint64_t share(int sidecar, mapping& map, int file, bool& lives,
                    std::error_code& ec) noexcept {
  sidecar_file::of(map).shared.store(1);
  order_all_threads();
  // From now on the writer sees `shared` after each call, and before it moves its window.
  for (int waited = 0; sidecar_file::of(map).moving.load() != 0;) {
    if (!wait_for_writer(sidecar, waited, lives, ec)) return 0;
  }
  std::uint32_t count = 0;
  if (!count_waiting(sidecar, map, count, lives, ec)) return 0;
  sidecar_header& header = sidecar_file::of(map);
  const std::uint32_t size = decide(header, count);
  if (header.placed.load() != 0) return 0;
  const content waiting(map, ec);
  if (!ec) put_in_place(file, header.base.load(), waiting.first(size), ec);
  if (!ec) header.placed.store(1);
  // The writer will find this too, and writes its bytes behind the others.
  if (ec == errc::foreign_sidecar) ec.clear();
  return ec ? 0 : size;
}

/// Puts into the file what a killed process has left. Returns how much.
std::uint64_t replay(mapping& map, int sidecar, int file, std::error_code& ec) noexcept {
  map_lanes(sidecar, map, ec);
  if (ec) return 0;
  sidecar_header& header = sidecar_file::of(map);
  const content waiting(map, ec);
  if (ec) return 0;
  // After a withdrawal only the decided bytes belong to completed calls.
  const std::uint32_t decided = header.decided.load();
  const std::size_t size = header.placed.load() != 0              ? 0
                           : decided == sidecar_header::undecided ? waiting.size()
                                                                  : decided;
  end_gap(header.base, file, ec);
  if (!ec) put_in_place(file, header.base.load(), waiting.first(size), ec);
  if (!ec) sidecar_file::complete_turn(map, file, ec);
  return ec ? 0 : size;
}

/// How many bytes have waited, as far as that can be told.
std::size_t waiting_in_stale(const sidecar_header& header, int sidecar) noexcept {
  if (header.in_lanes.load() == 0)
    return std::min<std::size_t>(header.count.load(), sidecar_file::window_size);
  std::error_code ec;
  const mapping map = sidecar_file::map(sidecar, ec);
  if (ec) return 0;
  const content waiting(map, ec);
  return waiting.size();
}

enum class outcome { settled, again };

/// Settles the sidecar that is open. `again`: its state is changing.
outcome settle(path_ref path, int opened, int sidecar, const std::string& name,
               const struct stat& file, settling how, std::uint64_t& moved, std::error_code& ec) {
  if (!is_trusted(sidecar, file)) {
    ec = errc::bad_sidecar;
    return outcome::settled;
  }
  bool lives = lock_writer(sidecar, ec) == locked::by_others;
  if (ec) return outcome::settled;
  if (!is_name_of(AT_FDCWD, name.c_str(), sidecar, ec))
    return ec ? outcome::settled : outcome::again;
  const header_copy header(sidecar, ec);
  if (ec) return outcome::settled;
  if (header.is_unborn() && lives) return outcome::again;
  const bool stale = !header.is_unborn() && header.is_stale(ec);
  if (ec) return outcome::settled;
  if (header.is_unborn() || stale) {
    const std::size_t count = waiting_in_stale(*header.operator->(), sidecar);
    if (count != 0 && how == settling::replay)
      report_loss({errc::stale_sidecar, "recover", header->base.load(), count}, path.view());
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
  if (lives || ec || lock_sign(sidecar, F_WRLCK, ec) != locked::by_us) return outcome::settled;
  if (how == settling::replay) moved = replay(map, sidecar, whole.get(), ec);
  if (ec) return outcome::settled;
  // Where it can't be removed, it holds nothing.
  sidecar_header& done = sidecar_file::of(map);
  done.count.store(0);
  done.in_lanes.store(0);
  done.decided.store(0);
  done.placed.store(1);
  done.turn_size.store(0);
  ::unlink(name.c_str());
  return outcome::settled;
}

}  // namespace

sidecar_view::~sidecar_view() { close(); }

void sidecar_view::close() noexcept {
  const no_cancel guard;
  map_ = {};
  last_ = {};
  if (const int file = std::exchange(file_, no_handle); file != no_handle) ::close(file);
}

void sidecar_view::find(path_ref path, const device& file, std::error_code& ec) noexcept try {
  const no_cancel guard;
  if (map_ && is_name_of(AT_FDCWD, path_.c_str(), file_, ec) &&
      (sidecar_file::of(std::as_const(map_)).in_lanes.load() == 0 ||
       sidecar_file::lanes(map_) != nullptr))
    return;
  close();
  ec.clear();
  const int opened = file.native_handle();
  struct stat status{};
  if (path.is_inside() || opened < 0) return;
  if (::fstat(opened, &status) != 0) {
    ec = last_error();
    return;
  }
  path_ = path_of_sidecar(path, status, opened, ec);
  if (path_.empty()) return;
  held_descriptor found(open_descriptor(path_, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0, ec));
  if (ec == std::errc::no_such_file_or_directory || ec == std::errc::filename_too_long) ec.clear();
  if (found.get() < 0) return;
  if (!is_trusted(found.get(), status)) ec = errc::bad_sidecar;
  if (ec) return;
  const header_copy header(found.get(), ec);
  if (ec || header.is_unborn() || header.is_stale(ec) || ec) return;
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

/// Merges the lanes' calls that are older than `before`. Returns how many bytes they have.
std::size_t sidecar_view::merge(std::uint64_t before) const noexcept {
  const char* const lanes = sidecar_file::lanes(map_);
  if (merged_ == nullptr) merged_.reset(new (std::nothrow) char[lanes_size]);
  return lanes != nullptr && merged_ != nullptr ? merge_lanes(lanes, before, merged_.get()) : 0;
}

sidecar_view::waiting sidecar_view::now() const noexcept {
  if (!map_) return {};
  const sidecar_header& header = sidecar_file::of(map_);
  for (;;) {
    const std::uint32_t round = header.round.load(std::memory_order_acquire);
    const bool in_lanes = header.in_lanes.load(std::memory_order_acquire) != 0;
    std::size_t count = header.count.load(std::memory_order_acquire);
    if (header.shared.load() != 0) {
      const std::uint32_t decided = header.decided.load();
      count = decided == sidecar_header::undecided || header.placed.load() != 0 ? 0 : decided;
      if (in_lanes && count != 0) count = std::min(count, merge(lane::all_times));
    } else if (in_lanes && sidecar_file::lanes(map_) != nullptr) {
      // What comes later comes behind these, so their places are known.
      count = merge(settled_before(sidecar_file::lanes(map_), header.clock.load()));
    } else if (in_lanes) {
      count = 0;  // find() maps them
    }
    fence(std::memory_order_acquire);
    const std::uint64_t base = header.base.load(std::memory_order_acquire);
    if (!in_lanes) count = std::min<std::size_t>(count, header.window);
    if (header.round.load(std::memory_order_acquire) == round &&
        (header.in_lanes.load(std::memory_order_acquire) != 0) == in_lanes)
      return {round, in_lanes, base, base + count};
  }
}

std::size_t sidecar_view::read(std::uint64_t at, std::span<char> into) const noexcept {
  if (!map_) return 0;
  const std::atomic<std::uint32_t>& round = sidecar_file::of(map_).round;
  for (;;) {
    // What was merged stays right until the next round.
    const bool again = last_.in_lanes && at >= last_.begin && at < last_.end &&
                       round.load(std::memory_order_acquire) == last_.round;
    if (!again) last_ = now();
    if (at < last_.begin || at >= last_.end) return 0;
    const std::size_t n =
        static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), last_.end - at));
    const char* const from = last_.in_lanes
                                 ? merged_.get()
                                 : sidecar_file::window(map_, sidecar_file::window_size).data();
    std::memcpy(into.data(), from + (at - last_.begin), n);
    fence(std::memory_order_acquire);
    // Otherwise other bytes may have come into the window meanwhile.
    if (last_.in_lanes || round.load(std::memory_order_relaxed) == last_.round) return n;
  }
}

std::uint64_t sidecar_view::end(std::uint64_t size) const noexcept {
  const waiting bytes = now();
  return bytes.begin <= size ? std::max(bytes.end, size) : size;
}

std::uint64_t settle_sidecar(path_ref path, native_handle_type opened, settling how,
                             std::error_code& ec) noexcept try {
  const no_cancel guard;
  ec.clear();
  if (path.is_inside()) return 0;
  struct stat status{};
  if (opened < 0) return 0;
  if (::fstat(opened, &status) != 0) {
    ec = last_error();
    return 0;
  }
  if (!S_ISREG(status.st_mode)) return 0;
  const std::string name = path_of_sidecar(path, status, opened, ec);
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

#endif
