// windows_file: a file handle as a device. src/opening/windows/ makes this device for paths.
// adopt(), borrow(), borrow_descriptor() and cursor_device::twin() make this device for handles.
#pragma once

#include <leat/device.hpp>

#include <windows.h>

#include <atomic>
#include <memory>
#include <system_error>

#include "device/windows/console.hpp"
#include "device/windows/system.hpp"

namespace leat {
inline namespace v0 {

/// A handle that was opened with FILE_FLAG_OVERLAPPED has no offset. If a device over such a handle
/// does not append, several threads may use the device at once.
class windows_file : public device {
 public:
  enum class ownership { owned, borrowed };

  windows_file(HANDLE handle, ownership owner) noexcept;
  /// Makes a device over a descriptor of the C library. Each call looks up the descriptor's handle.
  /// The handle stays open.
  explicit windows_file(int descriptor) noexcept;
  ~windows_file() override;

  /// Makes aligned transfers, except appends, use direct I/O by this second handle. The device owns
  /// the handle. The system keeps the bytes of both handles the same.
  void use_direct_handle(HANDLE unbuffered) noexcept { direct_ = unbuffered; }
  HANDLE direct_handle() const noexcept { return direct_; }

  device_traits traits() const noexcept override { return traits_; }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override;
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override;
  std::uint64_t position() const noexcept override { return start_; }
  std::uint64_t size(std::error_code& ec) const noexcept override;
  void resize(std::uint64_t size, std::error_code& ec) noexcept override;
  void reserve(std::uint64_t size, std::error_code& ec) noexcept override;
  void sync(std::error_code& ec) noexcept override;
  void close(std::error_code& ec) noexcept override;
  native_handle_type native_handle() const noexcept override;
  native_handle_type release(std::uint64_t at, std::error_code& ec) noexcept override;

 protected:
  device_traits traits_;

 private:
  static constexpr std::uint64_t no_cursor = ~std::uint64_t{0};

  void detect_traits() noexcept;
  HANDLE handle_for(std::uint64_t at, const char* data, std::size_t size) const noexcept;
  void make_sparse_before(std::uint64_t at) noexcept;
  /// Returns by_system if the handle has an offset. Returns by_event for overlapped handles, pipes
  /// and the handle of direct I/O.
  waiting waiting_for(HANDLE handle) const noexcept {
    return cursor_ != no_cursor && handle != direct_ ? waiting::by_system : waiting::by_event;
  }
  void update_cursor(HANDLE handle, std::uint64_t at, std::size_t n) noexcept;

  HANDLE handle_;
  int descriptor_ = -1;  // the C library's descriptor, used instead of handle_; -1: none
  HANDLE direct_ = no_handle;
  bool owned_;
  // The handle's offset, as far as this device knows. no_cursor if the handle has no offset. Each
  // transfer moves the offset. A write that starts at the offset uses the system's offset, so that
  // processes that share the handle don't overwrite each other.
  std::uint64_t cursor_ = no_cursor;
  std::uint64_t start_ = 0;  // the first offset; for appends the file's end
  // The end of the last write, or the size that the system reported last, or 0.
  std::atomic<std::uint64_t> last_write_end_{0};
  std::unique_ptr<windows_console> console_;
};

}  // namespace v0
}  // namespace leat
