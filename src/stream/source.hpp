// Interface between a reader and the origin of its bytes: one `source` class for each kind of
// origin. Called by the functions of reader and file_reader, by window_buffer and by leat::copy.
#pragma once

#include <leat/device.hpp>
#include <leat/reader.hpp>

#include <cstdint>
#include <string_view>
#include <system_error>

#include "base/loss.hpp"

namespace leat {
inline namespace v0 {

/// Supplies a reader with bytes when the reader's window has too few. The window is memory of
/// the source, which the reader borrows.
///
/// The reader's own functions call the source, on the thread that uses the reader; `r` is that
/// reader. The available bytes are the bytes between the reader's cursor and the end of the window.
/// A source may move these bytes and set the window, but only during a call.
///
/// Three states: open, failing, closed. A source is failing from a failed read until report(), and
/// reads nothing in that state. For example, a reader asks for 100 bytes and the device fails after
/// 60 bytes. Then fill() makes 60 bytes available, and is_failing() is true. When the reader has
/// taken the 60 bytes, report() returns the failure.
class source {
 public:
  /// Called when fewer than `wanted` bytes are available, in any state. Afterwards at least
  /// `wanted` bytes are available. If the stream is at its end, failing or closed, fewer bytes may
  /// be available. Bytes that were available stay available, perhaps at another address. Exception:
  /// if an update_buffer can't write its changes, it is failing, and no byte stays available.
  virtual void fill(reader& r, std::size_t wanted) noexcept = 0;
  /// Called when no byte is available, in any state. Reads into the caller's memory and advances
  /// the cursor. Returns the number of bytes; fewer than asked for if the stream is at its end,
  /// failing or closed.
  virtual std::size_t read(reader& r, std::span<char> into) noexcept = 0;
  /// Like read. But a device_source reads only into the caller's memory, and not ahead.
  virtual std::size_t read_rest(reader& r, std::span<char> into) noexcept { return read(r, into); }
  /// Number of bytes after the cursor; 0 if unknown.
  virtual std::uint64_t expected_bytes(const reader& r) const noexcept {
    std::error_code unknown;
    const std::uint64_t all = size(r, unknown);
    return unknown || all < r.tell() ? 0 : all - r.tell();
  }
  /// May be called in any state, mostly for a position outside the window. Afterwards the cursor is
  /// at the position, and the next read is tried even if an earlier read has failed. If the seek
  /// fails, returns the failure and changes nothing.
  virtual failure seek(reader& r, std::uint64_t position) noexcept = 0;
  /// Returns the position of a reader without a window. May be called in any state.
  virtual std::uint64_t tell(const reader& r) const noexcept { return window_position(r); }
  /// Returns the size of the whole stream in bytes. If the size is unknown, sets `ec`.
  virtual std::uint64_t size(const reader& r, std::error_code& ec) const noexcept = 0;
  /// True if a call has to report a failure instead of the end: the stream is closed, or a failed
  /// read is unreported.
  virtual bool is_failing() const noexcept = 0;
  /// Called if is_failing(), when a call needs more bytes than are available before the failure.
  /// Bytes may still be available, such as the start of a line. Returns the failure. From then on
  /// the failure counts as reported: the next fill tries again. A closed stream stays failing.
  virtual failure report() noexcept = 0;
  /// Called by reader::close, in any state. Afterwards the stream is closed, has no window and
  /// keeps its position. Returns an unreported failure, or the failure of closing.
  virtual failure close(reader& r) noexcept = 0;
  /// The last failure, errc::closed, or no error. A successful read or seek clears the failure,
  /// except the loss of bytes of a mapping.
  virtual std::error_code error() const noexcept = 0;
  /// The stream's name in messages, for example a path. Valid as long as the source.
  virtual std::string_view name() const noexcept = 0;

  /// Called by the reader's destructor and by assignments to the reader, in any state. Gives an
  /// unreported failure to the loss handler, and frees the source if the reader owns the source.
  /// The source must not be used afterwards.
  virtual void dispose(reader& r) noexcept = 0;
  /// Called after the window and the source were moved to this reader.
  virtual void moved_to(reader&) noexcept {}

  /// Called by leat::copy. Returns the device that the window's bytes come from. Null: bytes may
  /// come through the window only.
  virtual device* underlying_device() noexcept { return nullptr; }
  /// Called by leat::copy after the system has copied `n` bytes from underlying_device(). No byte
  /// is available then. Moves the cursor past the copied bytes.
  virtual void skip_copied(reader&, [[maybe_unused]] std::size_t n) noexcept {}

  /// Called by window_buffer. False if the source looks at the reader's cursor outside of the calls
  /// of this class: then no window_buffer may take the reader's window away for a time.
  virtual bool has_borrowable_window() const noexcept { return true; }

  /// Called by a search when the window has fewer bytes than the needle. Returns true if the cursor
  /// is at the next occurrence now. The bytes of the occurrence need not be available. Otherwise
  /// may have moved the cursor past bytes with which no occurrence begins.
  virtual bool skip_absent(reader&, search::needle&) noexcept { return false; }
  /// Called by reader::skip when no byte is available. Moves the cursor past at most `n` bytes that
  /// are known to exist. Returns the number of skipped bytes.
  virtual std::uint64_t skip_unread(reader&, [[maybe_unused]] std::uint64_t n) noexcept {
    return 0;
  }

  // Functions for streams with a device. Other sources keep these defaults.

  virtual bool is_open() const noexcept { return false; }
  /// The descriptor of the device, or no_handle. The device still owns the descriptor.
  virtual native_handle_type native_handle() const noexcept { return no_handle; }
  /// Closes the stream and returns the descriptor, with its offset at the cursor. The caller owns
  /// the descriptor. On a failure returns no_handle, sets `why`, and does not close the stream.
  virtual native_handle_type release(reader& r, failure& why) noexcept;
  /// True if the device is seekable.
  virtual bool is_positional() const noexcept { return false; }
  /// Called by reader::skip. `n` is more than the number of available bytes. If reader::skip should
  /// seek over the bytes, returns the end of the file. Otherwise returns 0.
  virtual std::uint64_t seekable_end(const reader& r, std::uint64_t n) noexcept;

 protected:
  source() = default;
  ~source() = default;

  /// The reader's cursor.
  static const char* next(const reader& r) noexcept { return r.next_; }
  /// The position of the window's first byte.
  static std::uint64_t window_position(const reader& r) noexcept { return r.base_; }
  static std::size_t available(const reader& r) noexcept { return r.available(); }
  /// Gives the reader a window that begins at `position` of the stream. The cursor is `next` bytes
  /// into the window.
  static void set_window(reader& r, std::string_view window, std::uint64_t position,
                         std::size_t next = 0) noexcept {
    r.begin_ = window.data();
    r.next_ = window.data() + next;
    r.end_ = window.data() + window.size();
    r.base_ = position;
    ++r.buffer_version_;
  }
  /// Makes `n` more bytes after the window available.
  static void extend_window(reader& r, std::size_t n) noexcept { r.end_ += n; }
  /// Size of the next read of a long line. `size` bytes of the line are available. Each piece of
  /// the line is searched while the piece is in the second-level cache. If the system does not read
  /// ahead, each read waits for the device, and fewer reads are better: the pieces double.
  static std::size_t next_piece(const device_traits& traits, std::size_t size) noexcept {
    constexpr std::size_t largest = 256 << 10;
    const bool waits = traits.positional && !traits.reads_ahead;
    return waits || size < largest ? size : largest;
  }
  static void skip_window(reader& r, std::size_t n) noexcept { r.next_ += n; }
  /// Takes the window away, as from a closed stream. The reader keeps its position.
  static void remove_window(reader& r) noexcept { set_window(r, {}, r.tell()); }
  static void set_source(reader& r, source& below) noexcept { r.source_ = &below; }
};

/// The source of readers that were never opened or were moved from.
source& closed_source() noexcept;
/// The source of a reader that could not be opened: its calls fail with `why`, except close(). The
/// reader owns the source. If there is no memory, returns closed_source().
source& unopened_source(const failure& why, std::string_view name) noexcept;

}  // namespace v0
}  // namespace leat
