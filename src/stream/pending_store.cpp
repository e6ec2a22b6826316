// Implements the classes of pending_store.hpp, which keep the bytes of completed calls. Called by
// device_sink.
#include "stream/pending_store.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

namespace leat {
inline namespace v0 {

// Per-thread buffers in memory

bool thread_buffer_store::open_thread_buffers(thread_buffer_gate& gate) noexcept {
  if (thread_buffers_ == nullptr) thread_buffers_.reset(new (std::nothrow) thread_buffer_memory);
  if (thread_buffers_ == nullptr) return false;
  thread_buffers_->clear();
  gate_ = &gate;
  gate.open(thread_buffers_->thread_buffers, thread_buffer_memory::not_shared, best_stamp_clock(),
            thread_buffer::room, thread_buffer_gate::never_late);
  return true;
}

void thread_buffer_store::move_pending() noexcept {
  if (gate_ == nullptr) return;
  std::exchange(gate_, nullptr)->close();
  out_.add({thread_buffers_->merged,
            merge_thread_buffers(thread_buffers_->thread_buffers, thread_buffer::max_stamp,
                                 thread_buffers_->merged)});
}

// A sidecar

std::uint64_t sidecar_store::room() const noexcept {
  return (std::numeric_limits<std::uint64_t>::max)();
}

bool sidecar_store::put_slow(sidecar::result outcome, std::string_view bytes) noexcept {
  if (sidecar_ != nullptr && sidecar_->has_thread_buffers()) {
    move_pending();
    return sidecar_ != nullptr && put(bytes);
  }
  if (outcome == sidecar::result::shared) withdraw();
  return outcome != sidecar::result::no_room;
}

bool sidecar_store::write(std::string_view bytes) noexcept {
  // When the child opens a sidecar, the parent, too, begins to write each call to the file. The
  // parent has a sidecar, so the file is not inside a leat::folder.
  if (std::exchange(needs_own_sidecar_, false) && out_.target() != nullptr)
    sidecar_ = sidecar::open(path_ref(path_), *out_.target());
  if (put_first(bytes)) return true;
  if (sidecar_ == nullptr) return false;
  {
    const sidecar::shared_call call(sidecar_.get(), bytes);
    out_.add(bytes);
    if (!out_.failures) out_.write();
  }
  // After the end of the shared_call: after a failure begin_at_cursor() destroys the sidecar.
  begin_at_cursor();
  return true;
}

void sidecar_store::begin_at_cursor() noexcept {
  if (sidecar_ == nullptr) return;
  if (!out_.is_usable()) return detach_sidecar();
  sidecar_->restart_at(out_.position());
  sidecar_->limit_pending(room());
}

/// If the sidecar has room, takes the bytes of one call. Otherwise takes no byte and returns false.
/// Called when nothing is pending. The sidecar is better than a write to the file, because a kill
/// during the write could leave a part of the call in the file.
bool sidecar_store::put_first(std::string_view bytes) noexcept {
  if (sidecar_ == nullptr || !sidecar_->is_alone() || bytes.empty()) return false;
  begin_at_cursor();
  if (sidecar_ == nullptr) return false;
  // A log's file may take one line that is longer than the file's size limit.
  sidecar_->limit_pending(sidecar_store::room());
  const sidecar::result outcome = sidecar_->put(bytes);
  sidecar_->limit_pending(room() - std::min<std::uint64_t>(bytes.size(), room()));
  if (outcome == sidecar::result::shared) withdraw();
  return outcome != sidecar::result::no_room;
}

void sidecar_store::move_pending() noexcept {
  if (sidecar_ == nullptr) return;
  sidecar_->close_thread_buffers();
  if (pending_size() == 0) return;
  if (sidecar_->begin_moving())
    move_to_file();
  else
    withdraw();
}

/// Number of pending bytes, including the bytes that the sidecar has lost.
std::uint64_t sidecar_store::pending_size() const noexcept {
  return sidecar_->pending_bytes().size() + sidecar_->lost_bytes();
}

/// Writes pending bytes to the file. Called after begin_moving().
void sidecar_store::move_to_file() noexcept {
  const std::uint64_t total = pending_size();
  std::error_code ec = sidecar_->mapping_failure().code;
  if (!ec && sidecar_->lost_bytes() != 0) ec = errc::bad_sidecar;
  if (ec)
    out_.lose(ec, total);
  else
    out_.write_completed(sidecar_->pending_bytes());
  begin_at_cursor();
}

/// Writes pending bytes to the file. From now on other processes write to the file, too.
void sidecar_store::withdraw() noexcept {
  const std::string_view all = sidecar_->pending_bytes();
  const std::uint64_t lost = sidecar_->lost_bytes();
  std::error_code ec;
  // Another program may have truncated the sidecar after its number of bytes was decided.
  const std::size_t done = std::min(sidecar_->withdraw(ec), all.size());
  out_.skip(done);
  if (ec)
    out_.lose(ec, all.size() - done);
  else
    write_shared(all.substr(done));
  if (lost != 0) out_.fail(errc::bad_sidecar, "write", out_.position(), lost);
  if (out_.failures) detach_sidecar();
}

void sidecar_store::write_shared(std::string_view bytes) noexcept {
  if (bytes.empty()) return;
  const sidecar::shared_call call(sidecar_.get(), bytes);
  out_.write_completed(bytes);
}

bool sidecar_store::open_thread_buffers(thread_buffer_gate& gate) noexcept {
  return sidecar_ != nullptr &&
         sidecar_->open_thread_buffers(gate, std::min<std::uint64_t>(room(), thread_buffers_size),
                                       period_end());
}

void sidecar_store::after_fork_in_child() noexcept {
  if (sidecar_ == nullptr) return;
  out_.skip(sidecar_->size());
  sidecar_->after_fork_in_child();
  sidecar_.reset();
  needs_own_sidecar_ = true;
}

// The sidecars of a log

log_store::log_store(write_buffer& buffer, rotating_device& log) noexcept
    : sidecar_store(buffer, {}, nullptr), log_(log) {
  rotates_by_time_ = log.rotates_by_time();
  // The sidecar is opened under the rotation lock. Otherwise the file could be rotated during the
  // opening.
  if (lock_rotation(0) && sidecar_ == nullptr) {
    open_sidecar();
    lock_rotation(0);
  }
  log_.unlock_rotation();
  begin_at_cursor();
}

/// Takes the rotation lock to write `size` bytes. Called when nothing is pending. Returns false if
/// the stream has failed. The caller must call log_.unlock_rotation() in both cases.
bool log_store::lock_rotation(std::uint64_t size) noexcept {
  for (;;) {
    // If the file was moved away, the file's sidecar would prevent the next file from being opened.
    if (sidecar_ != nullptr && sidecar_->is_alone() && log_.was_moved()) sidecar_.reset();
    std::error_code ec;
    const rotating_device::lock_result found = log_.lock_rotation(size, ec);
    if (ec) {
      out_.fail(ec, "open", failure::no_offset, 0);
      return false;
    }
    // A process that rotates, or follows a moved file, removes the sidecar.
    const bool was_removed =
        sidecar_ != nullptr && !sidecar_->is_alone() && sidecar_->was_removed();
    if (found == rotating_device::lock_result::same && !was_removed) return true;
    if (found == rotating_device::lock_result::due) {
      close_sidecar();
      log_.rotate();
    }
    open_sidecar();
  }
}

/// Opens the sidecar of the current file. Opening a sidecar recovers the pending bytes of another
/// process, so the caller must read the file's size again, by lock_rotation().
void log_store::open_sidecar() noexcept {
  close_sidecar();
  sidecar_ = log_.open_sidecar();
}

/// Closes a sidecar in which nothing is pending.
void log_store::close_sidecar() noexcept {
  {
    const sidecar::shared_call finish_interrupted_call(sidecar_.get(), {});
  }
  sidecar_.reset();
}

bool log_store::put_slow(sidecar::result outcome, std::string_view bytes) noexcept {
  if (rotates_by_time_ && sidecar_ != nullptr && !log_.is_period_over()) {
    outcome = sidecar_->put(bytes);
    if (outcome == sidecar::result::accepted) return true;
  }
  return sidecar_store::put_slow(outcome, bytes);
}

bool log_store::write(std::string_view bytes) noexcept {
  while (!bytes.empty() && !out_.failures) {
    std::size_t size = bytes.size();
    if (lock_rotation(rotating_device::first_line_size(bytes))) {
      size = log_.fitting_size(bytes);
      const std::string_view fitting = bytes.substr(0, size);
      if (!put_first(fitting)) {
        {
          const sidecar::shared_call call(sidecar_.get(), fitting);
          if (call.has_lost_name())
            size = 0;
          else
            out_.write_with(fitting);
        }
        // After the end of the shared_call, as in sidecar_store::write().
        if (size != 0) begin_at_cursor();
      }
    } else {
      out_.fail({}, "write", out_.position(), size);
    }
    log_.unlock_rotation();
    bytes.remove_prefix(size);
    // The next lock_rotation() may switch to another file.
    if (!bytes.empty()) move_pending();
  }
  if (!bytes.empty()) out_.fail({}, "write", out_.position(), bytes.size());
  return true;
}

void log_store::move_pending() noexcept {
  if (sidecar_ == nullptr) return;
  sidecar_->close_thread_buffers();
  const std::uint64_t total = pending_size();
  if (total == 0) return;
  // Pending bytes belong to the current file. A process that opens the file waits for the end of
  // the move, so this function takes the rotation lock before it begins the move.
  log_.lock_rotation_unchecked();
  const bool removed = log_.was_removed();
  const bool moves = !removed && sidecar_->begin_moving();
  if (moves) move_to_file();
  log_.unlock_rotation();
  if (removed) follow_with_pending(total);
  if (moves || sidecar_ == nullptr) return;
  withdraw();
  move_pending();  // the next file has a sidecar of its own
}

/// Continues in the file that has the log's name now. Opening this file replays the pending bytes
/// into this file, because the file of the pending bytes has no name any more. `total`: number of
/// pending bytes.
void log_store::follow_with_pending(std::uint64_t total) noexcept {
  std::error_code ec;
  log_.lock_rotation(0, ec);
  log_.unlock_rotation();
  if (!ec) return;
  out_.fail(ec, "open", out_.position(), total);
  detach_sidecar();
}

void log_store::write_shared(std::string_view bytes) noexcept {
  try {
    const std::string copy(bytes);  // write() may unmap `bytes`
    write(copy);
  } catch (const std::bad_alloc&) {
    out_.lose(std::make_error_code(std::errc::not_enough_memory), bytes.size());
  }
}

bool log_store::check_path() noexcept {
  if (out_.failures) return true;
  lock_rotation(0);
  log_.unlock_rotation();
  return true;
}

bool log_store::open_thread_buffers(thread_buffer_gate& gate) noexcept {
  if (sidecar_ == nullptr) return false;
  check_path();
  begin_at_cursor();
  return !out_.failures && sidecar_store::open_thread_buffers(gate);
}

}  // namespace v0
}  // namespace leat
