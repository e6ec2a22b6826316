// device_stream: buffers, positions, seeking and closing. The files of src/stdio and src/c call
// the stream through leat_file::below.
#include "stdio/device_stream.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <new>
#include <utility>

#include "device/descriptor.hpp"
#include "stdio/error.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

device_stream::device_stream(std::unique_ptr<device> target, bool sync) noexcept
    : device_(std::move(target)),
      cursor_(nullptr),
      descriptor_(descriptor_of(*device_)),
      traits_(device_->traits()),
      base_(device_->position()),
      sync_(sync) {}

device_stream::device_stream(std::unique_ptr<cursor_device> target, bool at_end, bool sync,
                             bool just_opened) noexcept
    : device_(std::move(target)),
      cursor_(static_cast<cursor_device*>(device_.get())),
      descriptor_(cursor_->descriptor()),
      traits_(device_->traits()),
      writes_once_(cursor_->writes_once()),
      base_(device_->position()),
      is_offset_private_(just_opened),
      sync_(sync),
      seeks_device_(descriptor_ < 0) {
  std::error_code ec;
  if (at_end && traits_.positional) {
    if (const std::uint64_t end = cursor_->move_to_end(ec); !ec) base_ = end;
  }
}

device_stream::~device_stream() { attached.reset(); }

/// Makes sure that there is a buffer, of the size given to setvbuf. If setvbuf has set no size, the
/// size is `size`. Returns false (ENOMEM) if there is no memory.
bool device_stream::ensure_buffer(std::size_t size) noexcept {
  if (buffer_ != nullptr && capacity_ == size) return true;
  if (setvbuf_size_ != 0 && buffer_ != nullptr) return true;
  if (setvbuf_size_ != 0) size = setvbuf_size_;
  std::unique_ptr<char[]> fresh(new (std::nothrow) char[size]);
  if (fresh == nullptr) return fail(ENOMEM, false);
  own_buffer_ = std::move(fresh);
  buffer_ = own_buffer_.get();
  capacity_ = size;
  return true;
}

/// The position of the next byte. Pushed-back bytes lie before the buffer's next byte.
std::uint64_t device_stream::position(const leat_file& f) const noexcept {
  switch (state_) {
    case state::reading: {
      const char* const next = f.is_in_pushback ? f.saved_get : f.get;
      const std::uint64_t at = base_ + static_cast<std::uint64_t>(next - buffer_);
      const std::size_t before = f.pushback_size();
      return at < before ? 0 : at - before;
    }
    case state::writing:
      return base_ + pending(f);
    default:
      return base_;
  }
}

std::size_t device_stream::pending(const leat_file& f) const noexcept {
  return pending_bytes(f).size();
}

void device_stream::reset_buffer(leat_file& f) noexcept {
  f.drop_pushback();
  f.clear_pointers();
  state_ = state::idle;
}

/// If other code may have moved the descriptor's offset, continues from this offset. POSIX allows
/// other code to move the offset after a flush, at the end of the file, and after unbuffered reads.
/// Returns false (errno) if the offset can't be queried: for example, the descriptor is closed.
bool device_stream::reload_offset(leat_file& f) noexcept {
  if (is_offset_private_) return true;
  bool may_have_moved = is_offset_current_ || offset_may_move_;
  if (state_ == state::reading)
    may_have_moved = !f.is_in_pushback && f.available() == 0 &&
                     (f.at_end || f.buffers == buffering::none) && cursor_ != nullptr &&
                     cursor_->position() == position(f);
  else if (state_ == state::writing && traits_.appends)
    may_have_moved = pending(f) == 0;
  if (!may_have_moved || cursor_ == nullptr || !traits_.positional) return true;
  std::error_code ec;
  const std::uint64_t at = cursor_->offset(ec);
  if (ec) {
    report(f, {.code = ec, .operation = "seek"});
    return false;
  }
  base_ = at;
  offset_may_move_ = false;
  if (state_ == state::reading) f.get = f.get_end = buffer_;
  return true;
}

bool device_stream::begin_reading(leat_file& f) noexcept {
  if (state_ == state::reading) return true;
  if (state_ == state::writing) {
    if (!drain(f)) return false;
    reset_buffer(f);
  }
  reload_offset(f);
  is_offset_private_ = false;
  state_ = state::reading;
  f.get = f.get_end = buffer_;
  return true;
}

/// The end of the file, or `base_` if the system can't find the end.
std::uint64_t device_stream::end_for_append(leat_file& f) noexcept {
  const device_call call(f);
  std::error_code ec;
  const std::uint64_t end = cursor_->end(ec);
  return ec ? base_ : end;
}

