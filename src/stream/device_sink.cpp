#include "stream/device_sink.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "device/transfer.hpp"

namespace leat {
inline namespace v0 {

namespace {

// From the `print` experiment: smaller windows pay for their system calls, larger ones gain
// nothing. The first is below malloc's threshold for mapping, so that opening many small files
// stays cheap.
constexpr std::size_t first_capacity = 64 << 10;
constexpr std::size_t last_capacity = 256 << 10;
/// Where no system takes the bytes first, each window waits for the device: an object store takes
/// 100 ms for one, whatever its size.
constexpr std::size_t last_capacity_uncached = 4 << 20;
/// Past the cache each window is one request, which the disk is given no other beside.
constexpr std::size_t direct_capacity = 2 << 20;
/// A line that several calls compose stays whole up to this length in a file opened to append.
constexpr std::size_t longest_line = 1 << 20;
/// Windows end at multiples of this at least, so that no page of the file is written twice.
constexpr std::size_t page = 4096;

/// The end of a window is cut at pages, so that it can go to the disk from where it is.
char* allocate(std::size_t size, bool direct) noexcept {
  return direct ? allocate_bytes((size + page - 1) / page * page, page) : allocate_bytes(size);
}

}  // namespace

device_sink::device_sink(std::unique_ptr<device> target, const options& how, std::string_view name,
                         forks who)
    : device_(std::move(target)),
      traits_(device_->traits()),
      name_(name),
      flush_(how.durability == durability::process ? flush_when::call : how.flush),
      sync_(how.durability == durability::system),
      direct_(how.caching == caching::direct),
      last_capacity_(how.buffer_size != 0 || direct_              ? 0
                     : traits_.positional && !traits_.reads_ahead ? last_capacity_uncached
                                                                  : last_capacity),
      // While a thread writes past the cache nobody can read through the same descriptor.
      background_((how.background || direct_) && flush_ == flush_when::full &&
                  !(direct_ && how.readable)),
      capacity_(how.buffer_size != 0 ? how.buffer_size
                : direct_            ? direct_capacity
                                     : first_capacity),
      base_(device_->position()) {
  if (sync_) device_->expect_sync();
  if (background_) thread_ = std::make_unique<background_writer>(*device_, direct_ ? 2 : 1);
  if (who == forks::watched) watch_forks();
}

// The window between writer and sink

void device_sink::recall(const writer& w) noexcept {
  if (owner_ == nullptr) return;
  next_ = static_cast<std::size_t>(sink::next(w) - buffer_.get());
  owner_ = nullptr;
}

void device_sink::lend(writer& w) noexcept {
  if (device_ == nullptr || failed_ || buffer_ == nullptr || whole_calls()) {
    set_window(w, nullptr, nullptr);
    return;
  }
  if (next_ < high_)
    set_window_over(w, buffer_.get() + next_, buffer_.get() + high_);
  else
    set_window(w, buffer_.get() + next_, buffer_.get() + limit());
  owner_ = &w;
}

void device_sink::moved_to(writer& w) noexcept {
  if (owner_ != nullptr) owner_ = &w;
}

void device_sink::before_fork() noexcept {
  // How far the thread has come is the device's to know in both processes. A pipe may be waiting
  // for the child.
  if (thread_ != nullptr && traits_.positional && !traits_.appends) thread_->wait();
}

void device_sink::forget_buffer() noexcept {
  // The thread stayed in the parent, with the window that it has.
  background_writer::abandon(std::move(thread_));
  background_ = false;
  // What the buffer held is the parent's to write, and what was lost is its to report.
  next_ = high_ = 0;
  failed_.unwritten = 0;
  untold_ = false;
  inherited_ = true;
  if (owner_ != nullptr) lend(*owner_);
}

// The buffer

/// How much of the buffer to fill. Windows end where the file's offset is a multiple of their size,
/// or at least of a page: the page cache makes larger folios of aligned writes, and writes none
/// twice. One window may be smaller than the one before, as this depends on base_.
std::size_t device_sink::limit() const noexcept {
  if (capacity_ < 2 * page || !traits_.positional || traits_.appends) return capacity_;
  const auto aligned = capacity_ - static_cast<std::size_t>(base_ % capacity_);
  return aligned >= capacity_ / 4 ? aligned : capacity_ - static_cast<std::size_t>(base_ % page);
}

std::size_t device_sink::pending() const noexcept { return std::max(next_, high_); }

/// Makes the buffer hold `capacity` bytes, keeping what it has. False: no memory, nothing changed.
bool device_sink::reserve(std::size_t capacity) noexcept {
  if (buffer_ != nullptr && capacity <= capacity_) return true;
  char* memory;
  if (pending() == 0) {
    memory = allocate(capacity, direct_);
    if (memory != nullptr) buffer_.reset(memory);
  } else {
    memory = reallocate_bytes(buffer_.get(), capacity);
    if (memory != nullptr) {
      static_cast<void>(buffer_.release());
      buffer_.reset(memory);
    }
  }
  if (memory != nullptr) capacity_ = capacity;
  return memory != nullptr;
}

void device_sink::grow() noexcept {
  if (capacity_ < last_capacity_) reserve(2 * capacity_);
}

void device_sink::store(std::string_view bytes) noexcept {
  if (bytes.empty()) return;  // the buffer may be null then
  std::memcpy(buffer_.get() + next_, bytes.data(), bytes.size());
  next_ += bytes.size();
}

/// Waits for the windows that are on their way; keeps what became of them.
void device_sink::settle() noexcept {
  while (thread_ != nullptr && thread_->has_window()) collect();
}

/// The same for the first of them.
void device_sink::collect() noexcept {
  background_writer::window done = thread_->take_back();
  if (done.ec) {  // nothing is written after a failure, so what the buffer holds is lost too
    fail(done.ec, "write", done.at + done.written, done.size - done.written + pending());
    base_ += next_;
    next_ = high_ = 0;
  }
  spare_ = std::move(done.memory);
  spare_capacity_ = done.capacity;
}

/// Gives the first bytes of the window to the thread, and goes on in another one with the rest.
/// False if that can't be, and nothing has changed then but for what settle() found.
bool device_sink::pass_on(std::size_t size) noexcept try {
  // A window that is to grow is not worth a thread yet.
  if (!background_ || next_ < high_ || capacity_ < last_capacity_) {
    settle();
    return false;
  }
  if (thread_->is_full()) collect();
  if (failed_) {
    settle();
    return false;
  }
  thread_->start();
  if (spare_capacity_ < capacity_) {
    spare_.reset(allocate(capacity_, direct_));
    if (spare_ == nullptr) {
      settle();
      return false;
    }
    spare_capacity_ = capacity_;
  }
  std::memcpy(spare_.get(), buffer_.get() + size, next_ - size);
  buffer_.swap(spare_);
  spare_capacity_ = 0;
  background_writer::window full;
  full.memory = std::move(spare_);
  full.capacity = capacity_;
  full.size = size;
  full.at = base_;
  thread_->hand_over(std::move(full));
  base_ += size;
  next_ = high_ = next_ - size;
  return true;
} catch (...) {
  background_ = false;  // no thread to be had
  return false;
}

/// Writes what is pending.
void device_sink::drain() noexcept { drain_with({}); }

/// Writes what is pending and `bytes` behind the cursor, in one call.
void device_sink::drain_with(std::string_view bytes) noexcept {
  settle();
  if (next_ < high_ && !bytes.empty()) drain();  // bytes overwrite what lies behind the cursor
  const std::size_t buffered = pending();
  const std::array<std::string_view, 2> pieces{std::string_view(buffer_.get(), buffered), bytes};
  const std::uint64_t total = buffered + bytes.size();
  if (total == 0) return;
  if (failed_) {
    fail({}, "write", base_, total);
    return;
  }
  std::error_code ec;
  const std::uint64_t written = write_all(*device_, base_, pieces, ec);
  if (ec) fail(ec, "write", base_ + written, total - written);
  base_ += next_ + bytes.size();
  next_ = high_ = 0;
}

/// Drains and, where that was asked for, waits until the bytes are safe.
void device_sink::hand_on() noexcept {
  if (!failed_) drain();
  if (failed_ || !sync_) return;
  std::error_code ec;
  device_->sync(ec);
  if (ec) fail(ec, "sync", failure::no_offset, 0);
}

/// Writes what is pending up to the last end of line, if there is one.
void device_sink::drain_lines() noexcept {
  const std::string_view held(buffer_.get(), pending());
  const auto newline = held.rfind('\n');
  if (newline == std::string_view::npos) return;
  const std::size_t lines = newline + 1;
  if (pass_on(lines) || failed_) return;
  const std::size_t rest = held.size() - lines;
  next_ = high_ = lines;
  drain();
  if (failed_) {
    fail({}, "write", base_, rest);
    return;
  }
  std::memmove(buffer_.get(), buffer_.get() + lines, rest);
  next_ = high_ = rest;
}

/// Takes the bytes into the buffer, draining it as needed.
void device_sink::accept(std::string_view bytes) noexcept {
  if (bytes.empty()) return;
  if (failed_ || device_ == nullptr) {
    fail(errc::closed, "write", base_, bytes.size());
    return;
  }
  if (!reserve(capacity_)) {  // no memory for a buffer: do without
    drain_with(bytes);
    return;
  }
  if (next_ + bytes.size() <= limit()) {
    store(bytes);
    return;
  }
  if (traits_.appends) {
    accept_lines(bytes);
    return;
  }
  if (bytes.size() >= limit()) {
    // Past the buffer, all but what would end in the middle of a page.
    const std::uint64_t end = base_ + next_ + bytes.size();
    const std::size_t rest = limit() < 2 * page || !traits_.positional ? 0 : end % page;
    const auto large = bytes.substr(0, bytes.size() - rest);
    drain_with(large);
    grow();
    accept(bytes.substr(large.size()));
    return;
  }
  const std::size_t fits = limit() - next_;
  store(bytes.substr(0, fits));
  if (!pass_on(next_)) drain();
  grow();
  accept(bytes.substr(fits));
}

/// The same for a file that others append to as well: only whole lines leave the buffer.
void device_sink::accept_lines(std::string_view bytes) noexcept {
  const auto newline = bytes.rfind('\n');
  // What is small goes into the window, which a thread can take.
  const bool goes_past = !background_ || bytes.size() > capacity_ / 4;
  if (newline != std::string_view::npos && goes_past) {
    drain_with(bytes.substr(0, newline + 1));
    bytes.remove_prefix(newline + 1);
    grow();
  } else {
    drain_lines();
  }
  if (failed_) {
    fail({}, "write", base_, bytes.size());
    return;
  }
  const std::size_t needed = next_ + bytes.size();
  if (needed > limit() &&
      (needed > longest_line || !reserve(std::max(needed, std::min(2 * capacity_, longest_line)))))
    drain_with(bytes);
  else
    store(bytes);
}

// Failures

/// Keeps the first failure; counts what is lost by it and after it.
void device_sink::fail(std::error_code ec, const char* operation, std::uint64_t offset,
                       std::uint64_t unwritten) noexcept {
  const std::uint64_t so_far = failed_.unwritten;
  if (!failed_) failed_ = {ec, operation, offset, 0};
  failed_.unwritten = so_far + unwritten;
  untold_ = true;
}

failure device_sink::report() noexcept {
  untold_ = false;
  return failed_;
}

failure device_sink::refuse(std::errc why, const char* operation,
                            std::uint64_t offset) const noexcept {
  return {std::make_error_code(why), operation, offset, 0};
}

// The interface

void device_sink::write(writer& w, std::string_view bytes) noexcept {
  recall(w);
  accept(bytes);
  const bool act = flush_ == flush_when::call ||
                   (flush_ == flush_when::line && bytes.find('\n') != std::string_view::npos);
  if (act && !failed_) drain();
  lend(w);
}

failure device_sink::flush(writer& w) noexcept {
  if (device_ == nullptr && !failed_) return {errc::closed, "flush", base_, 0};
  recall(w);
  hand_on();
  lend(w);
  return report();
}

void device_sink::drain(writer& w) noexcept {
  recall(w);
  if (device_ != nullptr) hand_on();
  lend(w);
}

failure device_sink::seek(writer& w, std::uint64_t position) noexcept {
  if (device_ == nullptr) return {errc::closed, "seek", position, 0};
  if (!traits_.positional || traits_.appends)
    return refuse(std::errc::invalid_seek, "seek", failure::no_offset);
  recall(w);
  if (position >= base_ && position - base_ <= pending()) {
    high_ = pending();
    next_ = static_cast<std::size_t>(position - base_);
  } else {
    drain();
    base_ = position;
  }
  lend(w);
  return failed_ ? report() : failure{};
}

std::uint64_t device_sink::tell(const writer& w) const noexcept {
  if (owner_ == nullptr) return base_ + next_;
  return base_ + static_cast<std::size_t>(sink::next(w) - buffer_.get());
}

failure device_sink::patch(writer& w, std::uint64_t position, std::string_view bytes) noexcept {
  if (device_ == nullptr) return {errc::closed, "patch", position, bytes.size()};
  if (!traits_.positional || traits_.appends)
    return refuse(std::errc::invalid_seek, "patch", failure::no_offset);
  recall(w);
  settle();
  lend(w);
  if (failed_) return report();
  const std::uint64_t end = tell(w);
  if (position > end || bytes.size() > end - position)
    return refuse(std::errc::invalid_argument, "patch", position);
  recall(w);
  if (position < base_) {
    const std::size_t before =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), base_ - position));
    const std::array<std::string_view, 1> pieces{bytes.substr(0, before)};
    std::error_code ec;
    const std::uint64_t written = write_all(*device_, position, pieces, ec);
    if (ec) {  // nothing is written after a failure, so what the buffer holds is lost too
      fail(ec, "patch", position + written, bytes.size() - written + pending());
      base_ += next_;
      next_ = high_ = 0;
    }
    position += before;
    bytes.remove_prefix(before);
  }
  if (!failed_ && !bytes.empty())
    std::memcpy(buffer_.get() + (position - base_), bytes.data(), bytes.size());
  lend(w);
  return failed_ ? report() : failure{};
}

