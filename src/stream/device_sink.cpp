// Implements device_sink, the sink of files and all other devices. Called by the functions of
// writer and by shared_sink.
#include "stream/device_sink.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/loss.hpp"

namespace leat {
inline namespace v0 {

device_sink::device_sink(opened_device opened, const options& how, std::string_view name,
                         listed which)
    : out_(std::move(opened.target), opened.position, how),
      log_(opened.log),
      name_(name),
      flush_(how.durability == durability::process ? flush_when::call : how.flush),
      sync_(how.durability == durability::system),
      listed_(which),
      may_be_program_device_(out_.target()->native_handle() == no_handle) {
  if (opened.own_sidecar != nullptr)
    pending_ = std::make_unique<sidecar_store>(out_, name_, std::move(opened.own_sidecar));
  else if (log_ != nullptr && how.durability == durability::process)
    pending_ = std::make_unique<log_store>(out_, *log_);
  calls_survive_ = pending_ != nullptr;
  if (calls_survive_) user_.set_to_this_thread();
  if (listed_ == listed::this_sink) enlist();
}

// The window

/// Ends the writer's window and records the cursor. Moves pending bytes to the buffer or to the
/// file.
void device_sink::reclaim_window(const writer& w) noexcept {
  user_.set_to_this_thread();
  if (pending_ != nullptr) pending_->move_pending();
  writer* const window_writer = std::exchange(window_writer_, nullptr);
  if (window_writer == nullptr) return;
  out_.set_next(sink::next(w));
  set_window(*window_writer, nullptr, nullptr);  // a call inside this call must come to the sink
}

/// Assigns the writer the free part of the buffer as its window, or no window.
void device_sink::assign_window(writer& w) noexcept {
  if (pending_ != nullptr) pending_->begin_at_cursor();
  assign_free_buffer(w);
}

void device_sink::assign_free_buffer(writer& w) noexcept {
  // Other threads may have filled the buffer during a failed sync.
  if (out_.failures) out_.lose_buffer();
  const auto [next, end, holds_bytes] =
      flush_ == flush_when::full ? out_.room() : write_buffer::window{};
  if (holds_bytes)
    set_window_over(w, next, end);
  else
    set_window(w, next, end);
  window_writer_ = next != nullptr ? &w : nullptr;
  if (flush_ == flush_when::line)
    holds_partial_line_.store(out_.pending() != 0, std::memory_order_relaxed);
}

void device_sink::moved_to(writer& w) noexcept {
  user_.set_to_this_thread();
  if (window_writer_ != nullptr) window_writer_ = &w;
}

// Writing

void device_sink::write(writer& w, std::string_view bytes) noexcept {
  if (pending_ != nullptr) {
    user_.set_to_this_thread();
    if (pending_->put(bytes)) return;
  }
  write_call(w, bytes);
}

void device_sink::write_call(writer& w, std::string_view bytes) noexcept {
  if (abandoned_) return;
  if (user_.is_inside()) {  // called by a signal handler or a device inside another call
    out_.fail(std::make_error_code(std::errc::resource_deadlock_would_occur), "write",
              failure::no_offset, bytes.size());
    return;
  }
  const user_thread::call inside(user_);
  reclaim_window(w);
  if (pending_ == nullptr || !pending_->write(bytes)) {
    out_.add(bytes);
    const bool must_write =
        flush_ == flush_when::call ||
        (flush_ == flush_when::line && bytes.find('\n') != std::string_view::npos);
    if (must_write && !out_.failures) out_.write();
  }
  if (out_.failures && pending_ != nullptr) pending_->detach_sidecar();
  assign_free_buffer(w);
}

/// Writes pending bytes. With `sync` also waits until the bytes survive a crash of the machine.
inline void device_sink::write_pending(bool sync) noexcept {
  if (pending_ != nullptr && !closing_) pending_->check_path();
  if (!out_.failures) out_.write();
  if (sync && !out_.failures) sync_written();
}

/// Not inline, so that a flush stays short.
[[gnu::noinline]] void device_sink::sync_written() noexcept {
  sync_device();
  record_sync_failure();
}

failure device_sink::flush_now(writer& w, bool sync) noexcept {
  if ((!is_open() && !out_.failures) || abandoned_)
    return {errc::closed, sync ? "sync" : "flush", out_.position()};
  const user_thread::call inside(user_);
  reclaim_window(w);
  write_pending(sync);
  assign_window(w);
  return out_.failures.report();
}

void device_sink::flush_unreported(writer& w) noexcept {
  if (abandoned_ || user_.is_inside()) return;
  const user_thread::call inside(user_);
  reclaim_window(w);
  if (is_open()) write_pending(sync_);
  assign_window(w);
}

bool device_sink::begin_sync(writer& w, bool sync, failure& result) noexcept {
  const bool syncs = sync || sync_;
  const bool separate_sync =
      syncs && is_open() && out_.traits().syncs_concurrently && listed_ == listed::this_sink;
  result = flush_now(w, syncs && !separate_sync);
  return separate_sync && !result;
}

bool device_sink::sync_device() noexcept {
  return syncs_.run([this](std::error_code& ec) { out_.target()->sync(ec); });
}

/// Records the failure of the last sync. Another thread may have called the sync.
void device_sink::record_sync_failure() noexcept {
  if (const std::error_code ec = syncs_.error(); ec && !out_.failures)
    out_.fail(ec, "sync", failure::no_offset, 0);
}

failure device_sink::end_sync(writer& w, bool synced) noexcept {
  // If another thread has closed the stream, that close() has synced only with durability::system.
  if (!synced && !out_.failures && !sync_) return {errc::closed, "sync", out_.position()};
  const bool open = is_open();  // false if another thread has closed the stream by now
  const user_thread::call inside(user_);
  if (syncs_.error() && !out_.failures) {
    if (open) reclaim_window(w);
    record_sync_failure();
    if (open) assign_window(w);
  }
  return out_.failures ? out_.failures.report() : failure{};
}

// Positions

failure device_sink::refuse_to_seek() const noexcept {
  const device_traits& traits = out_.traits();
  if (!is_open() || (traits.positional && !traits.appends)) return {};
  return {std::make_error_code(traits.refusal()), "seek"};
}

failure device_sink::seek(writer& w, std::uint64_t position) noexcept {
  if (!is_open() || abandoned_) return {errc::closed, "seek", position};
  const user_thread::call inside(user_);
  if (const failure why = refuse_to_seek()) return why;
  reclaim_window(w);
  if (position != out_.position()) {
    out_.seek(position);
    // Only bytes at the end of the file may be pending in the sidecar. Bytes that overwrite other
    // bytes could not be distinguished from bytes of another process.
    if (pending_ != nullptr) pending_->detach_sidecar();
  }
  assign_window(w);
  return out_.failures ? out_.failures.report() : failure{};
}

std::uint64_t device_sink::tell(const writer& w) const noexcept {
  if (window_writer_ != nullptr) return out_.position_of(sink::next(w));
  return out_.position() + (pending_ != nullptr ? pending_->size() : 0);
}

failure device_sink::patch(writer& w, std::uint64_t position, std::string_view bytes) noexcept {
  if (!is_open() || abandoned_) return {errc::closed, "patch", position, bytes.size()};
  const user_thread::call inside(user_);
  const device_traits& traits = out_.traits();
  if (!traits.positional || traits.appends)
    return {std::make_error_code(traits.refusal()), "patch"};
  reclaim_window(w);
  out_.wait_for_thread();
  const std::uint64_t end = out_.position();
  const bool is_before_cursor = position <= end && bytes.size() <= end - position;
  if (is_before_cursor && !out_.failures) out_.patch(position, bytes);
  assign_window(w);
  if (out_.failures) return out_.failures.report();
  if (is_before_cursor) return {};
  return {std::make_error_code(std::errc::invalid_argument), "patch", position};
}

std::size_t device_sink::copy(writer& w, device& from, std::uint64_t from_at, std::size_t n,
                              std::error_code& ec) noexcept {
  // Appended lines stay whole only if the lines go through the buffer.
  if (!is_open() || abandoned_ || out_.traits().appends)
    return file_sink::copy(w, from, from_at, n, ec);
  const user_thread::call inside(user_);
  reclaim_window(w);
  const std::size_t copied = out_.copy(from, from_at, n, ec);
  assign_window(w);
  return copied;
}

// Failures

failure device_sink::status(const writer&) const noexcept {
  failure first;
  if (out_.failures)
    first.code = out_.failures.code();
  else if (!is_open())
    first.code = errc::closed;
  first.unwritten = out_.failures.lost();
  return first;
}

void device_sink::clear_error(writer& w) noexcept {
  const bool final = out_.traits().commits || out_.failures.is_final();
  if (!out_.failures || !is_open() || final || abandoned_) return;
  const user_thread::call inside(user_);
  reclaim_window(w);
  out_.clear_failure();
  assign_window(w);
}

// Threads

bool device_sink::open_thread_buffers(writer& w, thread_buffer_gate& gate) noexcept {
  if (!out_.is_usable() || abandoned_) return false;
  const user_thread::call inside(user_);
  // Without a sidecar, per-thread buffers are allowed only if bytes may stay in the buffer after a
  // call.
  if (!calls_survive_ && (writes_each_call() || sync_ || !thread_buffer_gate::is_possible()))
    return false;
  if (pending_ == nullptr) pending_.reset(new (std::nothrow) thread_buffer_store(out_));
  if (pending_ == nullptr) return false;
  reclaim_window(w);
  pending_->begin_at_cursor();
  if (out_.failures || !pending_->open_thread_buffers(gate)) {
    assign_free_buffer(w);
    return false;
  }
  set_window(w, nullptr, nullptr);  // each other call comes here and closes the per-thread buffers
  return true;
}

void device_sink::close_thread_buffers(writer& w) noexcept {
  if (abandoned_) return;
  const user_thread::call inside(user_);
  reclaim_window(w);
  assign_window(w);
}

// The end

failure device_sink::close(writer& w) noexcept {
  failure result;
  close_shared(w, result);
  return result;
}

std::unique_ptr<device> device_sink::close_shared(writer& w, failure& result) noexcept {
  if (abandon_if_inside(w)) {
    result = out_.failures.report();
    return nullptr;
  }
  if (!is_open()) {
    result = out_.failures.take_unreported();
    return nullptr;
  }
  if (would_join_itself("close", result)) return nullptr;
  const user_thread::call inside(user_);
  closing_ = true;
  flush(w, false);
  reclaim_window(w);
  syncs_.stop();
  device& target = *out_.target();
  if (!(out_.failures && out_.traits().commits)) {  // a broken file must not replace the target
    std::error_code ec;
    target.close(ec);
    const char* const operation = !out_.traits().commits    ? "close"
                                  : target.traits().commits ? "replace"
                                                            : "sync";
    if (ec) out_.fail(ec, operation, failure::no_offset, 0);
  }
  detach_device(w);
  result = out_.failures.report();
  return std::move(closed_device_);
}

/// Takes the device out of use. The device stays in closed_device_.
void device_sink::detach_device(writer& w) noexcept {
  set_window(w, nullptr, nullptr);
  closed_device_ = out_.close();
  pending_.reset();
  user_.clear();
}

/// If called in a callback of this log, sets `why` and returns true: closing the log would wait for
/// that callback.
bool device_sink::would_join_itself(const char* operation, failure& why) const noexcept {
  if (!is_open() || log_ == nullptr || !log_->is_in_callback()) return false;
  why = {std::make_error_code(std::errc::resource_deadlock_would_occur), operation};
  return true;
}

failure device_sink::finish(writer& w) noexcept {
  if (abandon_if_inside(w)) return out_.failures.take_unreported();
  if (is_open() && out_.traits().commits) {
    drop_uncommitted(w);
  } else if (is_open()) {
    const bool was_reported = out_.failures && !out_.failures.is_unreported();
    if (close(w) && !was_reported) out_.failures.set_unreported(true);
  }
  return out_.failures.take_unreported();
}

/// If a signal handler that interrupted a call ends the program or closes the stream, the stream's
/// state is unknown, so nothing is written any more.
bool device_sink::abandon_if_inside(writer& w) noexcept {
  if (abandoned_) return true;
  if (!user_.is_inside()) return false;
  abandoned_ = flushed_at_exit_ = true;
  set_window(w, nullptr, nullptr);
  out_.fail(errc::left_open, out_.traits().commits ? "replace" : "write", failure::no_offset, 0);
  return true;
}

/// Drops a file that was to appear with close().
void device_sink::drop_uncommitted(writer& w) noexcept {
  const user_thread::call inside(user_);
  reclaim_window(w);
  out_.wait_for_thread();
  // A forked child counts only its own bytes, because the parent may still write the other bytes.
  std::error_code unknown;
  const std::uint64_t all = opened_before_fork_
                                ? out_.pending()
                                : std::max(out_.target()->size(unknown), out_.end_position());
  syncs_.stop();
  set_window(w, nullptr, nullptr);
  out_.close();
  // If an exception unwinds the stream's block, close() could not be called. The exception already
  // reports the error.
  const bool unwinding = std::uncaught_exceptions() > exceptions_at_opening_;
  if (!out_.failures && !unwinding && (all != 0 || !opened_before_fork_))
    out_.fail(errc::not_committed, "replace", failure::no_offset, all);
}

void device_sink::dispose(writer& w) noexcept {
  if (const failure unreported = finish(w)) report_lost_bytes(unreported, name_);
  set_sink(w, closed_sink());  // a `synchronized` may outlive a static writer at exit
  if (!abandoned_) delete this;
}

native_handle_type device_sink::native_handle() const noexcept {
  // The background thread of a log may be switching files.
  if (log_ != nullptr) out_.wait_without_recording();
  return is_open() ? out_.target()->native_handle() : no_handle;
}

native_handle_type device_sink::release(writer& w, failure& why) noexcept {
  if (would_join_itself("release", why)) return no_handle;
  why = flush(w, false);
  if (why) return no_handle;
  const user_thread::call inside(user_);
  reclaim_window(w);
  std::error_code ec;
  syncs_.stop();
  const native_handle_type handle = out_.target()->release(out_.position(), ec);
  if (!ec) {
    detach_device(w);
    return handle;
  }
  syncs_.resume();
  why = {ec, "release"};
  assign_window(w);
  return no_handle;
}

void device_sink::discard(writer& w) noexcept {
  if (abandoned_) return;
  const user_thread::call inside(user_);
  pending_.reset();
  reclaim_window(w);
  syncs_.stop();
  detach_device(w);
  if (log_ == nullptr) closed_device_.reset();
  out_.failures.set_unreported(false);
}

failure device_sink::reopen(writer& w) noexcept {
  if (!is_open() || abandoned_) return {errc::closed, "reopen"};
  const user_thread::call inside(user_);
  if (log_ == nullptr) return file_sink::reopen(w);
  reclaim_window(w);
  if (!out_.failures) out_.write();
  out_.wait_for_thread();
  if (!out_.failures && (pending_ == nullptr || !pending_->check_path())) {
    std::error_code ec;
    log_->check_path(ec);
    if (ec) out_.fail(ec, "open", failure::no_offset, 0);
  }
  assign_window(w);
  return out_.failures ? out_.failures.report() : failure{};
}

}  // namespace v0
}  // namespace leat
