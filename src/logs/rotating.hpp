// The log of leat::rotating, or of leat::append with `reopen`. Between two writes the log may
// continue in another file, because the file is full or old, or because another program has moved
// the file. The streams of C++ and C, and pending_store.cpp, use the device.
#pragma once

#include <leat/device.hpp>
#include <leat/path.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "device/options.hpp"
#include "device/system.hpp"
#include "logs/log_files.hpp"
#include "logs/log_periods.hpp"
#include "recovery/sidecar.hpp"

namespace leat {
inline namespace v0 {

class log_finisher;

/// When a log gets a new file, and what happens to its archives (old files); see
/// leat::rotating_options.
struct rotation {
  std::uint64_t size = 0;
  std::int64_t every = 0;  ///< in seconds
  bool local_time = false;
  std::size_t keep = 0;
  bool by_time = false;
  leat::compression format = leat::compression::none;
  int level = 0;
  std::function<void(std::string_view path, std::error_code ec)> finished;
};

/// A device over the file that has the log's name, opened to append. Before each write the device
/// checks whether the file still has that name.
///
/// A rotated log has a lock, the rotation lock. While a process holds the lock, no other process
/// writes, and the file has the log's name. Each write and each rotation holds the lock. So only
/// one process rotates, an archive grows only if the next file can't be opened, and every size is
/// exact. The lock is on the file itself. Whoever gets the lock and finds that the path now names
/// another file locks that file instead.
class rotating_device final : public device {
 public:
  /// The result of lock_rotation().
  enum class lock_result {
    same,
    changed,  ///< the log has continued in another file since the previous call
    due,      ///< rotate() must be called before the bytes are written
  };

  /// Opens the log. If `policy` is null, the device only follows the name. Returns null and sets
  /// `ec` on failure: invalid_argument or an error of check_compression() if this rotation is not
  /// possible; filename_too_long if an archive's name would be too long; errc::not_a_file if a file
  /// to be rotated is not a regular file; system errors.
  static std::unique_ptr<rotating_device> open(path_ref path, const options& how,
                                               const rotation* policy,
                                               std::error_code& ec) noexcept;
  ~rotating_device() override;

  /// Takes the rotation lock on the file that was locked last, without a check of the file's name.
  /// In a forked child, locks no file. unlock_rotation() must follow, as after lock_rotation().
  void lock_rotation_unchecked() noexcept;
  /// If the rotation lock is not held yet, takes the lock. Checks whether a rotation is due before
  /// the next `size` bytes. After an error the bytes must not be written, but unlock_rotation()
  /// must follow.
  lock_result lock_rotation(std::uint64_t size, std::error_code& ec) noexcept;
  /// True if the file has lost the log's name, because another program has moved or removed the
  /// file. False in a forked child, for a pipe, and if there is no memory for the check.
  bool was_moved() noexcept;
  /// True if the file has no name any more. False in a forked child.
  bool was_removed() const noexcept;
  /// Rotates. If the rotation fails, the log goes on in the current file, and a write at least one
  /// second later tries again. If several rotations fail in a row, the first failure is reported.
  /// Needs the rotation lock. No bytes may be pending in the sidecar.
  void rotate() noexcept;
  /// Releases the rotation lock.
  void unlock_rotation() noexcept;
  /// Checks whether the file still has the log's name. If a rotation is due, rotates. Takes and
  /// releases the rotation lock. If no file can take the lines, sets `ec`.
  void check_path(std::error_code& ec) noexcept;
  /// Opens a sidecar of the current file. Returns null if the file can't have a sidecar, or if
  /// there is no memory.
  std::unique_ptr<sidecar> open_sidecar() const noexcept;
  /// True in a call of `finished`. During the call the device can't be destroyed, because the
  /// destructor waits for the end of the call.
  bool is_in_callback() const noexcept;
  /// Returns how many of these bytes go into the current file. The other bytes need another call
  /// under the lock, because with durability::process write_at() does not rotate. Needs the
  /// rotation lock.
  std::size_t fitting_size(std::string_view bytes) noexcept;
  /// Returns the size of the first line: the `size` to pass to lock_rotation().
  static std::size_t first_line_size(std::string_view bytes) noexcept;
  /// The end of the period, at which a rotation becomes due: a time of the file clock, in seconds
  /// since 1970. If the rotation is due already, the smallest value. If no end is known, the
  /// largest value.
  std::int64_t period_end() const noexcept {
    if (rotation_.every == 0 || !period_is_known_)
      return (std::numeric_limits<std::int64_t>::max)();
    return is_outdated_ ? (std::numeric_limits<std::int64_t>::min)() : period_.end;
  }
  bool rotates_by_time() const noexcept { return rotation_.every != 0; }
  /// True if the log is rotated by time, and the file clock has reached period_end().
  bool is_period_over() const noexcept;
  /// How many bytes the current file could still take when the lock was last held. If the size has
  /// no limit, the largest value.
  std::uint64_t room() const noexcept {
    return rotation_.size == 0      ? (std::numeric_limits<std::uint64_t>::max)()
           : size_ < rotation_.size ? rotation_.size - size_
                                    : 0;
  }

  device_traits traits() const noexcept override;
  std::size_t read_at(std::uint64_t at, std::span<char> into,
                      std::error_code& ec) noexcept override {
    return file_->read_at(at, into, ec);
  }
  /// Unless the system reports an error, writes all bytes of the first `max_pieces` pieces, and
  /// splits no line between two files. Exception: a write to a pipe or a terminal (only with
  /// `reopen`) may be short.
  std::size_t write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                       std::error_code& ec) noexcept override;
  std::uint64_t position() const noexcept override { return file_->position(); }
  std::uint64_t size(std::error_code& ec) const noexcept override { return file_->size(ec); }
  void expect_sync() noexcept override;
  void sync(std::error_code& ec) noexcept override;
  void close(std::error_code& ec) noexcept override;
  native_handle_type native_handle() const noexcept override { return file_->native_handle(); }
  native_handle_type release(std::uint64_t at, std::error_code& ec) noexcept override;

 private:
  rotating_device(log_files files, const options& how, const rotation* policy);

  void lock() noexcept;
  void unlock() noexcept;
  void reset_after_fork();
  void make_finisher();
  void close_archive(std::unique_ptr<device> old) noexcept;
  bool uses_sidecar() const noexcept;
  bool follow_name(std::error_code& ec);
  void switch_to(std::unique_ptr<device> next, std::error_code& ec);
  void check_period() noexcept;
  bool began_in_period() const noexcept;
  bool is_due(std::uint64_t size) noexcept;
  std::size_t write_lines(std::uint64_t at, std::span<const std::string_view> pieces,
                          std::error_code& ec) noexcept;
  std::size_t write_part(std::uint64_t at, std::span<const std::string_view> pieces,
                         std::size_t begin, std::size_t end, std::error_code& ec) noexcept;
  void postpone_rotation(const std::error_code& why) noexcept;
  void report_failure(const std::error_code& ec) noexcept;
  void finish_archive() noexcept;

  log_files files_;
  options options_;
  rotation rotation_;
  bool rotates_;
  std::unique_ptr<device> file_;
  decltype(file_status::identity) identity_{};
  bool is_regular_ = true;  // false: a pipe or a terminal, which never changes
  process_id process_;

  bool rotation_locked_ = false;
  bool locked_ = false;
  bool has_name_ = true;         // the file had the log's name under this lock
  std::uint64_t size_ = 0;       // of the file, as far as this process knows
  std::int64_t write_time_ = 0;  // last write, in seconds since 1970; 0: unknown
  bool within_line_ = false;     // the last byte that this stream wrote was no newline

  log_period period_;             // the current period, at the last check
  bool period_is_known_ = false;  // period_ is known for the file that is open
  bool is_outdated_ = false;      // the file is of an earlier period
  bool is_new_ = false;           // the file was made after this stream was opened
  std::chrono::steady_clock::time_point retry_at_;  // the next attempt after a failure
  bool rotation_failed_ = false;                    // the last rotation has failed
  bool failure_reported_ = false;                   // failures since the last success were reported

  bool expects_sync_ = false;   // a file is synced when the next file follows
  std::error_code sync_error_;  // the first error of an archive's sync()
  std::vector<std::unique_ptr<device>> unsynced_archives_;  // archives that sync() has to sync
  std::unique_ptr<log_finisher> finisher_;
};

}  // namespace v0
}  // namespace leat