bool device_stream::begin_writing(leat_file& f) noexcept {
  if (state_ == state::writing) return true;
  if (state_ == state::reading) {
    reload_offset(f);
    const std::uint64_t at = position(f);
    reset_buffer(f);
    base_ = at;
  }
  // The system finds the end of the file for each append; only a sidecar must know the end.
  if (!appends_at_end())
    reload_offset(f);
  else if (sidecar_ != nullptr || needs_own_sidecar_)
    base_ = end_for_append(f);
  is_offset_private_ = false;
  if (f.buffers != buffering::none && !ensure_buffer(write_size)) return false;
  state_ = state::writing;
  if (std::exchange(needs_own_sidecar_, false)) sidecar_ = sidecar::open(path_ref(""), *device_);
  // Only bytes at the end of the file may be pending in the sidecar. A recovery could not
  // distinguish overwritten bytes from another writer's bytes.
  if (std::error_code ec; sidecar_ != nullptr && !traits_.appends && device_->size(ec) != base_)
    sidecar_.reset();
  if (sidecar_ != nullptr) sidecar_->restart_at(base_);
  set_put_range(f, 0);
  return true;
}

void device_stream::before_fork(leat_file& f) noexcept {
  is_offset_private_ = false;
  if (sidecar_ == nullptr) return;
  // The child may write, and the pending bytes must come before the child's bytes. If the disk is
  // full, the remaining bytes stay pending.
  const bool drained = drain(f);
  // Both processes write at the descriptor's offset, so pending bytes are not allowed.
  if (drained && !traits_.appends) sidecar_.reset();
}

void device_stream::after_fork_in_child(leat_file& f) noexcept {
  is_offset_private_ = false;
  // Another thread of the parent may be in a write: the device's position has moved, and `base_`
  // has not moved yet.
  if (write_state_ == write_state::at_offset) {
    base_ = cursor_->position();
    offset_may_move_ = true;
  }
  write_state_ = write_state::none;
  was_forked_ = true;
  get_at_fork_ = f.get;
  if (sync_group_ != nullptr) sync_group_->commits.after_fork_in_child();
  if (state_ == state::writing && keeps_bytes_until_close()) reset_buffer(f);  // the parent writes
  if (sidecar_ == nullptr) return;
  const std::uint64_t at = position(f);
  sidecar_->after_fork_in_child();
  sidecar_.reset();
  reset_buffer(f);
  base_ = at;
  needs_own_sidecar_ = true;
}

bool device_stream::move_descriptor_offset(leat_file& f, std::uint64_t at) noexcept {
  std::error_code ec;
  {
    const device_call call(f);
    cursor_->set_cursor(at, ec);
  }
  if (!ec) return true;
  f.failed = true;
  report(f, {.code = ec, .operation = "seek", .offset = at});
  return false;
}

/// Reports that the stream has no positions, or that the program has closed the stream's
/// descriptor. Returns `result`.
template <class Result>
Result device_stream::refuse_position(leat_file& f, Result result) noexcept {
  std::error_code why = make_error_code(traits_.refusal());
  if (cursor_ != nullptr && !seeks_device_) {
    std::error_code ec;
    cursor_->offset(ec);
    if (ec == std::errc::bad_file_descriptor) why = ec;
  }
  report(f, {.code = why, .operation = "seek"});
  return result;
}

bool device_stream::seek(leat_file& f, std::int64_t target) noexcept {
  if (!traits_.positional) return refuse_position(f, false);
  const auto at = static_cast<std::uint64_t>(target);
  failures_ = 0;  // a write may succeed at the new position
  // True if other code may have moved the descriptor's offset away from `at`; see reload_offset().
  const bool is_stale = descriptor_ >= 0 && cursor_ != nullptr && cursor_->position() == at &&
                        (is_offset_current_ || f.at_end || f.buffers == buffering::none);
  if (state_ == state::writing) {
    if (!drain(f) || (offset_may_move_ && !reload_offset(f))) return false;
    reset_buffer(f);
    base_ = at;
  } else if (state_ == state::reading) {
    // The run is the bytes used since the last jump. If the target is a little ahead, the run
    // includes the target: a buffer of the run's size would have held the target.
    const std::uint64_t from = position(f);
    const bool near = at > from && at - run_begin_ < first_read_size;
    if (const std::uint64_t run_end = near ? at + 1 : from; run_end > run_begin_)
      run_size_ = static_cast<std::size_t>(run_end - run_begin_);
    f.drop_pushback();
    const auto buffered = static_cast<std::uint64_t>(f.get_end - buffer_);
    if (at - base_ <= buffered && buffer_ != nullptr) {
      f.get = buffer_ + (at - base_);
    } else {
      // A file's bytes around the target are usually in the page cache, so more bytes cost little
      // to read. For other devices, the cost is unknown.
      if (cursor_ != nullptr && descriptor_ >= 0)
        seek_reads_.record(from, at, base_,
                           setvbuf_size_ != 0
                               ? seek_reads::sizes{setvbuf_size_, 0, setvbuf_size_}
                               : seek_reads::sizes{first_read_size, 0, most_read_size / 2});
      reset_buffer(f);
      base_ = at;
    }
  } else {
    base_ = at;
  }
  return (!is_offset_current_ && !seeks_device_ && !is_stale) ||
         set_descriptor_offset(f, at, is_stale);
}