failure device_sink::close(writer& w) noexcept {
  if (device_ == nullptr) return untold_ ? report() : failure{};
  flush(w);
  recall(w);
  set_window(w, nullptr, nullptr);
  if (!(failed_ && traits_.commits)) {  // a broken replacement must not take the target's place
    std::error_code ec;
    device_->close(ec);
    if (ec) fail(ec, traits_.commits ? "replace" : "close", failure::no_offset, 0);
  }
  if (thread_ != nullptr) thread_->stop();
  device_.reset();
  buffer_.reset();
  spare_.reset();
  return report();
}

std::size_t device_sink::copy(writer& w, device& from, std::uint64_t from_at, std::size_t n,
                              std::error_code& ec) noexcept {
  // Appended lines stay whole only in the window.
  if (device_ == nullptr || traits_.appends) return sink::copy(w, from, from_at, n, ec);
  recall(w);
  drain();
  std::size_t copied = 0;
  if (failed_)
    sink::copy(w, from, from_at, n, ec);
  else
    copied = device_->copy_at(base_, from, from_at, n, ec);
  base_ += copied;
  lend(w);
  return copied;
}

std::error_code device_sink::error(const writer&) const noexcept {
  if (failed_) return failed_.code;
  return device_ == nullptr ? make_error_code(errc::closed) : std::error_code{};
}

