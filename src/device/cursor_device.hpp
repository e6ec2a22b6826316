// A device with an offset that the program sees: a descriptor, as C's streams use it. Each platform
// has its own implementation. src/stdio makes and uses this device.
#pragma once

#include <leat/device.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <system_error>

namespace leat {
inline namespace v0 {

/// A read or write at the offset moves the offset; an append moves the offset, too. A read or write
/// at another position leaves the offset as it is. A read or write that the system interrupts fails
/// with `interrupted` (EINTR). A call on a descriptor that does not block can fail with
/// operation_would_block (EAGAIN). The device neither repeats a failed read or write nor waits.
/// release() does not move the offset, because the descriptor may already refer to another file, as
/// in freopen.
class cursor_device : public device {
 public:
  /// The offset, as far as this device knows; after an append, unknown_position. text_device: the
  /// offset at its construction. The function is final, so that a stream's call is not virtual.
  std::uint64_t position() const noexcept final { return position_; }
  /// Moves the offset. For a pipe, does nothing and reports no error.
  virtual void set_cursor(std::uint64_t at, std::error_code& ec) noexcept = 0;
  /// The position of the end of a file or of a disk. Fails for a pipe.
  virtual std::uint64_t end(std::error_code& ec) const noexcept = 0;
  /// Asks the system for the current offset, which other processes may have moved. Fails for a
  /// pipe, and for a descriptor that the program has closed. The result of a failed call has no
  /// meaning.
  virtual std::uint64_t offset(std::error_code& ec) noexcept = 0;
  /// Moves the offset to the end, and returns the new offset. Fails for a pipe.
  virtual std::uint64_t move_to_end(std::error_code& ec) noexcept {
    const std::uint64_t at = end(ec);
    if (!ec) set_cursor(at, ec);
    return at;
  }
  /// The descriptor, or -1.
  virtual int descriptor() const noexcept { return -1; }
  /// True if write_at() at the offset, and each append, is one write_once() of the descriptor. If
  /// so, a stream may call write_once() and after_write() instead, which take fewer instructions.
  /// write_at() is then no cancellation point, so the caller does not need a no_cancel.
  virtual bool writes_once() const noexcept { return false; }
  /// Updates position() after a write at the offset, or after an append. `n` is the result of the
  /// write.
  void after_write(std::ptrdiff_t n, bool appends) noexcept {
    if (appends)
      position_ = unknown_position;
    else if (n > 0)
      position_ += static_cast<std::uint64_t>(n);
  }
  /// Makes a second device over the same file, for any position and for several threads at once. If
  /// `writable` is true, the second device can write, too. The second device does not move the
  /// offset, and must not be used after this device is closed. Returns null if the device has no
  /// such twin, or if there is no memory.
  virtual std::unique_ptr<device> twin(bool writable) const noexcept {
    static_cast<void>(writable);
    return nullptr;
  }

 protected:
  /// The value of position_ after an append: the system has moved the offset to the end, whose
  /// position is not known.
  static constexpr std::uint64_t unknown_position = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t position_ = 0;
};

/// Makes a device that owns the descriptor. If `appends` is true, writes go to the end. The caller
/// passes `appends`, because not every system can report whether a descriptor appends. On POSIX
/// systems, if `just_opened` is false, `appends` is ignored: the descriptor's flag O_APPEND
/// decides. If there is no memory, returns null, and the descriptor stays open.
std::unique_ptr<cursor_device> open_cursor(int descriptor, bool appends = false,
                                           bool just_opened = false) noexcept;

}  // namespace v0
}  // namespace leat
