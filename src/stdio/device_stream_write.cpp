// Writing of device_stream: from the program's calls through the buffer or the sidecar to the
// device. Called by file.cpp and output_pieces.cpp.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <system_error>

#include "device/descriptor.hpp"
#include "device/transfer.hpp"
#include "stdio/device_stream.hpp"
#include "stdio/error.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

/// An interrupted call, or a call that wrote nothing, is not repeated but ends with an error, as C
/// programs expect.
constexpr retry_policy c_policy{.repeats_interrupted = false, .max_idle_calls = 1};

constexpr std::ptrdiff_t not_tried = -2;  // for finish_write()

}  // namespace

/// Writes the sidecar's bytes, and then `bytes`, to the device. Returns the count of bytes that the
/// device has taken. If other processes share the file, withdraw() may have written the first
/// pending bytes: these bytes are removed from `pending` and are not counted.
[[gnu::noinline]] std::size_t device_stream::write_with_sidecar(std::string_view& pending,
                                                                std::string_view bytes,
                                                                std::error_code& ec) noexcept {
  if (!pending.empty() && !sidecar_->begin_moving()) {
    const std::size_t already_written = sidecar_->withdraw(ec);
    base_ += already_written;
    pending.remove_prefix(already_written);
  }
  const sidecar::shared_call shared(sidecar_.get(), pending.empty() ? bytes : pending);
  return ec ? 0
            : static_cast<std::size_t>(write_all(*device_, base_, pending, bytes, ec, c_policy));
}

/// Notes that a write to the device is under way. The caller resets `write_state_`.
inline void device_stream::begin_write(bool at_offset) noexcept {
  write_state_ = at_offset ? write_state::at_offset : write_state::elsewhere;
  is_offset_current_ = false;
  if (traits_.appends) offset_may_move_ = true;  // the system chooses the position
  ++write_count_;
}

/// Writes one piece, at the offset or at the end of a file that appends. Programs that write each
/// line or each byte to the device spend their time here. Returns true if the device has taken all
/// bytes. Otherwise the caller calls finish_write() with `n`.
inline bool device_stream::write_piece(leat_file& f, std::string_view piece,
                                       std::ptrdiff_t& n) noexcept {
  n = not_tried;
  if (!writes_once_ || sidecar_ != nullptr || has_peer() ||
      (!traits_.appends && cursor_->position() != base_))
    return false;
  begin_write(!traits_.appends);
  {
    const fork_safe_call call(f);
    n = write_once(descriptor_, piece);
    cursor_->after_write(n, traits_.appends);
  }
  if (n != static_cast<std::ptrdiff_t>(piece.size())) [[unlikely]]
    return false;
  base_ += piece.size();
  failures_ = 0;
  return true;
}

/// Writes the pending bytes, at least one, to the device. On failure sets `f.failed` and reports
/// the error. Pending bytes that the device has not taken stay in the buffer or the sidecar.
/// Exception: if other processes share the file, these bytes are lost. Returns true if no bytes are
/// pending.
bool device_stream::write_pending(leat_file& f) noexcept {
  const std::string_view piece(buffer_, static_cast<std::size_t>(f.put - buffer_));
  if (std::ptrdiff_t n; !write_piece(f, piece, n)) {
    finish_write(f, {}, n);
    return !has_pending_bytes(f);
  }
  set_put_range(f, 0);
  write_state_ = write_state::none;
  return true;
}

/// As write_pending(), and then writes `bytes`. `bytes` must not be empty. Returns how many of
/// `bytes` the device has taken.
std::size_t device_stream::write_to_device(leat_file& f, std::string_view bytes) noexcept {
  std::ptrdiff_t n = not_tried;
  if (f.put != buffer_ || !write_piece(f, bytes, n)) return finish_write(f, bytes, n);
  write_state_ = write_state::none;
  return bytes.size();
}

