// A device with an offset that the program sees: a descriptor, as C's streams use it. Each platform
// has its own implementation.
#pragma once

#include <leat/device.hpp>

#include <cstdint>
#include <memory>
#include <system_error>

namespace leat {
inline namespace v0 {

/// A read or write at the offset moves the offset; one at another position does not. Calls return
/// `interrupted` (EINTR) and operation_would_block (EAGAIN) instead of repeating or waiting.
class cursor_device : public device {
 public:
  /// Moves the offset.
  virtual void set_cursor(std::uint64_t at, std::error_code& ec) noexcept = 0;
  /// The position of the end, also of a disk.
  virtual std::uint64_t end(std::error_code& ec) const noexcept = 0;
  /// The current offset: other processes may have moved the offset, or closed the descriptor.
  virtual std::uint64_t offset(std::error_code& ec) noexcept = 0;
  /// The descriptor, or -1.
  virtual int descriptor() const noexcept { return -1; }
  /// True if write_at() is no cancellation point, so that the caller needs no no_cancel.
  virtual bool writes_uncancelled() const noexcept { return false; }
  /// The same file as a device for any positions and for several threads at once, which does not
  /// move the offset. Must not be used after this device is closed. Null if there is none.
  virtual std::unique_ptr<device> twin(bool writable) const noexcept {
    static_cast<void>(writable);
    return nullptr;
  }
};

/// Makes a device that owns the descriptor. `appends`: writes go to the end; not every system can
/// report that of a descriptor. Null if there is no memory; then the descriptor stays open.
std::unique_ptr<cursor_device> open_cursor(int descriptor, bool appends = false) noexcept;

}  // namespace v0
}  // namespace leat
