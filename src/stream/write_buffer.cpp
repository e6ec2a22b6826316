// Implements write_buffer, the buffer between a writer and a device. Called by device_sink and by
// pending_store.
#include "stream/write_buffer.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "base/fork.hpp"
#include "device/system.hpp"
#include "device/transfer.hpp"
#include "stream/open_streams.hpp"

namespace leat {
inline namespace v0 {

namespace {

// From the `print` experiment: smaller buffers cost more system calls, and larger buffers gain
// nothing. first_capacity is below malloc's mmap threshold, so opening many small files stays
// cheap.
constexpr std::size_t first_capacity = 64 << 10;
constexpr std::size_t last_capacity = 256 << 10;
/// Without a page cache, each buffer waits for the device. An object store takes about 100 ms for
/// each request, in addition to the time of the request's bytes.
constexpr std::size_t last_capacity_without_page_cache = 4 << 20;
/// With direct I/O each buffer is one request, and the disk has no other request at the same time.
constexpr std::size_t direct_capacity = 2 << 20;
/// In a file opened to append, a line composed by several calls stays whole up to this length.
constexpr std::size_t longest_line = 1 << 20;

/// Allocates a buffer. Returns null if there is no memory. With direct I/O the disk reads directly
/// from the buffer, so the buffer consists of whole aligned pages.
char* allocate_buffer(std::size_t size, bool direct) noexcept {
  constexpr std::size_t page = write_buffer::page;
  return direct ? allocate_bytes((size + page - 1) / page * page, page) : allocate_bytes(size);
}

}  // namespace

write_buffer::write_buffer(std::unique_ptr<device> target, std::uint64_t at,
                           const detail::options& how)
    : device_(std::move(target)),
      traits_(device_->traits()),
      direct_(how.caching == caching::direct),
      last_capacity_(how.buffer_size != 0 || direct_              ? 0
                     : traits_.positional && !traits_.reads_ahead ? last_capacity_without_page_cache
                                                                  : last_capacity),
      // While a thread writes with direct I/O, the same descriptor cannot be used for reading.
      background_((how.background || direct_) && how.flush == flush_when::full &&
                  how.durability != durability::process && !(direct_ && how.readable)),
      drops_(background_ && how.when_full == when_full::drop),
      capacity_(how.buffer_size != 0 ? how.buffer_size
                : direct_            ? direct_capacity
                : drops_             ? last_capacity_  // the thread takes no smaller buffer
                                     : first_capacity),
      base_(at) {
  if (how.durability == durability::system) device_->expect_sync();
  if (background_) thread_ = std::make_unique<background_writer>(*device_, direct_ ? 2 : 1);
}

std::unique_ptr<device> write_buffer::close() noexcept {
  if (thread_ != nullptr) thread_->stop();
  base_ += next_;
  next_ = high_ = 0;
  memory_.reset();
  spare_.reset();
  return std::move(device_);
}

// Failures

void write_buffer::fail(std::error_code ec, const char* operation, std::uint64_t offset,
                        std::uint64_t unwritten) noexcept {
  if (!failures || resume_position_ == failure::no_offset)
    resume_position_ = operation == std::string_view("patch") ? base_ : offset;
  failures.record(ec, operation, offset, unwritten);
}

void write_buffer::lose_buffer() noexcept {
  if (pending() == 0) return;
  fail({}, "write", base_, pending());
  base_ += next_;
  next_ = high_ = 0;
}

void write_buffer::clear_failure() noexcept {
  wait_for_thread();
  background_ = false;  // the thread writes nothing after a failure
  lose_buffer();
  if (resume_position_ != failure::no_offset) base_ = resume_position_;
  failures.clear();
}

/// Gives the buffer `capacity` bytes of memory and keeps its bytes. If there is no memory, returns
/// false and changes nothing.
bool write_buffer::allocate(std::size_t capacity) noexcept {
  if (memory_ != nullptr && capacity <= capacity_) return true;
  char* memory;
  if (pending() == 0) {
    memory = allocate_buffer(capacity, direct_);
    if (memory != nullptr) memory_.reset(memory);
  } else {
    memory = reallocate_bytes(memory_.get(), capacity);
    if (memory != nullptr) {
      static_cast<void>(memory_.release());
      memory_.reset(memory);
    }
  }
  if (memory != nullptr) capacity_ = capacity;
  return memory != nullptr;
}

/// Doubles the capacity, up to the last capacity. Called after bytes did not fit into the buffer.
void write_buffer::grow() noexcept {
  if (capacity_ < last_capacity_) allocate(2 * capacity_);
}

// From the caller into the buffer

void write_buffer::add(std::string_view bytes, bool is_rest) noexcept {
  if (bytes.empty()) return;
  if (failures || device_ == nullptr) {
    fail(errc::closed, "write", base_, bytes.size());
  } else if (!allocate(capacity_)) {
    write_with(bytes);  // there is no memory for a buffer
  } else if (next_ + bytes.size() <= limit()) {
    copy_in(bytes);
  } else if (!is_rest && drops_ && background_ && thread_->would_wait()) {
    ++dropped_;
  } else if (traits_.appends) {
    add_lines(bytes);
  } else if (bytes.size() >= limit()) {
    add_large(bytes);
  } else {
    const std::size_t fits = limit() - next_;
    copy_in(bytes.substr(0, fits));
    if (!give_to_thread(next_)) write();
    grow();
    add(bytes.substr(fits), true);  // the next buffer may be smaller than `bytes`
  }
}

/// Takes bytes that fill at least one buffer, and writes them directly from the caller's memory.
/// Copies only the bytes after the last page boundary into the buffer.
void write_buffer::add_large(std::string_view bytes) noexcept {
  const std::uint64_t end = base_ + next_ + bytes.size();
  const std::size_t rest = limit() < 2 * page || !traits_.positional ? 0 : end % page;
  const std::size_t large = bytes.size() - rest;
  write_with(bytes.substr(0, large));
  grow();
  add(bytes.substr(large), true);
}

/// Takes bytes for a file to which other processes may append, too. So, before a flush, only whole
/// lines leave the buffer. Exceptions: lines longer than longest_line, and lines for which there is
/// no memory.
void write_buffer::add_lines(std::string_view bytes) noexcept {
  const auto newline = bytes.rfind('\n');
  // Small pieces are copied into the buffer, because only a buffer can be given to the thread.
  const bool bypasses_buffer = !background_ || bytes.size() > capacity_ / 4;
  if (newline != std::string_view::npos && bypasses_buffer) {
    write_with(bytes.substr(0, newline + 1));
    bytes.remove_prefix(newline + 1);
    grow();
  } else {
    write_lines();
    if (background_) grow();  // the thread takes only full-grown buffers
  }
  if (failures) {
    fail({}, "write", base_, bytes.size());
    return;
  }
  const std::size_t needed = next_ + bytes.size();
  const std::size_t larger = std::max(needed, std::min(2 * capacity_, longest_line));
  if (needed > limit() && (needed > longest_line || !allocate(larger)))
    write_with(bytes);
  else
    copy_in(bytes);
}

void write_buffer::copy_in(std::string_view bytes) noexcept {
  if (bytes.empty()) return;  // the buffer may be null then
  std::memcpy(memory_.get() + next_, bytes.data(), bytes.size());
  next_ += bytes.size();
}

void write_buffer::seek(std::uint64_t position) noexcept {
  if (position >= base_ && position - base_ <= pending()) {
    high_ = pending();
    next_ = static_cast<std::size_t>(position - base_);
  } else {
    write();
    base_ = position;
  }
}

void write_buffer::patch(std::uint64_t position, std::string_view bytes) noexcept {
  if (position < base_) {
    const std::size_t before =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), base_ - position));
    const std::array<std::string_view, 1> pieces{bytes.substr(0, before)};
    std::error_code ec;
    const std::uint64_t written = write_all(*device_, position, pieces, ec);
    if (ec) {
      fail(ec, "patch", position + written, bytes.size() - written);
      lose_buffer();
    }
    position += before;
    bytes.remove_prefix(before);
  }
  if (!failures && !bytes.empty())
    std::memcpy(memory_.get() + (position - base_), bytes.data(), bytes.size());
}

