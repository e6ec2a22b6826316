// The writer's side of a sidecar, for the streams and C's streams. Linux only; other systems get
// the stubs.
#include "recovery/sidecar.hpp"

#if defined(__linux__)

#  include <fcntl.h>
#  include <sys/stat.h>
#  include <unistd.h>

#  include <algorithm>
#  include <cstring>
#  include <new>
#  include <utility>

#  include "base/no_cancel.hpp"
#  include "device/posix/system.hpp"
#  include "recovery/posix/sidecar_file.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// Returns true if another file now has this file's name, and the sidecar has bytes for that other
/// file. The next process that opens the other file puts the bytes there.
bool is_needed_elsewhere(const sidecar_header& header, int file) noexcept {
  struct stat status{};
  const std::uint32_t decided = header.decided.load();
  const bool holds = header.call_size.load() != 0 ||
                     (header.placed.load() == 0 && decided != sidecar_header::undecided);
  return holds && get_status(file, status) == 0 && !belongs_to(header, identity_of(status, file));
}

}  // namespace

sidecar::sidecar(int descriptor, int file, int folder, std::string name, mapping map, bool appends,
                 bool alone) noexcept
    : descriptor_(descriptor),
      file_(file),
      folder_(folder),
      name_(std::move(name)),
      map_(std::move(map)),
      appends_(appends),
      alone_(alone),
      used_(alone ? 0 : buffer_size) {}

sidecar::~sidecar() {
  const no_cancel guard;
  if (gate_ != nullptr) gate_->close();
  if (alone_ && !belongs_to_parent_) {
    // The pending bytes are given up, even bytes that other processes have decided to put into the
    // file.
    const bool locked = lock_calls(descriptor_, F_WRLCK);
    header().count.store(0);
    header().in_thread_buffers.store(0);
    if (header().decided.load() != sidecar_header::undecided) header().placed.store(1);
    if (locked) lock_calls(descriptor_, F_UNLCK);
  }
  // If a lock fails, the sidecar stays, and the next process that opens the file recovers it.
  std::error_code unknown;
  if (!belongs_to_parent_ && lock_writer(descriptor_, unknown) == lock_result::acquired &&
      lock_sharing(descriptor_, F_WRLCK, unknown) == lock_result::acquired &&
      is_name_of(folder_, name_.c_str(), descriptor_, unknown)) {
    // No other process is left to complete the call that a killed process has begun. This stream
    // might not know yet that the file was shared.
    std::error_code ec;
    const bool locked = lock_calls(descriptor_, F_WRLCK);
    const bool was_shared = !alone_ || header().shared.load() != 0;
    if (was_shared) sidecar_file::complete_call(map_, file_, ec);
    if (!ec && (!was_shared || !is_needed_elsewhere(header(), file_)) &&
        is_name_of(folder_, name_.c_str(), descriptor_, unknown))
      ::unlinkat(folder_, name_.c_str(), 0);
    if (locked) lock_calls(descriptor_, F_UNLCK);
  }
  map_ = {};
  for (const int one : {descriptor_, file_, folder_}) ::close(one);
}

void sidecar::after_fork_in_child() noexcept {
  belongs_to_parent_ = true;
  gate_ = nullptr;
}

std::uint64_t sidecar::size() const noexcept {
  return gate_ != nullptr ? gate_->accepted_bytes() : pending_bytes().size();
}

/// If the sidecar has no thread buffers, makes them. Returns false if there is no space or memory.
bool sidecar::make_thread_buffers() noexcept {
  if (merged_ == nullptr) merged_.reset(new (std::nothrow) char[thread_buffers_size]);
  if (merged_ == nullptr) return false;
  if (map_.view().size() == sidecar_file::size_with_thread_buffers) return true;
  const no_cancel guard;
  if (!sidecar_file::allocate_zeros(descriptor_, thread_buffers_at,
                                    thread_buffers_at + thread_buffers_size)) {
    [[maybe_unused]] const int back =
        ::ftruncate(descriptor_, static_cast<off_t>(thread_buffers_at));
    return false;
  }
  mapping larger(descriptor_, sidecar_file::size_with_thread_buffers, mapping::access::write);
  if (!larger) return false;
  map_ = std::move(larger);
  return true;
}

bool sidecar::open_thread_buffers(thread_buffer_gate& gate, std::uint64_t room,
                                  std::int64_t late_at) noexcept {
  const auto room_of_each = static_cast<std::size_t>(
      std::min<std::uint64_t>(room / thread_buffer::count, thread_buffer::room));
  if (!alone_ || used_ != 0 || room_of_each < least_thread_buffer || mapping_failure() ||
      !thread_buffer_gate::is_possible() || !make_thread_buffers())
    return false;
  if (!begin_moving()) return false;  // the next call sees that the file is shared
  char* const thread_buffers = map_.data() + thread_buffers_at;
  for (std::size_t i = 0; i != thread_buffer::count; ++i)
    new (thread_buffers + i * thread_buffer::size) thread_buffer{};
  header().clock.store(best_stamp_clock());
  header().in_thread_buffers.store(1);
  header().moving.store(0);
  room_before_ = std::exchange(room_, 0);  // so that put() takes nothing
  gate_ = &gate;
  gate.open(thread_buffers, header().shared, best_stamp_clock(), room_of_each, late_at);
  return true;
}