/// The rest of write_pending() or write_to_device(). `first` is the result of the write in
/// write_piece(), or not_tried. On an error of this write, `first` is -1, and errno is set. Returns
/// how many of `bytes` the device has taken.
std::size_t device_stream::finish_write(leat_file& f, std::string_view bytes,
                                        std::ptrdiff_t first) noexcept {
  if (first == not_tried)
    begin_write(cursor_ != nullptr && !traits_.appends && cursor_->position() == base_);
  std::string_view pending = pending_bytes(f);
  std::error_code ec;
  if (first == -1) ec = {errno, std::generic_category()};
  std::size_t done;
  {
    const device_call call(f, sidecar_ != nullptr || !writes_once_);
    if (has_peer()) {
      const no_cancel guard;
      standard_peers::drain(standard_peers::leat, descriptor_);
    }
    if (sidecar_ != nullptr) {
      done = write_with_sidecar(pending, bytes, ec);
    } else if (first == not_tried) {
      done = static_cast<std::size_t>(write_all(*device_, base_, pending, bytes, ec, c_policy));
    } else {
      const std::string_view piece = bytes.empty() ? pending : bytes;
      done = static_cast<std::size_t>(
          write_rest(*device_, base_, {&piece, 1},
                     static_cast<std::size_t>(std::max<std::ptrdiff_t>(first, 0)), ec, c_policy));
    }
  }
  failures_ = ec && done == 0 ? failures_ + 1 : 0;
  base_ += done;
  if (ec) [[unlikely]]
    note_failed_write(f, ec, pending.size() + bytes.size() - done);
  const std::size_t of_pending = std::min(done, pending.size());
  const std::string_view left = pending.substr(of_pending);
  if (sidecar_ != nullptr) {
    sidecar_->restart_at(base_, left.size());
    set_put_range(f, 0);
  } else {
    if (!left.empty()) std::memmove(buffer_, left.data(), left.size());
    set_put_range(f, left.size());
  }
  write_state_ = write_state::none;
  return done - of_pending;
}

/// Reports that the write at `base_` failed, and keeps the error for fails_fast().
[[gnu::noinline]] void device_stream::note_failed_write(leat_file& f, std::error_code ec,
                                                        std::uint64_t unwritten) noexcept {
  failure_ = ec;
  failed_at_ = std::chrono::steady_clock::now();
  f.failed = true;
  if (appends_at_end() && sidecar_ == nullptr) base_ = end_for_append(f);
  report(f, {.code = ec, .operation = "write", .offset = base_, .unwritten = unwritten});
}

namespace {

/// True if the error will persist for some time, unlike EAGAIN.
bool is_persistent(std::error_code ec) noexcept {
#if defined(EDQUOT)
  if (ec == std::error_code(EDQUOT, std::generic_category())) return true;
#endif
  return ec == std::errc::no_space_on_device || ec == std::errc::io_error ||
         ec == std::errc::file_too_large || ec == std::errc::broken_pipe;
}

}  // namespace

/// Returns true if the caller must not try to write these `n` bytes: at least 16 writes in a row
/// have failed without writing a byte, and the last write has failed less than 1 ms ago with an
/// error that lasts. Then reports the last failure again. Reason: a program that ignores errors
/// goes on writing to a full disk, and each call would be a failing system call. After clearerr(),
/// and in a flush, the stream writes to the device at once.
bool device_stream::fails_fast(leat_file& f, std::size_t n) noexcept {
  constexpr unsigned least_failures = 16;
  if (failures_ < least_failures || !f.failed) [[likely]]
    return false;
  return repeat_recent_failure(f, n);
}

/// The slow part of fails_fast(), after several failures.
[[gnu::noinline]] bool device_stream::repeat_recent_failure(leat_file& f, std::size_t n) noexcept {
  constexpr std::chrono::milliseconds retry_interval{1};
  if (!is_persistent(failure_)) return false;
  if (std::chrono::steady_clock::now() - failed_at_ >= retry_interval) return false;
  report(f, {.code = failure_, .operation = "write", .offset = base_, .unwritten = pending(f) + n});
  return true;
}

/// Puts the bytes of one call into the sidecar. If other processes share the file, writes the
/// pending bytes to the device at once. Returns false if the sidecar has no room.
inline bool device_stream::write_to_sidecar(leat_file& f, std::string_view bytes) noexcept {
  switch (sidecar_->put(bytes)) {
    case sidecar::result::no_room:
      return false;
    case sidecar::result::shared:
      drain_shared(f);
      break;
    case sidecar::result::accepted:
      break;
  }
  return true;
}

