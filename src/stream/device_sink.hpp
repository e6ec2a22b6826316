// The sink of files and all other devices. Made by file_writer.cpp and standard.cpp; called by the
// functions of writer and by shared_sink.
#pragma once

#include <leat/file_stream.hpp>

#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "base/group_commit.hpp"
#include "device/options.hpp"
#include "stream/open_streams.hpp"
#include "stream/pending_store.hpp"
#include "stream/sink.hpp"
#include "stream/write_buffer.hpp"

namespace leat {
inline namespace v0 {

/// A device that was opened for a writer, with the choices made at opening.
struct opened_device {
  opened_device(std::unique_ptr<device> opened, rotating_device* log_device = nullptr) noexcept
      : target(std::move(opened)),
        log(log_device),
        position(target != nullptr ? target->position() : 0) {}

  std::unique_ptr<device> target;
  rotating_device* log;                  ///< the same device if it is a log; else null
  std::uint64_t position;                ///< of the stream's first byte
  std::unique_ptr<sidecar> own_sidecar;  ///< keeps the bytes of completed calls; null: none
};

/// Keeps a writer's bytes in a buffer until the buffer is full or a call flushes. The free part of
/// the buffer is the writer's window.
///
/// While the writer has the window, the writer holds the cursor. So a function that uses the buffer
/// first reclaims the window, and assigns a window again before the function returns. A function
/// that closes the stream assigns no window. A stream that writes after each call or line, and a
/// failed stream, assign no window: then every call comes here.
class device_sink final : public file_sink, open_stream {
 public:
  /// Which sink is in the list of open streams: this sink, or a shared_sink above it.
  enum class listed { this_sink, shared_sink };

  device_sink(opened_device opened, const options& how, std::string_view name,
              listed which = listed::this_sink);

  void write(writer& w, std::string_view bytes) noexcept override;
  failure flush(writer& w, bool sync) noexcept override { return flush_now(w, sync || sync_); }
  failure seek(writer& w, std::uint64_t position) noexcept override;
  std::uint64_t tell(const writer& w) const noexcept override;
  failure patch(writer& w, std::uint64_t position, std::string_view bytes) noexcept override;
  failure close(writer& w) noexcept override;
  failure status(const writer& w) const noexcept override;
  void clear_error(writer& w) noexcept override;
  std::string_view name() const noexcept override { return name_; }
  failure flush_at_exit(writer& w) noexcept override;
  void dispose(writer& w) noexcept override;
  void moved_to(writer& w) noexcept override;
  print_needs needs_of_print(const writer&) const noexcept override {
    return {.whole_calls = writes_each_call(), .own_memory = {}};
  }
  device_sink* as_device_sink() noexcept override { return this; }

  bool is_open() const noexcept override { return out_.target() != nullptr; }
  bool is_log() const noexcept { return log_ != nullptr; }
  native_handle_type native_handle() const noexcept override;
  native_handle_type release(writer& w, failure& why) noexcept override;
  void discard(writer& w) noexcept override;
  failure reopen(writer& w) noexcept override;
  std::uint64_t dropped() const noexcept override { return out_.dropped(); }
  std::size_t copy(writer& w, device& from, std::uint64_t from_at, std::size_t n,
                   std::error_code& ec) noexcept override;

  // Functions for a shared_sink above. The shared_sink holds its lock during each call, except
  // during sync_device. Each function may be called in any state.

  /// The first step of a flush. Returns true if the bytes are written, and the caller must call
  /// sync_device and end_sync. Returns false if all is done: `result` is what flush would return.
  bool begin_sync(writer& w, bool sync, failure& result) noexcept;
  /// Syncs all bytes that were written before the call. Returns false if the stream is closed.
  /// end_sync returns a failure of the sync. Called without the lock.
  bool sync_device() noexcept;
  /// The last step of a flush. `synced` is the result of sync_device. Returns what flush would
  /// return.
  failure end_sync(writer& w, bool synced) noexcept;
  /// Flushes, but leaves a failure unreported. Does nothing inside another call of the sink.
  void flush_unreported(writer& w) noexcept;
  /// Closes the stream under the shared_sink's lock, for which callbacks of a log may wait. Stores
  /// what close() would return in `result`. Returns the device, which the caller owns; null if the
  /// stream was closed before, or can't be closed now. The caller must release the lock before
  /// destroying the device, because the destructor waits for the callbacks.
  std::unique_ptr<device> close_shared(writer& w, failure& result) noexcept;
  /// Returns the failure that seek() always has on this device; no failure if seeking is possible
  /// or the stream is closed.
  failure refuse_to_seek() const noexcept;
  /// Called by dispose and at the end of the program. Closes the stream, or drops a file that was
  /// to appear with close(). Returns the unreported failure.
  failure finish(writer& w) noexcept;
  /// Called by close, by dispose and while the program exits. Returns true if this thread is inside
  /// a call of the sink: in a signal handler that has interrupted the call, or in a device that the
  /// call uses. Then the sink records a loss, and no later call touches the device. If an earlier
  /// call has returned true, returns true.
  bool abandon_if_inside(writer& w) noexcept;
  /// Opens per-thread buffers for the threads of the sink above. Returns true if the threads may
  /// put bytes through the gate, without the lock, until the next call of another function.
  bool open_thread_buffers(writer& w, thread_buffer_gate& gate) noexcept;
  /// If abandon_if_inside() has not returned true, closes the gate. Afterwards the caller may
  /// destroy the gate.
  void close_thread_buffers(writer& w) noexcept;
  /// Called before a fork. Writes pending bytes, except those of a file that appears with close().
  /// Each wait for a pipe takes at most fork_timeout. A failure stays unreported. Does nothing
  /// inside another call of the sink.
  void flush_before_fork(writer& w) noexcept;
  /// Called in a forked child. Empties the buffer, because the parent writes the buffer's bytes.
  void forget_buffer() noexcept;

 private:
  ~device_sink() { delist(); }

  void reclaim_window(const writer& w) noexcept;
  void assign_window(writer& w) noexcept;
  void assign_free_buffer(writer& w) noexcept;
  /// The part of write() for bytes that pending_store does not take. Not inline, so that write() is
  /// short.
  [[gnu::noinline]] void write_call(writer& w, std::string_view bytes) noexcept;
  bool writes_each_call() const noexcept { return flush_ != flush_when::full || out_.drops(); }
  void write_pending(bool sync) noexcept;
  void sync_written() noexcept;
  failure flush_now(writer& w, bool sync) noexcept;
  void record_sync_failure() noexcept;
  bool would_join_itself(const char* operation, failure& why) const noexcept;
  void drop_uncommitted(writer& w) noexcept;
  void detach_device(writer& w) noexcept;

  bool thread_may_wait_for_fork() const noexcept;
  /// True for a device, an encoder for example, that may keep bytes until it is closed.
  bool keeps_bytes_until_close() const noexcept {
    return may_be_program_device_ && !out_.traits().positional;
  }

  void before_fork() noexcept override;
  void after_fork_in_parent() noexcept override { syncs_.after_fork_in_parent(); }
  void after_fork_in_child() noexcept override;
  loss at_exit() noexcept override;

  write_buffer out_;
  std::unique_ptr<pending_store> pending_;  // null: bytes are pending in the buffer only
  rotating_device* log_;
  std::unique_ptr<device> closed_device_;  // out of use; callbacks of a log may still run
  group_commit syncs_;                     // of the device
  std::string name_;
  flush_when flush_;
  bool sync_;
  listed listed_;
  bool may_be_program_device_;  // the device has no handle
  bool calls_survive_ = false;  // completed calls survive the process

  writer* window_writer_ = nullptr;  // the writer that has the window
  // With flush_when::line: the last call has left bytes in the buffer. at_exit() reads this member
  // in another thread.
  std::atomic<bool> holds_partial_line_ = false;
  user_thread user_;
  bool closing_ = false;
  bool flushed_at_exit_ = false;     // flush_at_exit() was called
  bool abandoned_ = false;           // a call was interrupted and will not continue: use nothing
  bool opened_before_fork_ = false;  // this process was forked while the stream was open
  int exceptions_at_opening_ = std::uncaught_exceptions();  // when the stream was made
  std::uint64_t flushed_position_ = 0;  // an encoder has passed on the bytes up to this position
};

}  // namespace v0
}  // namespace leat
