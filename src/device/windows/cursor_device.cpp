// cursor_device on Windows: a descriptor of C's streams and its offset, as a device. src/stdio
// calls open_cursor().
#include <io.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "device/cursor_device.hpp"
#include "device/descriptor.hpp"
#include "device/windows/console.hpp"
#include "device/windows/file.hpp"
#include "device/windows/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

class windows_cursor_device final : public cursor_device {
 public:
  windows_cursor_device(int descriptor, bool appends) noexcept : descriptor_(descriptor) {
    const HANDLE file = native_handle();
    const std::int64_t position = position_of(file);
    traits_.positional = traits_.syncs_concurrently = position >= 0;
    position_ = position >= 0 ? static_cast<std::uint64_t>(position) : 0;
    const DWORD access = access_of(file);
    traits_.appends =
        appends || ((access & FILE_APPEND_DATA) != 0 && (access & FILE_WRITE_DATA) == 0);
    traits_.terminal = is_console(file);
    if (traits_.terminal) console_.reset(new (std::nothrow) windows_console(file));
  }
  ~windows_cursor_device() override {
    console_.reset();
    if (descriptor_ >= 0) ::_close(descriptor_);
  }

  device_traits traits() const noexcept override { return traits_; }
  int descriptor() const noexcept override { return descriptor_; }
  /// The twin has a handle of its own, because transfers by this device's handle move the handle's
  /// offset.
  std::unique_ptr<device> twin(bool writable) const noexcept override {
    const HANDLE second =
        ::ReOpenFile(native_handle(), writable ? GENERIC_READ | GENERIC_WRITE : GENERIC_READ,
                     share_all, FILE_FLAG_OVERLAPPED | FILE_FLAG_RANDOM_ACCESS);
    if (second == no_handle) return nullptr;
    std::unique_ptr<device> made(new (std::nothrow)
                                     windows_file(second, windows_file::ownership::owned));
    if (made == nullptr) ::CloseHandle(second);
    return made;
  }
  /// Looks up the handle at each call, because the program may have replaced the file by _dup2.
  native_handle_type native_handle() const noexcept override {
    return descriptor_ < 0 ? no_handle : handle_of_descriptor(descriptor_);
  }

  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    if (console_ != nullptr) return console_->read(into, ec);
    const std::size_t n = read_handle(native_handle(), position_for(at), into, ec);
    update_cursor(at, n);
    return n;
  }

  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    const auto has_bytes = [](const std::string_view& piece) { return !piece.empty(); };
    const auto first = std::ranges::find_if(pieces, has_bytes);
    ec.clear();
    if (first == pieces.end()) return 0;
    if (console_ != nullptr) return console_->write(*first, ec);
    if (traits_.appends && traits_.positional) {
      const std::size_t n = write_handle(native_handle(), at_end_of_file, *first, ec);
      position_ = unknown_position;
      return n;
    }
    const std::size_t n = write_handle(native_handle(), position_for(at), *first, ec);
    update_cursor(at, n);
    return n;
  }

  std::uint64_t end(std::error_code& ec) const noexcept override {
    return size_of(native_handle(), ec);
  }

  void set_cursor(std::uint64_t at, std::error_code& ec) noexcept override {
    ec.clear();
    if (traits_.positional && seek_handle(native_handle(), at, ec)) position_ = at;
  }

  std::uint64_t offset(std::error_code& ec) noexcept override {
    ec.clear();
    const HANDLE file = native_handle();
    if (const std::int64_t position = position_of(file); position >= 0)
      position_ = static_cast<std::uint64_t>(position);
    else
      ec = std::make_error_code(file == no_handle ? std::errc::bad_file_descriptor
                                                  : std::errc::invalid_seek);
    return position_;
  }

  native_handle_type release(std::uint64_t, std::error_code& ec) noexcept override {
    ec.clear();
    console_.reset();
    const native_handle_type handle = native_handle();
    descriptor_ = -1;
    return handle;
  }

  void sync(std::error_code& ec) noexcept override {
    ec.clear();
    if (traits_.positional && ::FlushFileBuffers(native_handle()) == 0) ec = system_code();
    if (ec.value() == ERROR_ACCESS_DENIED)
      ec.clear();  // a file that was opened only to read has nothing to sync
  }
  void close(std::error_code& ec) noexcept override {
    ec.clear();
    console_.reset();
    const int descriptor = std::exchange(descriptor_, -1);
    if (descriptor < 0 || ::_close(descriptor) != 0)
      ec = std::make_error_code(std::errc::bad_file_descriptor);
  }

 private:
  /// A transfer at `position_` starts at the system's offset, because the program may have moved
  /// the offset.
  std::uint64_t position_for(std::uint64_t at) const noexcept {
    return !traits_.positional ? 0 : at == position_ ? at_current_offset : at;
  }
  /// Each transfer moves the system's offset. After a transfer at another position, if position_ is
  /// known, restores the offset.
  void update_cursor(std::uint64_t at, std::size_t moved) noexcept {
    if (!traits_.positional) {
      position_ += moved;
    } else if (at == position_) {
      position_ = at + moved;
    } else if (position_ != unknown_position) {
      std::error_code ignored;
      seek_handle(native_handle(), position_, ignored);
    }
  }

  int descriptor_;
  device_traits traits_;
  std::unique_ptr<windows_console> console_;
};

}  // namespace

std::unique_ptr<cursor_device> open_cursor(int descriptor, bool appends, bool) noexcept {
  return std::unique_ptr<cursor_device>(new (std::nothrow)
                                            windows_cursor_device(descriptor, appends));
}

}  // namespace v0
}  // namespace leat
