// posix_file: a file descriptor as a device. src/opening/posix/ makes this device for paths.
// adopt(), borrow() and cursor_device::twin() make this device for descriptors.
#pragma once

#include <leat/device.hpp>

#include <sys/stat.h>

#include <atomic>
#include <string>
#include <system_error>
#include <utility>

#include "device/posix/resolved_path.hpp"
#include "device/system.hpp"

namespace leat {
inline namespace v0 {

class posix_file : public device {
 public:
  enum class ownership { owned, borrowed };
  /// `moves`: writes that start at the descriptor's offset use and move the offset. `stays`: no
  /// read or write moves the offset, so several threads can use the device at once. For appends,
  /// and for a descriptor without positions, reads and writes are the same with both values.
  enum class offset { moves, stays };

  /// For a descriptor whose kind is not known. Asks the system for kind, flags and offset.
  posix_file(int descriptor, ownership owner, offset use = offset::moves) noexcept;
  /// A descriptor that leat has just opened with these flags.
  struct opened_descriptor {
    int descriptor;
    int flags;
    const struct stat* status = nullptr;  ///< the file's status, if it is known
  };
  /// Owns the descriptor. Asks the system only for what `file` does not say.
  explicit posix_file(const opened_descriptor& file, offset use = offset::moves) noexcept;
  ~posix_file() override;

  /// The error with which the system refused to report the descriptor's kind, flags or offset. If
  /// the kind is unknown, the device treats the descriptor as a pipe.
  std::error_code detection_error() const noexcept { return detection_error_; }
  /// The status of the file when the device was made.
  const struct stat& first_status() const noexcept { return first_status_; }

  device_traits traits() const noexcept override { return traits_; }
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override;
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override;
  std::size_t read_ready(std::uint64_t at, std::span<char> into,
                         std::error_code& ec) noexcept override;
  void announce(std::uint64_t at, std::uint64_t size) noexcept override;
  std::size_t copy_at(std::uint64_t at, device& from, std::uint64_t from_at, std::size_t n,
                      std::error_code& ec) noexcept override;
  std::uint64_t position() const noexcept override { return cursor_ == no_cursor ? 0 : cursor_; }
  std::uint64_t size(std::error_code& ec) const noexcept override;
  std::uint64_t size_when_opened() const noexcept override {
    return S_ISREG(first_status_.st_mode) ? static_cast<std::uint64_t>(first_status_.st_size) : 0;
  }
  void resize(std::uint64_t size, std::error_code& ec) noexcept override;
  void reserve(std::uint64_t size, std::error_code& ec) noexcept override;
  void advise(pattern expected) noexcept override;
  void expect_sync() noexcept override { syncs_early_ = traits_.positional; }
  void sync(std::error_code& ec) noexcept override;
  void close(std::error_code& ec) noexcept override;
  native_handle_type native_handle() const noexcept override { return descriptor_; }
  native_handle_type release(std::uint64_t at, std::error_code& ec) noexcept override;

  /// Makes each later sync() also sync the folder, until one sync of the folder has succeeded.
  /// Called if the file is new in this folder: without the name in the folder, the file could not
  /// be found after a crash. `folder` is a descriptor and the folder's name, as openat takes them.
  void sync_folder_later(std::pair<unique_descriptor, std::string> folder) noexcept {
    containing_folder_ = std::move(folder);
    syncs_folder_ = true;
  }

 protected:
  device_traits traits_;

 private:
  static constexpr std::uint64_t no_cursor = ~std::uint64_t{0};

  /// True if a write at `at` uses and moves the descriptor's offset.
  bool is_at_cursor(std::uint64_t at) const noexcept {
    return !traits_.positional || traits_.appends || (at == cursor_ && at != no_cursor);
  }
  [[gnu::noinline]] std::size_t write_pieces(std::uint64_t at,
                                             std::span<const std::string_view> pieces,
                                             std::error_code& ec) noexcept;
  void detect_traits(const opened_descriptor* file, offset use) noexcept;
  void free_reserved_space() noexcept;
  void sync_early(std::uint64_t at, std::uint64_t written) noexcept;
  bool make_hole(std::uint64_t at, std::uint64_t size, bool at_cursor) noexcept;

  int descriptor_;
  bool owned_;
  std::error_code detection_error_;
  struct stat first_status_{};
  // The descriptor's offset, as this device has moved it. A write that starts at this offset uses
  // the descriptor's offset, so that processes that share the descriptor (by fork, or `(a; b) >
  // file`) don't overwrite each other.
  std::uint64_t cursor_ = 0;    // no_cursor: the offset is not used
  process_id reserved_by_ = 0;  // the process that frees reserved space in close(); 0: none
  std::uint64_t reserved_ = 0;  // the end of the reserved space
  bool syncs_early_ = false;
  std::pair<unique_descriptor, std::string> containing_folder_;  // the folder, as openat takes it
  std::atomic<bool> syncs_folder_ = false;  // the next sync() syncs the folder, too
  // The range of bytes that were written without a gap, and whose write to the disk has not begun.
  [[maybe_unused]] std::uint64_t unsynced_begin_ = 0, unsynced_end_ = 0;
  std::atomic<bool> synced_ = false;  // the range is synced; another thread may have called sync()
};

}  // namespace v0
}  // namespace leat
