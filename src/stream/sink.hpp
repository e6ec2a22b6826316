// What lies below a writer's window: one class for each way to pass bytes on.
#pragma once

#include <leat/device.hpp>
#include <leat/writer.hpp>

#include <cstdint>
#include <memory>
#include <string_view>
#include <system_error>

#include "base/loss.hpp"
#include "device/sidecar.hpp"

namespace leat {
inline namespace v0 {

class rotating_device;

/// What takes a writer's bytes when its window has no room.
///
/// The writer's own functions call these, on the thread that uses the writer; `w` is that writer. A
/// sink may read the cursor of `w` and set its window, and only while it is called: between calls
/// the writer puts bytes into the window by itself.
///
/// Three states: open; failed; closed. A sink has failed from its first failed write until it is
/// closed, and no byte is written in that state. Failures are returned, not thrown. A failure
/// counts as told when flush, seek, patch or close has returned it. A failure or a loss that nobody
/// was told of goes to the loss handler.
class sink {
 public:
  /// Called when `bytes` do not fit the window, in any state. Afterwards the sink has all of them,
  /// or has counted them as lost; the window may be another one.
  virtual void write(writer& w, std::string_view bytes) noexcept = 0;
  /// Called by writer::flush, in any state. Afterwards the device has all bytes, and with
  /// durability::system they survive a crash of the machine. Returns the failure that prevents
  /// this, whether it came now or before.
  virtual failure flush(writer& w) noexcept = 0;
  /// Called by writer::sync, in any state. As flush, but the bytes survive a crash of the machine
  /// whatever the durability is. Sinks that have no device keep this.
  virtual failure sync(writer& w) noexcept { return flush(w); }

  // The parts of flush and sync, for a sink above whose lock other threads need while the device
  // syncs.

  /// Called instead of flush, or of sync if `sync` is set, in any state. True: the bytes are
  /// written, and sync_device and end_sync have to follow. Otherwise all is done, with this result.
  virtual bool begin_sync(writer& w, bool sync, failure& result) noexcept {
    result = sync ? this->sync(w) : flush(w);
    return false;
  }
  /// Called without the lock. Syncs what was written before. False: the stream is closed.
  virtual bool sync_device() noexcept { return true; }
  /// Takes the result of sync_device. Returns what flush would have returned.
  virtual failure end_sync(writer&, bool) noexcept { return {}; }

  /// Called by another sink above this one, in any state. Does what flush does; a failure stays
  /// untold.
  virtual void flush_unreported(writer&) noexcept {}
  /// Called by writer::seek, in any state. Afterwards the next byte goes to `position`. If only
  /// this call fails, as on a pipe, nothing has changed.
  virtual failure seek(writer& w, std::uint64_t position) noexcept = 0;
  /// The position of the next byte, in any state.
  virtual std::uint64_t tell(const writer& w) const noexcept = 0;
  /// Called by writer::patch, in any state. Afterwards the bytes from `position` on are these, in
  /// the device or in the buffer, and the cursor is where it was. All of them lie before the
  /// cursor; else it fails and changes nothing.
  virtual failure patch(writer& w, std::uint64_t position, std::string_view bytes) noexcept = 0;
  /// Called by writer::close, in any state. Afterwards the stream is closed and has no window.
  /// Returns the first failure of the stream. A second call returns only what was lost since the
  /// first.
  virtual failure close(writer& w) noexcept = 0;
  /// The same under a lock that callbacks of the stream may wait for. The caller gives the lock
  /// back, and only then destroys what this returns: that waits for the callbacks.
  virtual std::unique_ptr<device> close_shared(writer& w, failure& result) noexcept {
    result = close(w);
    return nullptr;
  }
  /// Why seek() is refused here, whoever calls it; or no error.
  virtual failure refuse_to_seek(writer&) const noexcept { return {}; }
  /// The first failure, or errc::closed, or no error. Asking does not count as being told.
  virtual std::error_code error(const writer& w) const noexcept = 0;
  /// How many bytes will not arrive.
  virtual std::uint64_t lost(const writer& w) const noexcept = 0;
  /// How many calls were dropped; see leat::when_full.
  virtual std::uint64_t dropped(const writer&) const noexcept { return 0; }
  /// Called by writer::clear_error, in any state. Afterwards an open sink has not failed, unless
  /// its failure is final.
  virtual void clear_error(writer&) noexcept {}
  /// What messages call the stream, a path for example. Valid as long as the sink.
  virtual std::string_view name() const noexcept = 0;

  /// Called by the writer's destructor and by assignments to it, in any state. Closes the stream,
  /// gives untold losses to the loss handler and frees the sink, if the writer owns it: nothing
  /// here may be used afterwards.
  virtual void dispose(writer& w) noexcept = 0;
  /// Called by a standard stream at the end of the program, in any state. Closes the stream and
  /// returns the failure that nobody was told of.
  virtual failure finish(writer& w) noexcept { return close(w); }
  /// Called while the program exits, in any state. Writes the bytes that wait, or drops a file that
  /// was to appear with close(). Later calls are flushed. Returns the failure that nobody was told
  /// of.
  virtual failure leave(writer&) noexcept { return {}; }
  /// Called while the program exits, in any state. True: this thread is inside of a call of the
  /// sink, which does not go on. Then the sink does nothing any more, and tells of a loss.
  virtual bool abandon_if_inside(writer&) noexcept { return false; }
  /// Called by the function that opened the file, before the first byte. Bytes of
  /// durability::process may wait there. `changes` is the device, if it is a log's.
  virtual void use(std::unique_ptr<sidecar>, rotating_device* /*changes*/) noexcept {}
  /// Called by a sink above, whose threads wait for each other, in any state. True: until the next
  /// other call they may put bytes by the gate, without the lock.
  virtual bool open_lanes(writer&, lane_gate&) noexcept { return false; }
  /// Called after open_lanes, in any state. Afterwards the gate is closed, and it may go.
  virtual void close_lanes(writer&) noexcept {}
  /// Called by writer::reopen, in any state. Afterwards bytes go to the file that has the name.
  virtual failure reopen(writer&) noexcept {
    return {std::make_error_code(std::errc::operation_not_supported), "reopen"};
  }
  /// Called when the window and the sink have gone to this writer from another one.
  virtual void moved_to(writer&) noexcept {}
  /// Called before a fork by a shared sink above, with its lock, in any state. Writes
  /// pending bytes; each wait for the device is at most fork_patience. A failure stays unreported.
  virtual void flush_before_fork(writer&) noexcept {}
  /// Called in a forked child. Afterwards the buffer is empty: the parent has written what it held,
  /// or will.
  virtual void forget_buffer() noexcept {}
  /// Called by print. True if all bytes of one print must come in one write(): others write to the
  /// same place, or each call is flushed.
  virtual bool whole_calls() const noexcept { return false; }
  /// Called by print. The memory of the stream that a write may move or overwrite. Arguments of
  /// print may be parts of it.
  virtual std::string_view own_memory(const writer&) const noexcept { return {}; }

  /// Called by leat::copy, in any state. Writes the bytes that wait. Then this device copies up to
  /// `n` bytes from `from`, at position `from_at`; they do not pass through the program. Returns
  /// how many bytes have been copied. operation_not_supported: none, and the caller copies them
  /// itself.
  virtual std::size_t copy(writer&, [[maybe_unused]] device& from,
                           [[maybe_unused]] std::uint64_t from_at, [[maybe_unused]] std::size_t n,
                           std::error_code& ec) noexcept {
    ec = std::make_error_code(std::errc::operation_not_supported);
    return 0;
  }

  // Called by file_writer. Sinks that have no device keep these.

  virtual bool is_open() const noexcept { return false; }
  /// The descriptor of the device, or no_handle.
  virtual native_handle_type native_handle() const noexcept { return no_handle; }
  /// Flushes and gives the descriptor away, with its offset at the cursor. Then the stream is
  /// closed. With a failure the stream stays as it is, and no_handle is returned.
  virtual native_handle_type release(writer&, failure& why) noexcept;
  /// Closes the stream without writing what waits and without reporting it.
  virtual void discard(writer&) noexcept {}

 protected:
  sink() = default;
  ~sink() = default;

  /// The writer's cursor.
  static char* next(const writer& w) noexcept { return w.next_; }
  /// Gives the writer the window [next, end); print may write up to print_end. Stores only to
  /// members that change, because other threads may read those of a shared writer.
  static void set_window(writer& w, char* next, char* end, char* print_end) noexcept {
    if (w.next_ != next) w.next_ = next;
    if (w.end_ != end) w.end_ = end;
    if (w.print_end_ != print_end) w.print_end_ = print_end;
  }
  static void set_window(writer& w, char* next, char* end) noexcept {
    set_window(w, next, end, end);
  }
  /// Gives the writer a window over bytes that the buffer holds already: bytes that are not
  /// overwritten stay. print gets no room in it, because its stores may go beyond the text.
  static void set_window_over(writer& w, char* next, char* end) noexcept {
    set_window(w, next, end, next);
  }
  /// Bytes from the cursor to the end of the window.
  static std::size_t room(const writer& w) noexcept { return w.room(); }
  /// Takes n bytes that were put at the cursor.
  static void advance(writer& w, std::size_t n) noexcept { w.next_ += n; }
  /// Calls of the shared writer `w` use the window of this writer from now on, while the process
  /// has one thread.
  static void set_lender(writer& w, writer* below) noexcept {
    if (w.lender_ != below) w.lender_ = below;
  }
  static sink& sink_of(const writer& w) noexcept { return *w.sink_; }
  static void set_sink(writer& w, sink& below) noexcept { w.sink_ = &below; }
};

/// The sink of writers that were never opened or are moved from.
sink& closed_sink() noexcept;
/// That of a writer that could not be opened: each call fails with this.
sink& unopened_sink(const failure& why, std::string_view name) noexcept;

}  // namespace v0
}  // namespace leat