std::size_t write_buffer::copy(device& from, std::uint64_t from_at, std::size_t n,
                               std::error_code& ec) noexcept {
  write();
  if (failures) {
    ec = std::make_error_code(std::errc::operation_not_supported);
    return 0;
  }
  const std::size_t copied = device_->copy_at(base_, from, from_at, n, ec);
  base_ += copied;
  return copied;
}

// From the buffer to the device

void write_buffer::write_with(std::string_view bytes) noexcept {
  wait_for_thread();
  // `bytes` overwrite bytes after the cursor, so the buffer is written first.
  if (next_ < high_ && !bytes.empty()) write();
  const std::size_t buffered = pending();
  const std::uint64_t total = buffered + bytes.size();
  if (total == 0) return;
  if (failures) {
    lose_buffer();
    fail({}, "write", base_, bytes.size());
    return;
  }
  std::error_code ec;
  const std::string_view held(memory_.get(), buffered);
  const std::uint64_t written = write_all(*device_, base_, held, bytes, ec);
  if (ec) fail(ec, "write", base_ + written, total - written);
  base_ += next_ + bytes.size();
  next_ = high_ = 0;
}

/// As write(). The buffer must have bytes, and there must be no thread and no failure.
void write_buffer::write_pending() noexcept {
  std::error_code ec;
  const std::string_view held(memory_.get(), pending());
  const std::uint64_t written = write_all(*device_, base_, held, ec, {});
  if (ec) [[unlikely]]
    fail(ec, "write", base_ + written, held.size() - written);
  base_ += next_;
  next_ = high_ = 0;
}

