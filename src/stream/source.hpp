// What lies behind a reader's window: one class for each way to get bytes.
#pragma once

#include <leat/device.hpp>
#include <leat/reader.hpp>

#include <cstdint>
#include <string_view>
#include <system_error>

#include "base/loss.hpp"

namespace leat {
inline namespace v0 {

/// Where a reader gets bytes when its window has too few.
///
/// The reader's own functions call these, on the thread that uses the reader; `r` is that reader.
/// The available bytes are those between the reader's cursor and the end of its window. A source
/// may move them and set the window, and only while it is called.
///
/// Three states: open; failing; closed. A source is failing from a failed read until report(), and
/// reads nothing in that state. For example, a reader asks for 100 bytes and the device fails
/// behind 60: fill makes 60 available, failing() is true, and report() returns the failure when the
/// 60 are taken.
class source {
 public:
  /// Called when fewer than `wanted` bytes are available, in any state. Afterwards at least
  /// `wanted` bytes are available, or fewer and the stream is at its end, failing or closed. Bytes
  /// that were available still are, perhaps elsewhere in memory.
  virtual void fill(reader& r, std::size_t wanted) noexcept = 0;
  /// Called when no byte is available, in any state. Reads into the caller's memory and moves the
  /// cursor on. Returns how many bytes; fewer than asked for if the stream is at its end, failing
  /// or closed.
  virtual std::size_t read(reader& r, std::span<char> into) noexcept = 0;
  /// The same, but no byte is read that the caller's memory does not get.
  virtual std::size_t read_rest(reader& r, std::span<char> into) noexcept { return read(r, into); }
  /// How many bytes are behind the cursor, as far as that is known; else 0.
  virtual std::uint64_t expected(const reader& r) const noexcept {
    std::error_code unknown;
    const std::uint64_t all = size(r, unknown);
    return unknown || all < r.tell() ? 0 : all - r.tell();
  }
  /// Called for a position outside the window, in any state. Afterwards the cursor is there, and
  /// the next read is tried even if an earlier one failed. If this call fails, it returns the
  /// failure and changes nothing.
  virtual failure seek(reader& r, std::uint64_t position) noexcept = 0;
  /// Called for a reader without a window, in any state: its position.
  virtual std::uint64_t tell(const reader& r) const noexcept { return base(r); }
  /// The size of the whole stream in bytes, if the device knows it.
  virtual std::uint64_t size(const reader& r, std::error_code& ec) const noexcept = 0;
  /// True if a call has to report a failure and not an end: the stream is closed, or a read has
  /// failed and nobody was told.
  virtual bool failing() const noexcept = 0;
  /// Called if failing(), when all bytes before the failure have been taken. Returns the failure,
  /// which is told then: the next fill tries again. A closed stream goes on failing.
  virtual failure report() noexcept = 0;
  /// Called by reader::close, in any state. Afterwards the stream is closed, has no window and
  /// keeps its position. Returns a failure that nobody was told of, or that closing met.
  virtual failure close(reader& r) noexcept = 0;
  /// The last failure unless a later read was successful, or errc::closed, or no error.
  virtual std::error_code error() const noexcept = 0;
  /// What messages call the stream, a path for example. Valid as long as the source.
  virtual std::string_view name() const noexcept = 0;

  /// Called by the reader's destructor and by assignments to it, in any state. Gives a failure that
  /// nobody was told of to the loss handler and frees the source, if the reader owns it: nothing
  /// here may be used afterwards.
  virtual void dispose(reader& r) noexcept = 0;
  /// Called when the window and the source have gone to this reader from another one.
  virtual void moved_to(reader&) noexcept {}

  /// Called by leat::copy. The device that has the bytes behind the window, or null if bytes may
  /// come through the window only.
  virtual device* behind() noexcept { return nullptr; }
  /// Called by leat::copy, when no byte is available and the system has copied `n` bytes from
  /// behind(). Afterwards the cursor is behind them.
  virtual void pass(reader&, [[maybe_unused]] std::size_t n) noexcept {}

  // Called by file_reader. Sources that have no device keep these.

  virtual bool is_open() const noexcept { return false; }
  /// The descriptor of the device, or no_handle.
  virtual native_handle_type native_handle() const noexcept { return no_handle; }
  /// Gives the descriptor away, with its offset at the cursor. Then the stream is closed. With a
  /// failure it stays as it is, and no_handle is returned.
  virtual native_handle_type release(reader& r, failure& why) noexcept;
  /// True if the bytes have positions, so that reader::skip may jump.
  virtual bool positional() const noexcept { return false; }

 protected:
  source() = default;
  ~source() = default;

  /// The reader's cursor.
  static const char* next(const reader& r) noexcept { return r.next_; }
  /// The position of the window's first byte.
  static std::uint64_t base(const reader& r) noexcept { return r.base_; }
  static std::size_t available(const reader& r) noexcept { return r.available(); }
  /// Gives the reader a window that begins at `position` of the stream; the cursor is `next` bytes
  /// into it.
  static void set_window(reader& r, std::string_view window, std::uint64_t position,
                         std::size_t next = 0) noexcept {
    r.begin_ = window.data();
    r.next_ = window.data() + next;
    r.end_ = window.data() + window.size();
    r.base_ = position;
    ++r.window_;
  }
  /// `n` more bytes behind the window are available.
  static void extend_window(reader& r, std::size_t n) noexcept { r.end_ += n; }
  /// Moves the cursor on.
  static void skip_window(reader& r, std::size_t n) noexcept { r.next_ += n; }
  /// Takes the window away, as from a closed stream; leaves it the position.
  static void remove_window(reader& r) noexcept { set_window(r, {}, r.tell()); }
  static void set_source(reader& r, source& below) noexcept { r.source_ = &below; }
};

/// The source of readers that were never opened or are moved from.
source& closed_source() noexcept;
/// That of a reader that could not be opened: each call fails with this.
source& unopened_source(const failure& why, std::string_view name) noexcept;

}  // namespace v0
}  // namespace leat
