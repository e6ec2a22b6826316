// Interface between a writer and the target of its bytes: one `sink` class for each kind of target.
// Called by the functions of writer and file_writer, by print and by leat::copy.
#pragma once

#include <leat/device.hpp>
#include <leat/writer.hpp>

#include <cstdint>
#include <string_view>
#include <system_error>

#include "base/loss.hpp"

namespace leat {
inline namespace v0 {

class device_sink;
class file_sink;

/// Properties of a sink that print needs to know.
struct print_needs {
  /// All bytes of one print must come in one write(), because other threads use the stream, or
  /// because each call is flushed.
  bool whole_calls = false;
  /// Memory of the stream that a write may move or overwrite. Arguments of print may lie in this
  /// memory.
  std::string_view own_memory;
};

/// Takes the bytes of a writer when the writer's window has no room. The window is a part of
/// the sink's buffer, which the writer borrows.
///
/// The writer's own functions call the sink, on the thread that uses the writer; `w` is that
/// writer. A sink may read the cursor of `w` and set its window, but only during a call. Between
/// calls the writer itself stores bytes in the window.
///
/// Three states: open, failed, closed. A sink is failed from its first failed write until
/// clear_error() or close(). A failed sink writes no byte, except bytes of calls that were
/// completed before the failure. Each function may be called in any state. Failures are returned,
/// not thrown. A failure is reported when flush, seek, patch or close has returned the failure.
/// Unreported failures and losses go to the loss handler.
class sink {
 public:
  /// Called when `bytes` do not fit the window. Afterwards the sink has taken all of `bytes`, or
  /// has counted bytes as lost or dropped. After the call the writer may have another window.
  virtual void write(writer& w, std::string_view bytes) noexcept = 0;
  /// Called by writer::flush, and with `sync` by writer::sync. Afterwards the device has all bytes;
  /// with `sync` or durability::system the bytes survive a crash of the machine. If a failure, now
  /// or before, prevents the flush, returns this failure.
  virtual failure flush(writer& w, bool sync) noexcept = 0;
  /// Called by writer::seek. Afterwards the next byte goes to `position`. If only this call fails,
  /// as on a pipe, nothing has changed.
  virtual failure seek(writer& w, std::uint64_t position) noexcept = 0;
  /// The position of the next byte.
  virtual std::uint64_t tell(const writer& w) const noexcept = 0;
  /// Called by writer::patch. Overwrites the bytes from `position` on, in the device or in the
  /// buffer. The cursor does not move. If a byte does not lie before the cursor, fails and changes
  /// nothing.
  virtual failure patch(writer& w, std::uint64_t position, std::string_view bytes) noexcept = 0;
  /// Called by writer::close. Afterwards the stream is closed and has no window. Returns the
  /// stream's first failure. A second call returns a failure only if bytes were lost since the
  /// first call.
  virtual failure close(writer& w) noexcept = 0;
  /// Returns the code of the first failure, or errc::closed, or none, and the number of bytes that
  /// will not arrive. The failure does not become reported.
  virtual failure status(const writer& w) const noexcept = 0;
  /// Called by writer::clear_error. If the failure is not final, an open sink is no longer failed
  /// afterwards. A failed sync and any failure of a file that appears with close() are final.
  virtual void clear_error(writer&) noexcept {}
  /// The stream's name in messages, for example a path. Valid as long as the sink.
  virtual std::string_view name() const noexcept = 0;
  /// Called by the writer's destructor and by assignments to the writer. Closes the stream, gives
  /// unreported losses to the loss handler, and frees the sink if the writer owns the sink. The
  /// sink must not be used afterwards.
  virtual void dispose(writer& w) noexcept = 0;
  /// Called while the program exits. Writes pending bytes, or drops a file that was to appear with
  /// close(). Later calls are flushed. Returns the unreported failure.
  virtual failure flush_at_exit(writer&) noexcept { return {}; }
  /// Called after the window and the sink were moved to this writer.
  virtual void moved_to(writer&) noexcept {}
  /// Returns what print needs to know about this sink.
  virtual print_needs needs_of_print(const writer&) const noexcept { return {}; }
  /// Returns this sink as a file_sink, or null if this sink is not a file_sink.
  virtual file_sink* file() noexcept { return nullptr; }
  /// The device_sink that a shared_sink above calls in steps, so that the lock is free during a
  /// sync. Null: the shared_sink passes each call on as a whole.
  virtual device_sink* as_device_sink() noexcept { return nullptr; }

 protected:
  sink() = default;
  ~sink() = default;

  /// The writer's cursor.
  static char* next(const writer& w) noexcept { return w.next_; }
  /// Gives the writer the window [next, end); print may write up to print_end. Stores only to
  /// members that change, because other threads may read the members of a shared writer.
  static void set_window(writer& w, char* next, char* end, char* print_end) noexcept {
    if (w.next_ != next) w.next_ = next;
    if (w.end_ != end) w.end_ = end;
    if (w.print_end_ != print_end) w.print_end_ = print_end;
  }
  static void set_window(writer& w, char* next, char* end) noexcept {
    set_window(w, next, end, end);
  }
  /// Gives the writer a window over bytes that the buffer already holds; bytes that are not
  /// overwritten stay. print gets no room, because its stores may go beyond the text.
  static void set_window_over(writer& w, char* next, char* end) noexcept {
    set_window(w, next, end, next);
  }
  /// Number of bytes from the cursor to the end of the window.
  static std::size_t room(const writer& w) noexcept { return w.room(); }
  /// Moves the cursor past n bytes that were stored at the cursor.
  static void advance(writer& w, std::size_t n) noexcept { w.next_ += n; }
  /// While the process has one thread, calls of the shared writer `w` use the window of `below`.
  /// A null `below` ends this use.
  static void set_direct_writer(writer& w, writer* below) noexcept {
    if (w.direct_writer_ != below) w.direct_writer_ = below;
  }
  static sink& sink_of(const writer& w) noexcept { return *w.sink_; }
  static void set_sink(writer& w, sink& below) noexcept { w.sink_ = &below; }
};

/// A sink over a device, directly or through another sink.
class file_sink : public sink {
 public:
  file_sink* file() noexcept final { return this; }
  virtual bool is_open() const noexcept = 0;
  /// The descriptor of the device, or no_handle. The device still owns the descriptor.
  virtual native_handle_type native_handle() const noexcept = 0;
  /// Flushes, closes the stream and returns the descriptor, with its offset at the cursor. The
  /// caller owns the descriptor. On a failure returns no_handle, sets `why`, and does not close the
  /// stream.
  virtual native_handle_type release(writer& w, failure& why) noexcept;
  /// Closes the stream. Pending bytes are neither written nor reported.
  virtual void discard(writer&) noexcept {}
  /// Called by writer::reopen. Afterwards bytes go to the file that has the name now. Returns the
  /// failure, if any: for a stream that is not a log, operation_not_supported.
  virtual failure reopen(writer&) noexcept;
  /// Number of dropped calls; see leat::when_full.
  virtual std::uint64_t dropped() const noexcept { return 0; }
  /// Called by leat::copy. Writes pending bytes. Then the device copies up to `n` bytes from
  /// `from`, at position `from_at`, without passing them through the program. Returns the number of
  /// copied bytes. operation_not_supported: nothing was copied, and the caller copies through its
  /// own memory.
  virtual std::size_t copy(writer&, device& from, std::uint64_t from_at, std::size_t n,
                           std::error_code& ec) noexcept;

 protected:
  ~file_sink() = default;
};

/// The sink of writers that were never opened or were moved from.
sink& closed_sink() noexcept;
/// The sink of a writer that could not be opened: its calls fail with `why`, except a close()
/// without lost bytes. The writer owns the sink. If there is no memory, returns closed_sink().
sink& unopened_sink(const failure& why, std::string_view name) noexcept;

}  // namespace v0
}  // namespace leat
