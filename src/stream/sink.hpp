// What lies below a writer's window: one class for each way to pass bytes on.
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

/// What print has to know of a sink.
struct print_needs {
  /// All bytes of one print must come in one write(): others write to the same place, or each call
  /// is flushed.
  bool whole_calls = false;
  /// The memory of the stream that a write may move or overwrite. Arguments of print may be parts
  /// of it.
  std::string_view own_memory;
};

/// What takes a writer's bytes when its window has no room.
///
/// The writer's own functions call these, on the thread that uses the writer; `w` is that writer. A
/// sink may read the cursor of `w` and set its window, and only while it is called: between calls
/// the writer puts bytes into the window by itself.
///
/// Three states: open; failed; closed. A sink has failed from its first failed write until it is
/// closed, and no byte is written in that state. Each function may be called in any state. Failures
/// are returned, not thrown. A failure counts as told when flush, seek, patch or close has returned
/// it. A failure or a loss that nobody was told of goes to the loss handler.
class sink {
 public:
  /// Called when `bytes` do not fit the window. Afterwards the sink has all of them, or has counted
  /// them as lost; the window may be another one.
  virtual void write(writer& w, std::string_view bytes) noexcept = 0;
  /// Called by writer::flush, and with `sync` by writer::sync. Afterwards the device has all bytes;
  /// with `sync` or durability::system they survive a crash of the machine. Returns the failure
  /// that prevents this, whether it came now or before.
  virtual failure flush(writer& w, bool sync) noexcept = 0;
  /// Called by writer::seek. Afterwards the next byte goes to `position`. If only this call fails,
  /// as on a pipe, nothing has changed.
  virtual failure seek(writer& w, std::uint64_t position) noexcept = 0;
  /// The position of the next byte.
  virtual std::uint64_t tell(const writer& w) const noexcept = 0;
  /// Called by writer::patch. Afterwards the bytes from `position` on are these, in the device or
  /// in the buffer, and the cursor is where it was. All of them lie before the cursor; else it
  /// fails and changes nothing.
  virtual failure patch(writer& w, std::uint64_t position, std::string_view bytes) noexcept = 0;
  /// Called by writer::close. Afterwards the stream is closed and has no window. Returns the first
  /// failure of the stream. A second call returns only what was lost since the first.
  virtual failure close(writer& w) noexcept = 0;
  /// The code of the first failure, or errc::closed, or none; and how many bytes will not arrive.
  /// Asking does not count as being told.
  virtual failure status(const writer& w) const noexcept = 0;
  /// Called by writer::clear_error. Afterwards an open sink has not failed, unless its failure is
  /// final.
  virtual void clear_error(writer&) noexcept {}
  /// What messages call the stream, a path for example. Valid as long as the sink.
  virtual std::string_view name() const noexcept = 0;
  /// Called by the writer's destructor and by assignments to it. Closes the stream, gives untold
  /// losses to the loss handler and frees the sink, if the writer owns it: nothing here may be used
  /// afterwards.
  virtual void dispose(writer& w) noexcept = 0;
  /// Called while the program exits. Writes the bytes that wait, or drops a file that was to appear
  /// with close(). Later calls are flushed. Returns the failure that nobody was told of.
  virtual failure leave(writer&) noexcept { return {}; }
  /// Called when the window and the sink have gone to this writer from another one.
  virtual void moved_to(writer&) noexcept {}
  /// Called by print.
  virtual print_needs needs_of_print(const writer&) const noexcept { return {}; }
  /// Null: the sink has no device.
  virtual file_sink* file() noexcept { return nullptr; }
  /// For a sink above, whose lock other threads wait for. Null: it passes each call on as a whole.
  virtual device_sink* shareable() noexcept { return nullptr; }

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

/// A sink that has a device, or one below it.
class file_sink : public sink {
 public:
  file_sink* file() noexcept final { return this; }
  virtual bool is_open() const noexcept = 0;
  /// The descriptor of the device, or no_handle.
  virtual native_handle_type native_handle() const noexcept = 0;
  /// Flushes and gives the descriptor away, with its offset at the cursor. Then the stream is
  /// closed. With a failure the stream stays as it is, and no_handle is returned.
  virtual native_handle_type release(writer& w, failure& why) noexcept;
  /// Closes the stream without writing what waits and without reporting it.
  virtual void discard(writer&) noexcept {}
  /// Called by writer::reopen, in any state. Afterwards bytes go to the file that has the name.
  virtual failure reopen(writer&) noexcept;
  /// How many calls were dropped; see leat::when_full.
  virtual std::uint64_t dropped() const noexcept { return 0; }
  /// Called by leat::copy, in any state. Writes the bytes that wait. Then this device copies up to
  /// `n` bytes from `from`, at position `from_at`; they do not pass through the program. Returns
  /// how many bytes have been copied. operation_not_supported: none, and the caller copies them
  /// itself.
  virtual std::size_t copy(writer&, device& from, std::uint64_t from_at, std::size_t n,
                           std::error_code& ec) noexcept;

 protected:
  ~file_sink() = default;
};

/// The sink of writers that were never opened or are moved from.
sink& closed_sink() noexcept;
/// That of a writer that could not be opened: each call fails with this.
sink& unopened_sink(const failure& why, std::string_view name) noexcept;

}  // namespace v0
}  // namespace leat
