#include "stream/device_sink.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "base/fork.hpp"
#include "device/system.hpp"
#include "device/transfer.hpp"

namespace leat {
inline namespace v0 {

namespace {

// From the `print` experiment: smaller windows pay for their system calls, larger ones gain
// nothing. The first is below malloc's threshold for mapping, so that opening many small files
// stays cheap.
constexpr std::size_t first_capacity = 64 << 10;
constexpr std::size_t last_capacity = 256 << 10;
/// Without a system that takes the bytes first, each window waits for the device. An object store
/// takes 100 ms for a request of any size.
constexpr std::size_t last_capacity_uncached = 4 << 20;
/// Past the cache each window is one request, and the disk has no other one at the same time.
constexpr std::size_t direct_capacity = 2 << 20;
/// In a file opened to append, a line that several calls compose stays whole up to this length.
constexpr std::size_t longest_line = 1 << 20;
/// Windows end at multiples of a page at least, so that no page of the file is written twice.
constexpr std::size_t page = 4096;

/// Memory for a window. A direct window consists of whole pages, and the disk takes it from this
/// memory.
char* allocate(std::size_t size, bool direct) noexcept {
  return direct ? allocate_bytes((size + page - 1) / page * page, page) : allocate_bytes(size);
}

}  // namespace

device_sink::device_sink(std::unique_ptr<device> target, const options& how, std::string_view name,
                         listed who)
    : device_(std::move(target)),
      traits_(device_->traits()),
      name_(name),
      who_(who),
      durability_(how.durability),
      flush_(how.durability == durability::process ? flush_when::call : how.flush),
      sync_(how.durability == durability::system),
      direct_(how.caching == caching::direct),
      last_capacity_(how.buffer_size != 0 || direct_              ? 0
                     : traits_.positional && !traits_.reads_ahead ? last_capacity_uncached
                                                                  : last_capacity),
      // While a thread writes past the cache, nobody can read through the same descriptor.
      background_((how.background || direct_) && flush_ == flush_when::full &&
                  !(direct_ && how.readable)),
      drops_(background_ && how.when_full == when_full::drop),
      capacity_(how.buffer_size != 0 ? how.buffer_size
                : direct_            ? direct_capacity
                : drops_             ? last_capacity_  // the thread takes no smaller window
                                     : first_capacity),
      base_(device_->position()) {
  if (sync_) device_->expect_sync();
  if (background_) thread_ = std::make_unique<background_writer>(*device_, direct_ ? 2 : 1);
  if (who_ == listed::itself) enlist();
}

// The window

/// Takes the window back from the writer, with the cursor.
void device_sink::reclaim_window(const writer& w) noexcept {
  user_.enter();
  if (beside_ != nullptr) move_from_beside();
  if (gate_ != nullptr) end_lanes();
  if (owner_ == nullptr) return;
  next_ = static_cast<std::size_t>(sink::next(w) - buffer_.get());
  owner_ = nullptr;
}

/// Gives the writer the rest of the buffer as its window, or none.
void device_sink::lend_window(writer& w) noexcept {
  begin_beside();
  lend_buffer(w);
}

void device_sink::lend_buffer(writer& w) noexcept {
  if (device_ == nullptr || failed_ || buffer_ == nullptr || flush_ != flush_when::full) {
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
  user_.enter();
  if (owner_ != nullptr) owner_ = &w;
}

void device_sink::before_fork() noexcept {
  // A thread that may be writing now is left alone. With durability::process each call comes here.
  if (who_ == listed::itself && !user_.is_inside() &&
      (forks_alone() || (user_.is_this() && beside_ != nullptr))) {
    file_writer nobody;
    flush_before_fork(owner_ != nullptr ? *owner_ : nobody);
  }
  // Both processes have a copy of the device. Each copy must know what the thread has written, so
  // this waits for the thread. It does not wait for a pipe, whose reader may be the child.
  // A log may be changing its file.
  if (thread_ != nullptr && traits_.positional && (!traits_.appends || changes_ != nullptr))
    thread_->wait();
  syncs_.before_fork();
}

void device_sink::flush_before_fork(writer& w) noexcept {
  // What appears with close() belongs to the parent alone.
  if (device_ == nullptr || failed_ || traits_.commits || user_.is_inside()) return;
  const user_thread::call inside(user_);
  reclaim_window(w);
  // Both processes write at the descriptor's offset, so nothing may wait in either of them.
  if (!traits_.appends) beside_.reset();
  if (traits_.positional || traits_.appends) {
    write_buffer();
  } else if (device_->native_handle() != no_handle) {
    if (!waits_long_for_thread()) write_to_pipe();
  } else {
    // An encoder keeps bytes, too, and the child can't write them.
    write_buffer();
    if (!failed_ && base_ != handed_over_) {
      handed_over_ = base_;
      sync_device();
      note_sync();
    }
  }
  lend_window(w);
}

void device_sink::after_fork_in_child() noexcept {
  syncs_.after_fork_in_child();
  forget_buffer();
}

void device_sink::forget_buffer() noexcept {
  gate_ = nullptr;
  // The thread exists only in the parent, with the window that it writes.
  background_writer::abandon(std::move(thread_));
  background_ = false;
  // The parent writes what the buffer held and reports what was lost.
  next_ = high_ = 0;
  failed_.unwritten = lost_before_ = 0;
  untold_ = false;
  inherited_ = true;
  user_.after_fork_in_child();
  if (beside_ != nullptr) {
    base_ += beside_->size();
    beside_->leave_to_parent();
    beside_.reset();
    joins_ = true;
  }
  if (owner_ != nullptr) lend_window(*owner_);
}

// The bytes beside the file

/// Takes the bytes of one call, if there is room for them.
inline bool device_sink::put_beside(std::string_view bytes) noexcept {
  user_.enter();
  if (changes_ != nullptr && changes_->is_late()) return false;
  if (beside_->has_lanes()) move_from_beside();
  if (beside_ == nullptr) return false;
  switch (beside_->put(bytes)) {
    case sidecar::result::no_room:
      return false;
    case sidecar::result::shared:
      withdraw_from_beside();
      break;
    case sidecar::result::taken:
      break;
  }
  return true;
}

// The buffer's size

/// How much of the buffer is filled before it is written. Windows end where the file's offset is a
/// multiple of their size, or at least of a page: for aligned writes the page cache makes larger
/// folios, and no page is written twice. The value depends on base_, so one window may be smaller
/// than the one before.
std::size_t device_sink::limit() const noexcept {
  if (capacity_ < 2 * page || !traits_.positional || traits_.appends) return capacity_;
  const auto aligned = capacity_ - static_cast<std::size_t>(base_ % capacity_);
  return aligned >= capacity_ / 4 ? aligned : capacity_ - static_cast<std::size_t>(base_ % page);
}

/// How many bytes wait in the buffer.
std::size_t device_sink::pending() const noexcept { return std::max(next_, high_); }

/// Gives the buffer `capacity` bytes of memory; what it holds stays. False: there is no memory, and
/// nothing has changed.
bool device_sink::allocate_buffer(std::size_t capacity) noexcept {
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

/// Doubles the buffer of a stream that has filled it, up to the last capacity.
void device_sink::grow() noexcept {
  if (capacity_ < last_capacity_) allocate_buffer(2 * capacity_);
}

// From the caller into the buffer

/// Takes bytes: copies them into the buffer, or writes them with it. `begun`: a part of the call is
/// in the stream already, so the rest is not dropped. It may be larger than the next window, as
/// windows differ.
void device_sink::add(std::string_view bytes, bool begun) noexcept {
  if (bytes.empty()) return;
  if (failed_ || device_ == nullptr) {
    fail(errc::closed, "write", base_, bytes.size());
  } else if (!allocate_buffer(capacity_)) {
    write_buffer_and(bytes);  // there is no memory for a buffer
  } else if (next_ + bytes.size() <= limit()) {
    copy_in(bytes);
  } else if (!begun && drops_ && background_ && thread_->would_wait()) {
    ++dropped_;
  } else if (traits_.appends) {
    add_lines(bytes);
  } else if (bytes.size() >= limit()) {
    add_large(bytes);
  } else {
    const std::size_t fits = limit() - next_;
    copy_in(bytes.substr(0, fits));
    if (!give_to_thread(next_)) write_buffer();
    grow();
    add(bytes.substr(fits), true);
  }
}

/// Takes bytes that fill at least one window. They are written from where they are; only the last
/// ones, which would end in the middle of a page, are copied.
void device_sink::add_large(std::string_view bytes) noexcept {
  const std::uint64_t end = base_ + next_ + bytes.size();
  const std::size_t rest = limit() < 2 * page || !traits_.positional ? 0 : end % page;
  const std::size_t large = bytes.size() - rest;
  write_buffer_and(bytes.substr(0, large));
  grow();
  add(bytes.substr(large), true);
}

/// Takes bytes for a file that others append to as well: only whole lines leave the buffer.
void device_sink::add_lines(std::string_view bytes) noexcept {
  const auto newline = bytes.rfind('\n');
  // A small piece is copied into the window, which a thread can take.
  const bool goes_past = !background_ || bytes.size() > capacity_ / 4;
  if (newline != std::string_view::npos && goes_past) {
    write_buffer_and(bytes.substr(0, newline + 1));
    bytes.remove_prefix(newline + 1);
    grow();
  } else {
    write_lines();
    if (background_) grow();  // to the size that a thread takes
  }
  if (failed_) {
    fail({}, "write", base_, bytes.size());
    return;
  }
  const std::size_t needed = next_ + bytes.size();
  const std::size_t larger = std::max(needed, std::min(2 * capacity_, longest_line));
  if (needed > limit() && (needed > longest_line || !allocate_buffer(larger)))
    write_buffer_and(bytes);
  else
    copy_in(bytes);
}

/// Copies bytes to the cursor. There is room for them.
void device_sink::copy_in(std::string_view bytes) noexcept {
  if (bytes.empty()) return;  // the buffer may be null then
  std::memcpy(buffer_.get() + next_, bytes.data(), bytes.size());
  next_ += bytes.size();
}

// From the buffer to the device

/// Writes the buffer. The buffer is empty afterwards, also after a failure.
void device_sink::write_buffer() noexcept { write_buffer_and({}); }

/// Writes the buffer, and `bytes` at the cursor, in one call.
void device_sink::write_buffer_and(std::string_view bytes) noexcept {
  wait_for_thread();
  // `bytes` overwrite what lies behind the cursor, so the buffer is written before them.
  if (next_ < high_ && !bytes.empty()) write_buffer();
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

/// Writes the whole lines of the buffer, if there are any; the rest of a line stays in it.
void device_sink::write_lines() noexcept {
  const std::string_view held(buffer_.get(), pending());
  const auto newline = held.rfind('\n');
  if (newline == std::string_view::npos) return;
  const std::size_t lines = newline + 1;
  if (give_to_thread(lines) || failed_) return;
  const std::size_t rest = held.size() - lines;
  next_ = high_ = lines;
  write_buffer();
  if (failed_) {
    fail({}, "write", base_, rest);
    return;
  }
  std::memmove(buffer_.get(), buffer_.get() + lines, rest);
  next_ = high_ = rest;
}

/// Writes the buffer to a pipe before a fork. The reader may be slow, or may be the child. What it
/// does not take stays in the buffer.
void device_sink::write_to_pipe() noexcept {
  constexpr std::size_t at_once = 4096;  // a pipe that is ready takes so much without waiting
  const std::size_t size = pending();
  std::size_t done = 0;
  while (done != size && is_ready_soon(device_->native_handle(), fork_patience)) {
    std::string_view piece(buffer_.get() + done, std::min(size - done, at_once));
    // Others may write to the pipe, too.
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
  if (done != 0) std::memmove(buffer_.get(), buffer_.get() + done, size - done);
  next_ = size - done;
  high_ = 0;
}

/// Writes the buffer. With `sync` it also waits until the bytes survive a crash of the machine.
void device_sink::write_and_sync(bool sync) noexcept {
  if (!failed_) write_buffer();
  if (failed_ || !sync) return;
  sync_device();
  note_sync();
}

bool device_sink::sync_device() noexcept {
  return syncs_.run([this](std::error_code& ec) { device_->sync(ec); });
}

/// Learns whether a sync has failed, perhaps one that another thread has called.
void device_sink::note_sync() noexcept {
  if (const std::error_code ec = syncs_.error(); ec && !failed_)
    fail(ec, "sync", failure::no_offset, 0);
}

// From the buffer to the device by the thread

/// Gives the thread the first bytes of the buffer to write, and continues with the rest in another
/// buffer. False: the caller has to write. Then nothing has changed, except that earlier windows
/// have come back from the thread, and one of them may have failed.
bool device_sink::give_to_thread(std::size_t size) noexcept try {
  // A window that is still growing is too small to be worth a thread.
  if (!background_ || next_ < high_ || capacity_ < last_capacity_) {
    wait_for_thread();
    return false;
  }
  if (thread_->is_full()) take_window_back();
  if (!failed_) thread_->start();
  if (failed_ || !make_spare()) {
    wait_for_thread();
    return false;
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
  background_ = false;  // no thread can be started
  return false;
}

/// Makes sure that there is a second buffer of the same size. False: there is no memory.
bool device_sink::make_spare() noexcept {
  if (spare_capacity_ >= capacity_) return true;
  spare_.reset(allocate(capacity_, direct_));
  if (spare_ == nullptr) return false;
  spare_capacity_ = capacity_;
  return true;
}

/// Waits until the thread has written all windows that it was given.
void device_sink::wait_for_thread() noexcept {
  while (thread_ != nullptr && thread_->has_window()) take_window_back();
}

/// True if the thread still writes after some patience: a pipe's reader is slow.
bool device_sink::waits_long_for_thread() noexcept {
  const auto begin = std::chrono::steady_clock::now();
  while (thread_ != nullptr && thread_->has_window()) {
    if (!thread_->is_writing()) {
      take_window_back();
      continue;
    }
    if (std::chrono::steady_clock::now() - begin > fork_patience) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

/// Waits for the first window that the thread was given, and keeps its failure and its memory.
void device_sink::take_window_back() noexcept {
  background_writer::window done = thread_->take_back();
  if (done.ec) {
    fail(done.ec, "write", done.at + done.written, done.size - done.written);
    lose_buffer();
  }
  spare_ = std::move(done.memory);
  spare_capacity_ = done.capacity;
}

// Failures

/// Keeps the first failure. Counts the bytes that are lost by it and after it.
void device_sink::fail(std::error_code ec, const char* operation, std::uint64_t offset,
                       std::uint64_t unwritten) noexcept {
  const std::uint64_t so_far = failed_.unwritten;
  if (!failed_) {
    failed_ = {ec, operation, offset, 0};
    resume_ = operation == std::string_view("patch") ? base_ : offset;
  }
  failed_.unwritten = so_far + unwritten;
  untold_ = true;
}

/// Counts the buffer's bytes as lost: nothing is written after a failure.
void device_sink::lose_buffer() noexcept {
  fail({}, "write", base_, pending());
  base_ += next_;
  next_ = high_ = 0;
}

/// Returns the failure so far; the caller tells the program of it.
failure device_sink::report() noexcept {
  untold_ = false;
  return failed_;
}

/// A failure of one call, after which the stream goes on.
failure device_sink::refuse(std::errc why, const char* operation,
                            std::uint64_t offset) const noexcept {
  return {std::make_error_code(why), operation, offset, 0};
}

// The interface

void device_sink::write(writer& w, std::string_view bytes) noexcept {
  if (beside_ != nullptr && put_beside(bytes)) [[likely]]
    return;
  write_call(w, bytes);
}

void device_sink::write_call(writer& w, std::string_view bytes) noexcept {
  if (abandoned_) return;
  if (user_.is_inside()) {  // a signal handler prints to the stream that it has interrupted
    fail(std::make_error_code(std::errc::resource_deadlock_would_occur), "write",
         failure::no_offset, bytes.size());
    return;
  }
  const user_thread::call inside(user_);
  // Makes the parent write by itself, too. A log opens its file anew. The parent has a sidecar, so
  // the file is in no folder of strangers.
  if (std::exchange(joins_, false) && device_ != nullptr && changes_ == nullptr)
    beside_ = sidecar::open(path_ref(name_), *device_);
  reclaim_window(w);
  if (changes_ != nullptr && durability_ == durability::process) {
    write_in_turns(bytes);
  } else if (!begin_window_with(bytes)) {
    {
      const sidecar::turn turn(beside_.get(), bytes);
      add(bytes);
      const bool act = flush_ == flush_when::call ||
                       (flush_ == flush_when::line && bytes.find('\n') != std::string_view::npos);
      if (act && !failed_) write_buffer();
    }
    begin_beside();  // a failure ends the sidecar, which the turn has used
  }
  if (failed_) beside_.reset();
  lend_buffer(w);
}

failure device_sink::flush(writer& w, bool sync) noexcept {
  if ((device_ == nullptr && !failed_) || abandoned_)
    return {errc::closed, sync ? "sync" : "flush", base_, 0};
  const user_thread::call inside(user_);
  reclaim_window(w);
  look_for_file();
  write_and_sync(sync);
  lend_window(w);
  return report();
}

bool device_sink::begin_sync(writer& w, bool sync, failure& result) noexcept {
  const bool apart =
      (sync || sync_) && device_ != nullptr && traits_.syncs_beside && who_ == listed::itself;
  result = apart ? flush(w, false) : flush(w, sync || sync_);
  return apart && !result;
}

failure device_sink::end_sync(writer& w, bool synced) noexcept {
  // With durability::system, close() has synced.
  if (!synced && !failed_ && !sync_) return {errc::closed, "sync", base_, 0};
  const bool open = device_ != nullptr;  // another thread may have closed the stream meanwhile
  const user_thread::call inside(user_);
  if (syncs_.error() && !failed_) {
    if (open) reclaim_window(w);
    note_sync();
    if (open) lend_window(w);
  }
  return failed_ ? report() : failure{};
}

void device_sink::flush_unreported(writer& w) noexcept {
  if (!abandoned_ && !user_.is_inside()) write_what_waits(w);
}

void device_sink::write_what_waits(writer& w) noexcept {
  const user_thread::call inside(user_);
  reclaim_window(w);
  if (device_ != nullptr) look_for_file();
  if (device_ != nullptr) write_and_sync(sync_);
  lend_window(w);
}

failure device_sink::refuse_to_seek(writer&) const noexcept {
  if (device_ == nullptr || (traits_.positional && !traits_.appends)) return {};
  return refuse(traits_.refusal(), "seek", failure::no_offset);
}

failure device_sink::seek(writer& w, std::uint64_t position) noexcept {
  if (device_ == nullptr || abandoned_) return {errc::closed, "seek", position, 0};
  const user_thread::call inside(user_);
  if (const failure why = refuse_to_seek(w)) return why;
  reclaim_window(w);
  if (position >= base_ && position - base_ <= pending()) {
    high_ = pending();
    next_ = static_cast<std::size_t>(position - base_);
  } else {
    write_buffer();
    base_ = position;
  }
  // Only bytes at the end of the file may wait: those that overwrite others could not be told from
  // a stranger's.
  beside_.reset();
  lend_window(w);
  return failed_ ? report() : failure{};
}

std::uint64_t device_sink::tell(const writer& w) const noexcept {
  if (beside_ != nullptr) return base_ + beside_->size();
  if (owner_ == nullptr) return base_ + next_ + (gate_ != nullptr ? gate_->taken() : 0);
  return base_ + static_cast<std::size_t>(sink::next(w) - buffer_.get());
}

failure device_sink::patch(writer& w, std::uint64_t position, std::string_view bytes) noexcept {
  if (device_ == nullptr || abandoned_) return {errc::closed, "patch", position, bytes.size()};
  const user_thread::call inside(user_);
  if (!traits_.positional || traits_.appends)
    return refuse(traits_.refusal(), "patch", failure::no_offset);
  reclaim_window(w);
  wait_for_thread();
  lend_window(w);
  if (failed_) return report();
  const std::uint64_t end = tell(w);
  if (position > end || bytes.size() > end - position)
    return refuse(std::errc::invalid_argument, "patch", position);
  reclaim_window(w);
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
  if (!failed_ && !bytes.empty())
    std::memcpy(buffer_.get() + (position - base_), bytes.data(), bytes.size());
  lend_window(w);
  return failed_ ? report() : failure{};
}

failure device_sink::close(writer& w) noexcept {
  failure result;
  close_shared(w, result);
  return result;
}

std::unique_ptr<device> device_sink::close_shared(writer& w, failure& result) noexcept {
  if (abandon_if_inside(w)) {
    result = report();
    return nullptr;
  }
  if (device_ == nullptr) {
    result = untold_ ? report() : failure{};
    return nullptr;
  }
  if (would_join_itself("close", result)) return nullptr;
  const user_thread::call inside(user_);
  closing_ = true;
  flush(w);
  reclaim_window(w);
  set_window(w, nullptr, nullptr);
  syncs_.end();
  if (!(failed_ && traits_.commits)) {  // a broken file must not replace the target
    std::error_code ec;
    device_->close(ec);
    const char* const operation = !traits_.commits            ? "close"
                                  : device_->traits().commits ? "replace"
                                                              : "sync";
    if (ec) fail(ec, operation, failure::no_offset, 0);
  }
  if (thread_ != nullptr) thread_->stop();
  buffer_.reset();
  spare_.reset();
  beside_.reset();
  user_.leave();
  result = report();
  return std::move(device_);
}

/// True in this log's callback; closing the log would wait for the callback.
bool device_sink::would_join_itself(const char* operation, failure& why) const noexcept {
  if (device_ == nullptr || changes_ == nullptr || !changes_->is_in_callback()) return false;
  why = {std::make_error_code(std::errc::resource_deadlock_would_occur), operation};
  return true;
}

std::size_t device_sink::copy(writer& w, device& from, std::uint64_t from_at, std::size_t n,
                              std::error_code& ec) noexcept {
  // Appended lines stay whole only if they go through the window.
  if (device_ == nullptr || abandoned_ || traits_.appends)
    return sink::copy(w, from, from_at, n, ec);
  const user_thread::call inside(user_);
  reclaim_window(w);
  write_buffer();
  std::size_t copied = 0;
  if (failed_)
    sink::copy(w, from, from_at, n, ec);
  else
    copied = device_->copy_at(base_, from, from_at, n, ec);
  base_ += copied;
  lend_window(w);
  return copied;
}

std::error_code device_sink::error(const writer&) const noexcept {
  if (failed_) return failed_.code;
  return device_ == nullptr ? make_error_code(errc::closed) : std::error_code{};
}

std::uint64_t device_sink::lost(const writer&) const noexcept {
  return lost_before_ + failed_.unwritten;
}

void device_sink::clear_error(writer& w) noexcept {
  const bool final = traits_.commits || failed_.operation == std::string_view("sync");
  if (!failed_ || device_ == nullptr || final || abandoned_) return;
  const user_thread::call inside(user_);
  reclaim_window(w);
  wait_for_thread();
  background_ = false;  // the thread writes no more after a failure
  base_ = resume_;
  next_ = high_ = 0;
  lost_before_ += failed_.unwritten;
  failed_ = {};
  untold_ = false;
  lend_window(w);
}

failure device_sink::finish(writer& w) noexcept {
  if (abandon_if_inside(w)) return untold_ ? report() : failure{};
  if (device_ != nullptr && traits_.commits) {
    give_up(w);
  } else if (device_ != nullptr) {
    const bool known = failed_ && !untold_;
    if (close(w) && !known) untold_ = true;
  }
  return untold_ ? report() : failure{};
}

/// A signal handler that has interrupted a call ends the program: nobody can tell what the stream
/// holds.
bool device_sink::abandon_if_inside(writer& w) noexcept {
  if (abandoned_) return true;
  if (!user_.is_inside()) return false;
  abandoned_ = left_ = true;
  set_window(w, nullptr, nullptr);
  fail(errc::left_open, traits_.commits ? "replace" : "write", failure::no_offset, 0);
  return true;
}

failure device_sink::leave(writer& w) noexcept {
  if (abandon_if_inside(w)) return untold_ ? report() : failure{};
  left_ = true;
  const user_thread::call inside(user_);
  if (device_ != nullptr && traits_.commits) {
    give_up(w);
    set_window(w, nullptr, nullptr);
  } else {
    flush_ = flush_when::call;
    write_what_waits(w);
    beside_.reset();  // nothing waits in it
  }
  return untold_ ? report() : failure{};
}

open_stream::loss device_sink::at_exit() noexcept {
  if (left_) return {};  // by a sink above
  if (user_.is_another()) {
    // Its window must not be touched, and nobody can tell how many bytes are in it.
    if (whole_calls() && !traits_.commits) return {};
    return {{errc::left_open, traits_.commits ? "replace" : "write"}, name_};
  }
  file_writer nobody;
  return {leave(owner_ != nullptr ? *owner_ : nobody), name_};
}

/// Drops a file that was to appear with close().
void device_sink::give_up(writer& w) noexcept {
  const user_thread::call inside(user_);
  reclaim_window(w);
  wait_for_thread();
  // In a forked child only the child's bytes count: the parent may still write the others.
  std::error_code unknown;
  const std::uint64_t all =
      inherited_ ? pending() : std::max(device_->size(unknown), base_ + pending());
  syncs_.end();
  device_.reset();
  // An exception that ends the stream's block is why there is no close(). It is told already.
  const bool unwinding = std::uncaught_exceptions() > exceptions_;
  if (!failed_ && !unwinding && (all != 0 || !inherited_))
    fail(errc::not_committed, "replace", failure::no_offset, all);
}

void device_sink::dispose(writer& w) noexcept {
  if (const failure untold = finish(w)) report_lost_bytes(untold, name_);
  if (abandoned_) return set_sink(w, closed_sink());
  set_sink(w, closed_sink());  // a `synchronized` over a static writer may outlive it at exit
  delete this;
}

native_handle_type device_sink::native_handle() const noexcept {
  // The thread may be changing the file of a log.
  if (thread_ != nullptr && changes_ != nullptr) thread_->wait();
  return device_ == nullptr ? no_handle : device_->native_handle();
}

native_handle_type device_sink::release(writer& w, failure& why) noexcept {
  if (would_join_itself("release", why)) return no_handle;
  why = flush(w);
  if (why) return no_handle;
  const user_thread::call inside(user_);
  reclaim_window(w);
  std::error_code ec;
  syncs_.end();
  const native_handle_type handle = device_->release(base_, ec);
  if (ec) {
    syncs_.go_on();
    why = {ec, "release"};
    lend_window(w);
    return no_handle;
  }
  set_window(w, nullptr, nullptr);
  if (thread_ != nullptr) thread_->stop();
  ended_ = std::move(device_);
  beside_.reset();
  user_.leave();
  return handle;
}

void device_sink::discard(writer& w) noexcept {
  if (abandoned_) return;
  const user_thread::call inside(user_);
  beside_.reset();
  if (lane_gate* const gate = std::exchange(gate_, nullptr)) gate->close();
  reclaim_window(w);
  set_window(w, nullptr, nullptr);
  if (thread_ != nullptr) thread_->stop();
  syncs_.end();
  ended_ = std::move(device_);
  if (changes_ == nullptr) ended_.reset();
  user_.leave();
  untold_ = false;
}

}  // namespace v0
}  // namespace leat
