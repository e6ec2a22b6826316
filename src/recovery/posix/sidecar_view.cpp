// Implements sidecar_view: a reader finds the sidecar of a file, and reads the pending bytes.
// Called by live.cpp. Linux only.
#include "recovery/sidecar.hpp"

#if defined(__linux__)

#  include <fcntl.h>
#  include <sys/stat.h>
#  include <unistd.h>

#  include <algorithm>
#  include <atomic>
#  include <cstring>
#  include <new>
#  include <utility>

#  include "base/no_cancel.hpp"
#  include "device/posix/system.hpp"
#  include "recovery/posix/sidecar_file.hpp"

namespace leat {
inline namespace v0 {

sidecar_view::~sidecar_view() { close(); }

void sidecar_view::close() noexcept {
  const no_cancel guard;
  map_ = {};
  last_range_ = {};
  for (int* const one : {&descriptor_, &folder_}) {
    if (const int descriptor = std::exchange(*one, no_handle); descriptor != no_handle)
      ::close(descriptor);
  }
}

void sidecar_view::find(const opened_path& path, const device& file, std::error_code& ec) noexcept
    try {
  const no_cancel guard;
  if (map_ && is_name_of(folder_, name_.c_str(), descriptor_, ec) &&
      (sidecar_file::header_of(std::as_const(map_)).in_thread_buffers.load() == 0 ||
       sidecar_file::thread_buffers(map_) != nullptr))
    return;
  close();
  ec.clear();
  const int opened = file.native_handle();
  struct stat status{};
  if (opened < 0) return;
  if (get_status(opened, status) != 0) {
    ec = system_code();
    return;
  }
  sidecar_location where = locate_sidecar(path, status, opened, ec);
  if (where.name.empty()) return;
  unique_descriptor found(open_sidecar(where, O_RDONLY, ec));
  if (found.get() < 0) return;
  if (!is_trusted(found.get(), status)) ec = errc::bad_sidecar;
  if (ec) return;
  const header_copy header(found.get(), ec);
  if (ec || header.is_stale(ec) || ec) return;
  mapping map = sidecar_file::map(found.get(), ec, mapping::access::read);
  if (!map) return;
  if (!belongs_to(sidecar_file::header_of(map), identity_of(status, opened))) {
    // If a log was moved, this is no error: the log's writer finds the file for these bytes.
    if (sidecar_file::header_of(map).follows == 0) ec = errc::foreign_sidecar;
    return;
  }
  descriptor_ = found.release();
  folder_ = where.folder.release();
  name_ = std::move(where.name);
  map_ = std::move(map);
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
}

/// Merges the thread buffers' calls that are older than `before`. Returns the number of merged
/// bytes.
std::size_t sidecar_view::merge(std::uint64_t before) const noexcept {
  const char* const thread_buffers = sidecar_file::thread_buffers(map_);
  if (merged_ == nullptr) merged_.reset(new (std::nothrow) char[thread_buffers_size]);
  return thread_buffers != nullptr && merged_ != nullptr
             ? merge_thread_buffers(thread_buffers, before, merged_.get())
             : 0;
}

// Writers don't wait for readers, so current_range() and read() don't try again. If the buffer was
// emptied meanwhile, the bytes that were pending when the call began are in the file, and the
// caller reads the file.

sidecar_view::pending_range sidecar_view::current_range() const noexcept {
  if (!map_) return {};
  const sidecar_header& header = sidecar_file::header_of(map_);
  const std::uint32_t epoch = header.epoch.load(std::memory_order_acquire);
  const bool in_thread_buffers = header.in_thread_buffers.load(std::memory_order_acquire) != 0;
  std::size_t count = header.count.load(std::memory_order_acquire);
  if (const std::uint32_t decided = header.decided.load();
      header.shared.load() != 0 && decided != sidecar_header::undecided) {
    count = header.placed.load() != 0 ? 0 : decided;
    if (in_thread_buffers && count != 0) count = std::min(count, merge(thread_buffer::max_stamp));
  } else if (in_thread_buffers && sidecar_file::thread_buffers(map_) != nullptr) {
    // Later calls come after the merged calls, so the positions of the merged calls are known.
    const stamp_clock clock = header.clock.load();
    const std::uint64_t now = stamp_now(clock);
    std::uint64_t before = completed_before(sidecar_file::thread_buffers(map_), clock);
    // A thread is inside a call. If the writer is dead, this call will never end.
    if (before < now && !has_living_writer(descriptor_)) before = thread_buffer::max_stamp;
    count = merge(before);
  } else if (in_thread_buffers) {
    count = 0;  // find() maps the thread buffers
  }
  fence(std::memory_order_acquire);
  const std::uint64_t base = header.base.load(std::memory_order_acquire);
  if (!in_thread_buffers) count = std::min<std::size_t>(count, header.buffer_size);
  if (header.epoch.load(std::memory_order_acquire) != epoch) return {};
  return {epoch, in_thread_buffers, base, base + count};
}

std::size_t sidecar_view::read(std::uint64_t at, std::span<char> into) const noexcept {
  if (!map_) return 0;
  const std::atomic<std::uint32_t>& epoch = sidecar_file::header_of(map_).epoch;
  // Merged bytes stay valid until the next epoch.
  const bool is_current = last_range_.in_thread_buffers && at >= last_range_.begin &&
                          at < last_range_.end &&
                          epoch.load(std::memory_order_acquire) == last_range_.epoch;
  if (!is_current) last_range_ = current_range();
  if (at < last_range_.begin || at >= last_range_.end) return 0;
  const std::size_t n =
      static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), last_range_.end - at));
  const char* const from = last_range_.in_thread_buffers
                               ? merged_.get()
                               : sidecar_file::buffer(map_, sidecar_file::buffer_size).data();
  std::memcpy(into.data(), from + (at - last_range_.begin), n);
  fence(std::memory_order_acquire);
  // If the epoch has changed, the buffer may have got other bytes meanwhile.
  return last_range_.in_thread_buffers || epoch.load(std::memory_order_relaxed) == last_range_.epoch
             ? n
             : 0;
}

std::uint64_t sidecar_view::end(std::uint64_t size) const noexcept {
  const pending_range bytes = current_range();
  return bytes.begin <= size ? std::max(bytes.end, size) : size;
}

}  // namespace v0
}  // namespace leat

#endif