std::uint64_t device_sink::lost(const writer&) const noexcept { return failed_.unwritten; }

void device_sink::dispose(writer& w) noexcept {
  if (device_ != nullptr && traits_.commits) {
    recall(w);
    settle();
    // In a forked child only what the child wrote counts: the parent may still commit the rest.
    std::error_code unknown;
    const std::uint64_t all =
        inherited_ ? pending() : std::max(device_->size(unknown), base_ + pending());
    device_.reset();
    if (!failed_ && (all != 0 || !inherited_))
      fail(errc::not_committed, "replace", failure::no_offset, all);
  } else if (device_ != nullptr) {
    const bool known = failed_ && !untold_;
    if (close(w) && !known) untold_ = true;
  }
  if (untold_) report_loss(failed_, name_);
  delete this;
}

native_handle_type device_sink::native_handle() const noexcept {
  return device_ == nullptr ? no_handle : device_->native_handle();
}

native_handle_type device_sink::release(writer& w, failure& why) noexcept {
  why = flush(w);
  if (why) return no_handle;
  recall(w);
  std::error_code ec;
  const native_handle_type handle = device_->release(base_, ec);
  if (ec) {
    why = {ec, "release"};
    lend(w);
    return no_handle;
  }
  set_window(w, nullptr, nullptr);
  if (thread_ != nullptr) thread_->stop();
  device_.reset();
  return handle;
}

void device_sink::discard(writer& w) noexcept {
  recall(w);
  set_window(w, nullptr, nullptr);
  if (thread_ != nullptr) thread_->stop();
  device_.reset();
  untold_ = false;
}

}  // namespace v0
}  // namespace leat
