// What stands below a writer's window: one object for each way that bytes can go.
#pragma once

#include <leat/device.hpp>
#include <leat/writer.hpp>

#include <cstdint>
#include <string_view>
#include <system_error>

#include "base/loss.hpp"

namespace leat {
inline namespace v0 {

/// A writer calls its sink where the window does not suffice. Each function is given the writer, as
/// it may read the cursor there and set a new window. Results are failures, not exceptions.
class sink {
 public:
  /// Takes bytes that do not fit the window: all of them, or it counts them as lost.
  virtual void write(writer& w, std::string_view bytes) noexcept = 0;
  virtual failure flush(writer& w) noexcept = 0;
  /// Hands all bytes on, as flush does, but reports nothing: nobody listens.
  virtual void drain(writer&) noexcept {}
  virtual failure seek(writer& w, std::uint64_t position) noexcept = 0;
  virtual std::uint64_t tell(const writer& w) const noexcept = 0;
  virtual failure patch(writer& w, std::uint64_t position, std::string_view bytes) noexcept = 0;
  virtual failure close(writer& w) noexcept = 0;
  virtual std::error_code error(const writer& w) const noexcept = 0;
  virtual std::uint64_t lost(const writer& w) const noexcept = 0;
  virtual std::string_view name() const noexcept = 0;

  /// The writer is at its end: reports what nobody was told of and frees what the sink owns.
  virtual void dispose(writer& w) noexcept = 0;
  /// The window has moved to another writer.
  virtual void moved_to(writer&) noexcept {}
  /// In a forked child: what is buffered is the parent's to write.
  virtual void forget_buffer() noexcept {}
  /// True if a print must arrive in one write(), as others write too or each call is flushed.
  virtual bool whole_calls() const noexcept { return false; }

  /// Hands all bytes on, then takes up to n from a device without their coming through the window.
  /// Returns how many; operation_not_supported where it can't.
  virtual std::size_t copy(writer&, device&, std::uint64_t, std::size_t,
                           std::error_code& ec) noexcept {
    ec = std::make_error_code(std::errc::operation_not_supported);
    return 0;
  }

  // Only files have these.
  virtual bool is_open() const noexcept { return false; }
  virtual native_handle_type native_handle() const noexcept { return no_handle; }
  virtual native_handle_type release(writer&, failure& why) noexcept;
  virtual void discard(writer&) noexcept {}

 protected:
  sink() = default;
  ~sink() = default;

  static char* next(const writer& w) noexcept { return w.next_; }
  /// Writes only what differs: a shared writer's members are read by other threads.
  static void set_window(writer& w, char* next, char* end, char* print_end) noexcept {
    if (w.next_ != next) w.next_ = next;
    if (w.end_ != end) w.end_ = end;
    if (w.print_end_ != print_end) w.print_end_ = print_end;
  }
  static void set_window(writer& w, char* next, char* end) noexcept {
    set_window(w, next, end, end);
  }
  /// A window over bytes that are there already: they change as far as they are overwritten.
  static void set_window_over(writer& w, char* next, char* end) noexcept {
    set_window(w, next, end, next);
  }
  static sink& sink_of(const writer& w) noexcept { return *w.sink_; }
  static void set_sink(writer& w, sink& below) noexcept { w.sink_ = &below; }
};

/// The sink of writers that were never opened or are moved from.
sink& closed_sink() noexcept;

}  // namespace v0
}  // namespace leat