void write_buffer::write_completed(std::string_view bytes) noexcept {
  std::error_code ec;
  const std::uint64_t written = write_all(*device_, base_, {&bytes, 1}, ec);
  if (ec) fail(ec, "write", base_ + written, bytes.size() - written);
  base_ += bytes.size();
}

/// Writes the whole lines of the buffer. An unfinished line stays in the buffer.
void write_buffer::write_lines() noexcept {
  const std::string_view held(memory_.get(), pending());
  const auto newline = held.rfind('\n');
  if (newline == std::string_view::npos) return;
  const std::size_t lines = newline + 1;
  if (give_to_thread(lines) || failures) return;
  const std::size_t rest = held.size() - lines;
  next_ = high_ = lines;
  write();
  if (failures) {
    fail({}, "write", base_, rest);
    return;
  }
  std::memmove(memory_.get(), memory_.get() + lines, rest);
  next_ = high_ = rest;
}

void write_buffer::write_to_pipe() noexcept {
  if (wait_for_thread_times_out()) return;
  constexpr std::size_t at_once = 4096;  // a ready pipe takes this many bytes without waiting
  const std::size_t size = pending();
  std::size_t done = 0;
  while (done != size && wait_until_writable(device_->native_handle(), fork_timeout)) {
    std::string_view piece(memory_.get() + done, std::min(size - done, at_once));
    // Stop after a whole line, because other processes may write to the pipe, too.
    if (const auto newline = piece.rfind('\n'); newline != std::string_view::npos)
      piece = piece.substr(0, newline + 1);
    std::error_code ec;
    const std::uint64_t written = write_all(*device_, base_, {&piece, 1}, ec);
    done += static_cast<std::size_t>(written);
    base_ += written;
    if (!ec) continue;
    fail(ec, "write", base_, size - done);
    done = size;
  }
  if (done != 0) std::memmove(memory_.get(), memory_.get() + done, size - done);
  next_ = size - done;
  high_ = 0;
}

// The thread

/// Gives the first `size` bytes of the buffer to the thread, and moves the rest to another buffer.
/// Returns false if the caller has to write the bytes. By then, the thread may have returned
/// earlier buffers: if an earlier buffer has failed, the failure is recorded, and this buffer is
/// empty.
bool write_buffer::give_to_thread(std::size_t size) noexcept try {
  // A buffer that is still growing is too small for a thread to pay off.
  if (!background_ || next_ < high_ || capacity_ < last_capacity_) {
    wait_for_thread();
    return false;
  }
  if (thread_->is_full()) reclaim_from_thread();
  if (!failures) thread_->start();
  if (failures || !make_spare()) {
    wait_for_thread();
    return false;
  }
  std::memcpy(spare_.get(), memory_.get() + size, next_ - size);
  memory_.swap(spare_);
  spare_capacity_ = 0;
  background_writer::full_buffer full;
  full.memory = std::move(spare_);
  full.capacity = capacity_;
  full.size = size;
  full.at = base_;
  thread_->hand_over(std::move(full));
  base_ += size;
  next_ = high_ = next_ - size;
  return true;
} catch (...) {
  background_ = false;  // the thread could not be started
  return false;
}

/// If there is no second buffer, allocates a second buffer of the same size. Returns false if there
/// is no memory.
bool write_buffer::make_spare() noexcept {
  if (spare_capacity_ >= capacity_) return true;
  spare_.reset(allocate_buffer(capacity_, direct_));
  if (spare_ == nullptr) return false;
  spare_capacity_ = capacity_;
  return true;
}

void write_buffer::wait_for_thread() noexcept {
  while (thread_ != nullptr && thread_->has_buffer()) reclaim_from_thread();
}

bool write_buffer::wait_for_thread_times_out() noexcept {
  const auto begin = std::chrono::steady_clock::now();
  while (thread_ != nullptr && thread_->has_buffer()) {
    if (!thread_->is_writing()) {
      reclaim_from_thread();
      continue;
    }
    if (open_stream::is_list_awaited() || std::chrono::steady_clock::now() - begin > fork_timeout)
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

/// Waits for the oldest buffer of the thread. Records the buffer's failure, and keeps its memory.
void write_buffer::reclaim_from_thread() noexcept {
  background_writer::full_buffer done = thread_->reclaim_buffer();
  if (done.ec) {
    fail(done.ec, "write", done.at + done.written, done.size - done.written);
    lose_buffer();
  }
  spare_ = std::move(done.memory);
  spare_capacity_ = done.capacity;
}

void write_buffer::after_fork_in_child() noexcept {
  // The thread exists only in the parent, with the buffer that it writes.
  background_writer::abandon(std::move(thread_));
  background_ = false;
  // The parent writes the buffer's bytes and reports losses.
  next_ = high_ = 0;
  failures.after_fork_in_child();
}

}  // namespace v0
}  // namespace leat