/// Not inline, so that write_to_sidecar() stays short.
[[gnu::noinline]] void device_stream::drain_shared(leat_file& f) noexcept { drain(f); }

/// Writes the bytes of one unbuffered call to the sidecar. If the bytes do not fit into the
/// sidecar, writes them to the device. Returns the count of bytes taken.
std::size_t device_stream::write_unbuffered(leat_file& f, std::string_view bytes) noexcept {
  if (fails_fast(f, bytes.size())) return 0;
  // A kill during a write to the file could leave a part of the call's bytes there. So, if the
  // sidecar is full, the pending bytes go to the file first, and then the call's bytes go to the
  // sidecar.
  for (int tries = 0; tries != 2; ++tries) {
    if (write_to_sidecar(f, bytes)) return bytes.size();
    if (!drain(f)) return 0;
  }
  return drain(f) ? write_to_device(f, bytes) : 0;
}

void device_stream::remove_pending(leat_file& f, std::size_t n) noexcept {
  if (sidecar_ != nullptr) return;
  if (const std::size_t used = pending(f); used != 0) set_put_range(f, used - std::min(n, used));
}

std::size_t device_stream::write(leat_file& f, const char* from, std::size_t n) noexcept {
  if (state_ == state::writing) [[likely]] {
    if (sidecar_ != nullptr) return write_call_to_sidecar(f, {from, n});
    if (f.buffers == buffering::none && failures_ == 0) return write_to_device(f, {from, n});
  }
  return write_to_buffer(f, from, n);
}

/// Not inline, so that write() stays short.
std::size_t device_stream::write_call_to_sidecar(leat_file& f, std::string_view bytes) noexcept {
  return write_to_sidecar(f, bytes) ? bytes.size() : write_to_buffer(f, bytes.data(), bytes.size());
}

std::size_t device_stream::write_to_buffer(leat_file& f, const char* from, std::size_t n) noexcept {
  if (state_ != state::writing && !begin_writing(f)) {
    f.failed = true;
    return 0;
  }
  if (f.buffers == buffering::none) {
    if (sidecar_ != nullptr) return write_unbuffered(f, {from, n});
    return fails_fast(f, n) ? 0 : write_to_device(f, {from, n});
  }
  std::size_t done = 0;
  if (f.buffers == buffering::line) {
    const std::size_t newline = std::string_view(from, n).rfind('\n');
    if (newline != std::string_view::npos) {
      if (fails_fast(f, n)) return 0;
      const std::size_t lines = newline + 1;
      const std::size_t used = pending_bytes(f).size();
      if (used != 0 && lines <= capacity_ - used) {
        // The lines join the pending bytes in the buffer, so that there is one write.
        std::memcpy(f.put, from, lines);
        set_put_range(f, used + lines);
        if (!drain(f)) {
          const std::size_t left = pending_bytes(f).size();
          const std::size_t taken = lines - std::min(left, lines);
          set_put_range(f, left - (lines - taken));
          return taken;
        }
      } else if (const std::size_t taken = write_to_device(f, {from, lines}); taken != lines) {
        return taken;
      }
      if (lines == n) return n;
      done = lines;
    }
  }
  std::size_t used = pending_bytes(f).size();
  const std::size_t rest = n - done;
  if (used + rest > capacity_ || rest == capacity_) {
    if (fails_fast(f, rest)) return done;
    if (rest >= capacity_) return done + write_to_device(f, {from + done, rest});
    // Fills the buffer first. If the buffer begins at a block boundary and has the size of whole
    // blocks, the next write begins at a block boundary, too.
    const std::size_t fits = capacity_ - used;
    std::memcpy(buffer_ + used, from + done, fits);
    set_put_range(f, capacity_);
    done += fits;
    if (!drain(f)) {
      // A failed call leaves no part of its bytes in the buffer: a part would tear a line.
      const std::size_t left = pending_bytes(f).size(), back = std::min(left, fits);
      set_put_range(f, left - back);
      return done - back;
    }
    used = 0;
  }
  std::memcpy(buffer_ + used, from + done, n - done);
  set_put_range(f, used + n - done);
  return n;
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
