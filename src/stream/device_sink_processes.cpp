// The parts of device_sink that run at a fork and at the end of the program. The list of open
// streams and shared_sink call these parts.
#include "base/loss.hpp"
#include "stream/device_sink.hpp"

namespace leat {
inline namespace v0 {

void device_sink::before_fork() noexcept {
  // Skip a stream that another thread may be using now. If each call is flushed, the stream has no
  // window. Then each call comes to this sink, and user_ is the thread of the last call.
  if (listed_ == listed::this_sink && !user_.is_inside() &&
      (is_only_thread_at_fork() ||
       (user_.is_this_thread() && pending_ != nullptr && writes_each_call()))) {
    file_writer closed_writer;
    flush_before_fork(window_writer_ != nullptr ? *window_writer_ : closed_writer);
  }
  // After the fork both processes have a copy of the device. Each copy must know which bytes the
  // background thread has written, so wait for that thread. Do not wait for a pipe, whose reader
  // may be the child. Do not wait for a file opened to append, because positions are ignored. But
  // wait for the thread of a log, which may be switching files.
  const device_traits& traits = out_.traits();
  if (traits.positional && (!traits.appends || log_ != nullptr)) {
    if (thread_may_wait_for_fork())
      out_.wait_at_fork();
    else
      out_.wait_without_recording();
  }
  syncs_.before_fork();
}

/// Returns true if the background thread may be in a device of the program, or in the loss handler,
/// which a log calls. If such code of the program opens or closes a stream, the thread waits for
/// the end of the fork.
bool device_sink::thread_may_wait_for_fork() const noexcept {
  return may_be_program_device_ || (log_ != nullptr && has_loss_handler());
}

void device_sink::flush_before_fork(writer& w) noexcept {
  const device_traits& traits = out_.traits();
  // A file that appears with close() belongs to the parent alone.
  if (!out_.is_usable() || traits.commits || user_.is_inside()) return;
  const user_thread::call inside(user_);
  reclaim_window(w);
  if (thread_may_wait_for_fork() && out_.wait_for_thread_times_out()) return assign_window(w);
  // Both processes write at the descriptor's offset, so bytes pending in a sidecar are not allowed.
  if (!traits.appends && pending_ != nullptr) pending_->detach_sidecar();
  if (traits.positional || traits.appends) {
    out_.write();
  } else if (out_.target()->native_handle() != no_handle) {
    out_.write_to_pipe();
  } else {
    // The device, an encoder for example, may also keep bytes. The child can't write these bytes.
    out_.write();
    if (!out_.failures && out_.position() != flushed_position_) {
      flushed_position_ = out_.position();
      sync_device();
      record_sync_failure();
    }
  }
  assign_window(w);
}

void device_sink::after_fork_in_child() noexcept {
  syncs_.after_fork_in_child();
  forget_buffer();
}

void device_sink::forget_buffer() noexcept {
  out_.after_fork_in_child();
  opened_before_fork_ = true;
  flushed_position_ = out_.position();
  user_.after_fork_in_child();
  if (pending_ != nullptr) pending_->after_fork_in_child();
  if (window_writer_ != nullptr) assign_window(*window_writer_);
}

failure device_sink::flush_at_exit(writer& w) noexcept {
  if (abandon_if_inside(w)) return out_.failures.take_unreported();
  // The stream was finished by another entry in the list of streams. Later calls of other threads
  // are not reported.
  if (flushed_at_exit_ && !is_open()) return {};
  flushed_at_exit_ = true;
  // In a forked child the device belongs to the parent.
  if (is_open() && (out_.traits().commits || (keeps_bytes_until_close() && !opened_before_fork_)))
    return finish(w);
  flush_ = flush_when::call;
  flush_unreported(w);
  if (pending_ != nullptr) pending_->detach_sidecar();
  return out_.failures.take_unreported();
}

open_stream::loss device_sink::at_exit() noexcept {
  if (flushed_at_exit_) return {};  // flush_at_exit() was called, or a call was interrupted
  if (user_.is_other_thread()) {
    // Another thread may be using the window, so the number of bytes in the window is unknown.
    // A stream with flush_when::call or flush_when::line has no window.
    const bool commits = out_.traits().commits;
    const bool may_hold_bytes = flush_ == flush_when::full || keeps_bytes_until_close() ||
                                holds_partial_line_.load(std::memory_order_relaxed) ||
                                out_.failures.is_unreported();
    if (!may_hold_bytes && !commits) return {};
    return {{errc::left_open, commits ? "replace" : "write"}, name_};
  }
  file_writer closed_writer;
  return {flush_at_exit(window_writer_ != nullptr ? *window_writer_ : closed_writer), name_};
}

}  // namespace v0
}  // namespace leat