std::int64_t device_stream::end(leat_file& f) noexcept {
  if (!traits_.positional) return refuse_position(f, std::int64_t{-1});
  if (state_ == state::writing && !drain(f)) return -1;
  std::error_code ec;
  std::uint64_t size;
  {
    const device_call call(f);
    size = cursor_ != nullptr ? cursor_->end(ec) : device_->size(ec);
  }
  if (!ec) return static_cast<std::int64_t>(size);
  report(f, {.code = ec, .operation = "get the size of"});
  return -1;
}

std::int64_t device_stream::tell(leat_file& f) noexcept {
  if (!traits_.positional) return refuse_position(f, std::int64_t{-1});
  if (traits_.appends && pending(f) != 0 && cursor_ != nullptr) {
    // Other processes may append too, so only the system knows the end.
    std::error_code ec;
    const device_call call(f);
    const std::uint64_t end = cursor_->end(ec);
    if (!ec) return static_cast<std::int64_t>(end + pending(f));
  }
  if (!reload_offset(f)) return -1;
  return static_cast<std::int64_t>(position(f));
}

std::int64_t device_stream::tell_or_count(leat_file& f) noexcept {
  return traits_.positional ? tell(f) : static_cast<std::int64_t>(position(f));
}

bool device_stream::set_buffer(leat_file& f, char* memory, std::size_t size) noexcept {
  std::unique_ptr<char[]> own;  // allocated here, so that no later write fails without memory
  if (memory == nullptr && size != 0) {
    own.reset(new (std::nothrow) char[size]);
    if (own == nullptr) return fail(ENOMEM, false);
    memory = own.get();
  }
  if (state_ == state::writing && !drain(f)) return false;
  // After setvbuf the stream no longer uses the sidecar.
  const std::uint64_t at = position(f);
  sidecar_.reset();
  needs_own_sidecar_ = false;
  failures_ = 0;
  if (state_ == state::reading) {
    char*& next = f.is_in_pushback ? f.saved_get : f.get;
    char*& end = f.is_in_pushback ? f.saved_get_end : f.get_end;
    if (f.available() != 0 || next != end) {
      // The current buffer has unread bytes, so the buffer stays. If the buffer is the program's
      // memory, the bytes are copied, because the program may soon free this memory.
      if (buffer_ != own_buffer_.get()) {
        std::unique_ptr<char[]> fresh(new (std::nothrow) char[capacity_]);
        if (fresh == nullptr) return fail(ENOMEM, false);
        std::memcpy(fresh.get(), buffer_, static_cast<std::size_t>(end - buffer_));
        next = fresh.get() + (next - buffer_);
        end = fresh.get() + (end - buffer_);
        own_buffer_ = std::move(fresh);
        buffer_ = own_buffer_.get();
      }
      return true;
    }
  }
  const bool was_reading = state_ == state::reading;
  reset_buffer(f);
  base_ = at;
  // The stream stops using the program's memory, even if the program provides no other memory.
  if (size != 0 || buffer_ != own_buffer_.get()) {
    own_buffer_ = std::move(own);
    buffer_ = memory;
    capacity_ = memory != nullptr ? size : 0;
    setvbuf_size_ = size;
    seek_reads_ = {};
  }
  return !was_reading || begin_reading(f);
}

std::size_t device_stream::buffer_size(const leat_file& f) const noexcept {
  if (f.buffers == buffering::none) return 1;
  if (setvbuf_size_ != 0) return setvbuf_size_;
  return capacity_ != 0 ? capacity_ : write_size;
}

void device_stream::purge(leat_file& f) noexcept {
  f.drop_pushback();
  if (sidecar_ != nullptr) sidecar_->restart_at(base_);
  const std::uint64_t at =
      state_ == state::reading ? base_ + static_cast<std::uint64_t>(f.get_end - buffer_) : base_;
  reset_buffer(f);
  base_ = at;
}

void device_stream::release(leat_file& f) noexcept {
  end_syncs();
  std::error_code ignored;
  device_->release(position(f), ignored);
  sidecar_.reset();
  descriptor_ = -1;
  reset_buffer(f);
}

bool device_stream::close(leat_file& f) noexcept {
  bool good = flush(f);
  int why = errno;
  std::error_code ec;
  {
    const device_call call(f);
    end_syncs();
    attached.reset();
    reset_buffer(f);
    sidecar_.reset();
    descriptor_ = -1;
    if (traits_.commits && f.failed)
      device_.reset();  // an incomplete file must not replace the old file
    else
      device_->close(ec);
  }
  if (good && device_ == nullptr) ec = make_error_code(std::errc::io_error);
  traits_.positional = false;
  synced_writes_ = write_count_;
  if (ec && good) {
    report(f, {.code = ec, .operation = "close"});
    return false;
  }
  if (!good) errno = why;
  return good;
}

bool device_stream::close_at_exit(leat_file& f, bool& closed) noexcept {
  closed = f.writable && !was_forked_ && !traits_.commits && keeps_bytes_until_close();
  return !closed || close(f);
}

bool device_stream::drop_uncommitted(leat_file& f) noexcept {
  if (!traits_.commits || device_ == nullptr) return false;
  f.failed = true;
  purge(f);
  close(f);
  return !was_forked_;
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
