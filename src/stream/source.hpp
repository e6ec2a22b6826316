// What stands above a device for reading: one object for each way that bytes can come.
#pragma once

#include <leat/device.hpp>
#include <leat/reader.hpp>

#include <cstdint>
#include <string_view>
#include <system_error>

#include "base/loss.hpp"

namespace leat {
inline namespace v0 {

/// A reader calls its source where the window does not suffice. Each function is given the reader,
/// as the window is there. A failure is pending from the read that met it until report() tells it;
/// until then nothing more is read.
class source {
 public:
  /// Makes at least `wanted` bytes available, fewer only at the end or with a failure pending.
  /// Those that are available already stay so, perhaps elsewhere in memory.
  virtual void fill(reader& r, std::size_t wanted) noexcept = 0;
  /// Takes bytes into the caller's memory, fewer only at the end or with a failure pending. Called
  /// when none are available.
  virtual std::size_t read(reader& r, std::span<char> into) noexcept = 0;
  /// Goes to a position outside the window. A failure is returned, not pending.
  virtual failure seek(reader& r, std::uint64_t position) noexcept = 0;
  /// The position of a reader without a window.
  virtual std::uint64_t tell(const reader& r) const noexcept { return base(r); }
  virtual std::uint64_t size(const reader& r, std::error_code& ec) const noexcept = 0;
  virtual bool failing() const noexcept = 0;
  virtual failure report() noexcept = 0;
  virtual failure close(reader& r) noexcept = 0;
  virtual std::error_code error() const noexcept = 0;
  virtual std::string_view name() const noexcept = 0;

  /// The reader is at its end: reports what nobody was told of and frees what the source owns.
  virtual void dispose(reader& r) noexcept = 0;
  /// The window has moved to another reader.
  virtual void moved_to(reader&) noexcept {}

  /// The device that the bytes behind the window are on, or null.
  virtual device* behind() noexcept { return nullptr; }
  /// So many bytes behind the window, which is empty, have gone another way.
  virtual void pass(reader&, std::size_t) noexcept {}

  // Only files have these.
  virtual bool is_open() const noexcept { return false; }
  virtual native_handle_type native_handle() const noexcept { return no_handle; }
  virtual native_handle_type release(reader& r, failure& why) noexcept;
  /// True if the system can copy from the handle at the reader's position.
  virtual bool positional() const noexcept { return false; }

 protected:
  source() = default;
  ~source() = default;

  static const char* next(const reader& r) noexcept { return r.next_; }
  static std::uint64_t base(const reader& r) noexcept { return r.base_; }
  static std::size_t available(const reader& r) noexcept { return r.available(); }
  /// `window` begins at `position` of the stream; the cursor is `next` bytes into it.
  static void set_window(reader& r, std::string_view window, std::uint64_t position,
                         std::size_t next = 0) noexcept {
    r.begin_ = window.data();
    r.next_ = window.data() + next;
    r.end_ = window.data() + window.size();
    r.base_ = position;
    ++r.window_;
  }
  static void extend_window(reader& r, std::size_t n) noexcept { r.end_ += n; }
  static void skip_window(reader& r, std::size_t n) noexcept { r.next_ += n; }
  /// Takes the window away, as from a closed stream; leaves it the position.
  static void remove_window(reader& r) noexcept { set_window(r, {}, r.tell()); }
  static void set_source(reader& r, source& below) noexcept { r.source_ = &below; }
};

/// The source of readers that were never opened, are closed or are moved from.
source& closed_source() noexcept;

}  // namespace v0
}  // namespace leat