void sidecar::close_thread_buffers() noexcept {
  thread_buffer_gate* const gate = std::exchange(gate_, nullptr);
  if (gate == nullptr) return;
  const std::uint64_t taken = gate->close();
  used_ = merge_thread_buffers(map_.data() + thread_buffers_at, thread_buffer::max_stamp,
                               merged_.get());
  lost_bytes_ = taken - std::min<std::uint64_t>(taken, used_);
  from_thread_buffers_ = used_ != 0;
  room_ = from_thread_buffers_ ? used_ : room_before_;
  if (!from_thread_buffers_) header().in_thread_buffers.store(0, std::memory_order_release);
}

bool sidecar::was_removed() const noexcept {
  struct stat status{};
  return get_status(descriptor_, status) == 0 && status.st_nlink == 0;
}

void sidecar::restart_at(std::uint64_t position, std::size_t kept) noexcept {
  if (!alone_) return;
  struct stat status{};
  if (appends_ && get_status(file_, status) == 0)
    position = static_cast<std::uint64_t>(status.st_size);
  char* const buffer = map_.data() + buffer_at;
  header().count.store(0, std::memory_order_release);
  header().in_thread_buffers.store(0, std::memory_order_release);
  if (std::exchange(from_thread_buffers_, false)) room_ = buffer_size;
  header().epoch.fetch_add(1, std::memory_order_relaxed);
  fence(std::memory_order_release);  // before the buffer changes
  header().base.store(position, std::memory_order_release);
  if (kept != 0) std::memmove(buffer, buffer + used_ - kept, kept);
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
  // Another process may be copying these bytes into a new file of this name. If that process is
  // killed, the next process that opens the new file writes the rest.
  const bool locked = lock_calls(descriptor_, F_WRLCK);
  const std::uint32_t size = decide(header(), static_cast<std::uint32_t>(used_));
  ec.clear();
  struct stat status{};
  const bool is_mine =
      get_status(file_, status) != 0 || (belongs_to(header(), identity_of(status, file_)) &&
                                         (status.st_nlink != 0 || header().follows == 0));
  if (is_mine) sidecar_file::replay(header(), file_, pending_bytes().substr(0, size), appends_, ec);
  if (locked) lock_calls(descriptor_, F_UNLCK);
  std::error_code unknown;
  lock_sharing(descriptor_, F_RDLCK, unknown);
  alone_ = false;
  used_ = room_ = buffer_size;
  if (!ec) return size;
  // A process without a sidecar has written at the bytes' position. The caller writes the bytes to
  // the same position, where a replay finds them. After other errors the caller reports the bytes
  // as lost, so no process may write them later.
  if (ec == errc::foreign_sidecar)
    ec.clear();
  else
    header().placed.store(1);
  return std::min(header().placed_count.load(), size);
}

sidecar::shared_call::shared_call(sidecar* stream_sidecar, std::string_view bytes) noexcept
    : sidecar_(stream_sidecar != nullptr && !stream_sidecar->alone_ && stream_sidecar->appends_ &&
                       lock_calls(stream_sidecar->descriptor_, F_WRLCK)
                   ? stream_sidecar
                   : nullptr),
      size_(bytes.size()) {
  if (sidecar_ == nullptr) return;
  std::error_code ec;
  sidecar_file::complete_call(sidecar_->map_, sidecar_->file_, ec);
  // From now on the sidecar can't be removed: a removal needs the same lock.
  has_lost_name_ = sidecar_->was_removed();
  struct stat status{};
  if (ec || has_lost_name_ || sidecar_->header().call_size.load() != 0 || size_ == 0 ||
      size_ > longest_call || get_status(sidecar_->file_, status) != 0) {
    size_ = 0;
    return;
  }
  std::memcpy(sidecar_->map_.data() + call_at, bytes.data(), size_);
  sidecar_->header().call_at.store(static_cast<std::uint64_t>(status.st_size));
  sidecar_->header().call_size.store(static_cast<std::uint32_t>(size_), std::memory_order_release);
}

sidecar::shared_call::~shared_call() {
  if (sidecar_ == nullptr) return;
  if (size_ != 0) sidecar_->header().call_size.store(0);
  lock_calls(sidecar_->descriptor_, F_UNLCK);
}

std::unique_ptr<sidecar> sidecar::open(const opened_path& path, const device& file,
                                       writer kind) noexcept try {
  const no_cancel guard;
  return sidecar_file::open(path, file, kind);
} catch (const std::bad_alloc&) {
  return nullptr;
}

}  // namespace v0
}  // namespace leat

#else
#  include "recovery/no_sidecar.hpp"
#endif
