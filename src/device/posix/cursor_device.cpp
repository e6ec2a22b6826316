// cursor_device on POSIX systems: a descriptor of C's streams and its offset, as a device.
// src/stdio calls open_cursor().
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <limits>
#include <new>
#include <utility>

#include "base/no_cancel.hpp"
#include "device/cursor_device.hpp"
#include "device/posix/file.hpp"
#include "device/posix/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

class posix_cursor_device final : public cursor_device {
 public:
  posix_cursor_device(int descriptor, bool appends, bool just_opened) noexcept
      : descriptor_(descriptor) {
    const off_t offset = ::lseek(descriptor, 0, SEEK_CUR);
    traits_.positional = traits_.syncs_concurrently = offset >= 0;
    position_ = offset >= 0 ? static_cast<std::uint64_t>(offset) : 0;
    const int flags = just_opened ? -1 : ::fcntl(descriptor, F_GETFL);
    traits_.appends = just_opened ? appends : flags >= 0 && (flags & O_APPEND) != 0;
    struct stat status{};  // a terminal has no offset
    traits_.terminal = offset < 0 && get_status(descriptor, status) == 0 &&
                       S_ISCHR(status.st_mode) && ::isatty(descriptor) == 1;
  }
  ~posix_cursor_device() override {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  device_traits traits() const noexcept override { return traits_; }
  native_handle_type native_handle() const noexcept override { return descriptor_; }
  int descriptor() const noexcept override { return descriptor_; }
  std::unique_ptr<device> twin(bool) const noexcept override {
    return std::unique_ptr<device>(new (std::nothrow) posix_file(
        descriptor_, posix_file::ownership::borrowed, posix_file::offset::stays));
  }

  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    into = request_for(into);
    if (!traits_.positional || at == position_)
      return move_cursor(::read(descriptor_, into.data(), into.size()), ec);
    if (refuse_large_offset(at, ec)) return 0;
    return count_or_error(::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(at)),
                          ec);
  }

  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override {
    std::array<iovec, 4> vectors;
    const auto from = request_for(pieces, vectors);
    if (!traits_.positional || traits_.appends || at == position_) {
      const ssize_t n = write_at_cursor(descriptor_, from);
      after_write(n, traits_.appends);
      return count_or_error(n, ec);
    }
    if (refuse_large_offset(at, ec)) return 0;
    const no_cancel guard;
    const auto offset = static_cast<off_t>(at);
    return count_or_error(
        from.size() == 1
            ? ::pwrite(descriptor_, from[0].iov_base, from[0].iov_len, offset)
            : ::pwritev(descriptor_, from.data(), static_cast<int>(from.size()), offset),
        ec);
  }
  bool writes_once() const noexcept override { return true; }

  std::uint64_t end(std::error_code& ec) const noexcept override {
    struct stat status{};
    if (get_status(descriptor_, status) == 0 && S_ISREG(status.st_mode)) {
      ec.clear();
      return static_cast<std::uint64_t>(status.st_size);
    }
    return end_by_seek(descriptor_, ec);
  }

  std::uint64_t move_to_end(std::error_code& ec) noexcept override { return seek(0, SEEK_END, ec); }

  void set_cursor(std::uint64_t at, std::error_code& ec) noexcept override {
    ec.clear();
    if (!traits_.positional || refuse_large_offset(at, ec)) return;
    if (::lseek(descriptor_, static_cast<off_t>(at), SEEK_SET) < 0)
      ec = system_code();
    else
      position_ = at;
  }

  std::uint64_t offset(std::error_code& ec) noexcept override { return seek(0, SEEK_CUR, ec); }

  native_handle_type release(std::uint64_t, std::error_code& ec) noexcept override {
    ec.clear();
    return std::exchange(descriptor_, no_handle);
  }

  void sync(std::error_code& ec) noexcept override {
    sync_file(descriptor_, ec);
    if (!traits_.positional) ec.clear();  // pipes and terminals have nothing to sync
  }
  void close(std::error_code& ec) noexcept override {
    ec.clear();
    if (::close(std::exchange(descriptor_, no_handle)) != 0) ec = system_code();
  }

 private:
  /// Returns true and sets file_too_large if the system has no such offset. Otherwise leaves `ec`
  /// as it is.
  static bool refuse_large_offset(std::uint64_t at, std::error_code& ec) noexcept {
    if (at <= static_cast<std::uint64_t>(std::numeric_limits<off_t>::max())) return false;
    ec = std::make_error_code(std::errc::file_too_large);
    return true;
  }
  /// Calls lseek(2). Returns the offset. On an error, sets `ec`, and returns the last known offset.
  std::uint64_t seek(off_t by, int from, std::error_code& ec) noexcept {
    ec.clear();
    const off_t offset = ::lseek(descriptor_, by, from);
    if (offset < 0)
      ec = system_code();
    else
      position_ = static_cast<std::uint64_t>(offset);
    return position_;
  }
  static std::size_t count_or_error(ssize_t n, std::error_code& ec) noexcept {
    ec.clear();
    if (n >= 0) return static_cast<std::size_t>(n);
    ec = system_code();
    return 0;
  }
  std::size_t move_cursor(ssize_t n, std::error_code& ec) noexcept {
    if (n > 0 && position_ != unknown_position) position_ += static_cast<std::uint64_t>(n);
    return count_or_error(n, ec);
  }

  int descriptor_;
  device_traits traits_;
};

}  // namespace

std::unique_ptr<cursor_device> open_cursor(int descriptor, bool appends,
                                           bool just_opened) noexcept {
  return std::unique_ptr<cursor_device>(new (std::nothrow)
                                            posix_cursor_device(descriptor, appends, just_opened));
}

}  // namespace v0
}  // namespace leat
