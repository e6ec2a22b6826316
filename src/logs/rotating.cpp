// The rotation of a log, and writing under the rotation lock. The streams, pending_store.cpp and
// C's streams use the device.
#include "logs/rotating.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "base/loss.hpp"
#include "device/transfer.hpp"
#include "logs/line_pieces.hpp"
#include "logs/log_finisher.hpp"
#include "logs/log_system.hpp"
#include "opening/compressed.hpp"
#include "recovery/sidecar.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// The largest number of archives that stay open for a later sync().
constexpr std::size_t most_unsynced = 8;
/// Limits retries: another program may move each new file as soon as the file exists.
constexpr int most_tries = 100;

/// Returns the reason why a log can't be rotated in this way, or no error.
std::error_code rotation_error(const rotation& how) noexcept {
  if (how.format == compression::automatic || how.every < 0)
    return std::make_error_code(std::errc::invalid_argument);
  options compressing;
  compressing.level = how.level;
  return check_compression(how.format, compressing);
}

}  // namespace

rotating_device::rotating_device(log_files files, const options& how, const rotation* policy)
    : files_(std::move(files)),
      options_(how),
      rotation_(policy != nullptr ? *policy : rotation{}),
      rotates_(policy != nullptr),
      process_(this_process()) {
  if (rotates_ && (rotation_.format != compression::none || rotation_.finished)) make_finisher();
}

rotating_device::~rotating_device() {
  if (finisher_ == nullptr) return;
  // If this is the finisher's thread, the callback has called exit(), which destroys a static log.
  const bool is_own_thread = process_ == this_process() && finisher_->is_this_thread();
  if (is_own_thread) finisher_->drop_work();
  // In a forked child, the finisher's thread does not exist.
  if (is_own_thread || process_ != this_process()) log_finisher::abandon(std::move(finisher_));
}

std::unique_ptr<rotating_device> rotating_device::open(path_ref path, const options& how,
                                                       const rotation* policy,
                                                       std::error_code& ec) noexcept try {
  if (policy != nullptr) {
    ec = rotation_error(*policy);
    if (ec) return nullptr;
  }
  log_files files(path, ec);
  if (ec) return nullptr;
  if (policy != nullptr && files.has_long_name(policy->by_time, policy->keep, policy->format)) {
    ec = std::make_error_code(std::errc::filename_too_long);
    return nullptr;
  }
  // Opening a pipe (FIFO) would wait for a reader.
  file_status named;
  if (policy != nullptr && files.status("", named) && named.kind != file_kind::regular) {
    ec = errc::not_a_file;
    return nullptr;
  }
  std::unique_ptr<rotating_device> result(new rotating_device(std::move(files), how, policy));
  result->file_ = result->files_.open(how, ec);
  if (ec) return nullptr;
  const file_status now = status_of(result->file_->native_handle(), ec);
  if (ec) return nullptr;
  result->identity_ = now.identity;
  result->size_ = now.size;
  result->is_regular_ = now.kind == file_kind::regular;
  if (!result->is_regular_ && policy != nullptr) {
    ec = errc::not_a_file;
    return nullptr;
  }
  // Compresses the archives that killed processes have left.
  if (result->finisher_ != nullptr && policy->format != compression::none)
    result->finisher_->request_compression();
  return result;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return nullptr;
}

device_traits rotating_device::traits() const noexcept {
  device_traits same = file_->traits();
  same.concurrent = same.syncs_concurrently = false;  // another file may follow between two calls
  return same;
}

// The rotation lock

void rotating_device::lock() noexcept {
  if (!rotates_ || locked_) return;  // on Windows a second lock would wait for the first
  // On a network file system without locks, no other process may use the log.
  std::error_code unknown;
  lock_log(file_->native_handle(), unknown);
  locked_ = true;
}

void rotating_device::unlock() noexcept {
  if (std::exchange(locked_, false)) unlock_log(file_->native_handle());
}

/// A forked child shares its parent's open file description, and so shares the lock. The child
/// needs a lock of its own.
void rotating_device::reset_after_fork() {
  if (process_ == this_process()) return;
  process_ = this_process();
  locked_ = false;
  identity_ = {};  // lock_rotation() opens the file again
  unsynced_archives_.clear();
  const bool finishes = finisher_ != nullptr;
  log_finisher::abandon(std::move(finisher_));
  if (finishes) make_finisher();
}

void rotating_device::make_finisher() {
  finisher_ =
      std::make_unique<log_finisher>(files_, rotation_.format, rotation_.level, rotation_.finished);
}

void rotating_device::lock_rotation_unchecked() noexcept {
  rotation_locked_ = true;
  if (process_ == this_process()) lock();
}

void rotating_device::unlock_rotation() noexcept {
  unlock();
  rotation_locked_ = false;
}

bool rotating_device::uses_sidecar() const noexcept {
  return options_.durability == durability::process;
}

std::size_t rotating_device::fitting_size(std::string_view bytes) noexcept {
  const std::array<std::string_view, 1> pieces{bytes};
  if (!has_name_ || rotation_failed_ || bytes.size() <= room()) return bytes.size();
  const std::size_t end = end_of_lines(pieces, 0, static_cast<std::size_t>(room()));
  return end != 0 ? end : end_of_line(pieces, 0);
}

std::size_t rotating_device::first_line_size(std::string_view bytes) noexcept {
  const std::array<std::string_view, 1> pieces{bytes};
  return end_of_line(pieces, 0);
}

/// Closes a file that has become an archive.
void rotating_device::close_archive(std::unique_ptr<device> old) noexcept {
  std::error_code ec;
  old->close(ec);
  if (ec) report_failure(ec);
}

/// Goes on in another file, and locks that file. If `ec` is set, nothing has changed.
void rotating_device::switch_to(std::unique_ptr<device> next, std::error_code& ec) {
  const file_status now = status_of(next->native_handle(), ec);
  if (ec) return;
  if (expects_sync_) next->expect_sync();
  unlock();
  const bool is_own = identity_ != decltype(identity_){};
  std::unique_ptr<device> old = std::exchange(file_, std::move(next));
  identity_ = now.identity;
  period_is_known_ = is_outdated_ = false;
  is_new_ = is_new_ || is_own;
  lock();
  if (!is_own) return;
  std::error_code why;
  if (expects_sync_) {
    old->sync(why);
    if (!sync_error_) sync_error_ = why;
    return close_archive(std::move(old));
  }
  // A later sync() has to sync the old files as well, except files that were removed since.
  unsynced_archives_.push_back(std::move(old));
  std::erase_if(unsynced_archives_, [](const auto& one) {
    std::error_code unknown;
    return status_of(one->native_handle(), unknown).removed;
  });
  if (unsynced_archives_.size() <= most_unsynced) return;
  unsynced_archives_.front()->sync(why);
  if (!sync_error_) sync_error_ = why;
  close_archive(std::move(unsynced_archives_.front()));
  unsynced_archives_.erase(unsynced_archives_.begin());
}

/// Makes the file with the log's name the current file. Returns whether the current file has
/// changed. If no file can take the lines, sets `ec`.
bool rotating_device::follow_name(std::error_code& ec) {
  bool changed = false;
  for (int tries = 0;; ++tries) {
    file_status named;
    has_name_ = files_.status("", named) && named.identity == identity_;
    if (has_name_) {
      size_ = named.size;
      write_time_ = named.write_time / 1'000'000'000;
      failure_reported_ = failure_reported_ && rotation_failed_;
      return changed;
    }
    std::error_code why;
    auto next = files_.open_next(options_, file_->native_handle(), why);
    // On Windows a removed file may still have its name.
    if (tries == most_tries) why = std::make_error_code(std::errc::no_such_file_or_directory);
    if (next != nullptr && !why) switch_to(std::move(next), why);
    if (why) {
      // Unless the current file was removed, the current file gets the lines.
      std::error_code unknown;
      const file_status mine = status_of(file_->native_handle(), unknown);
      if (unknown || mine.removed || identity_ == decltype(identity_){})
        ec = why;
      else
        report_failure(why);
      size_ = mine.size;
      return changed;
    }
    changed = true;
  }
}

rotating_device::lock_result rotating_device::lock_rotation(std::uint64_t size,
                                                            std::error_code& ec) noexcept try {
  ec.clear();
  rotation_locked_ = true;
  if (!is_regular_) return lock_result::same;
  reset_after_fork();
  if (identity_ != decltype(identity_){}) lock();
  const bool changed = follow_name(ec);
  if (ec) return lock_result::same;
  if (changed) rotation_failed_ = false;
  if (!rotates_ || !is_due(size)) return changed ? lock_result::changed : lock_result::same;
  return lock_result::due;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return lock_result::same;
}

bool rotating_device::was_moved() noexcept try {
  file_status named;
  return is_regular_ && process_ == this_process() &&
         !(files_.status("", named) && named.identity == identity_);
} catch (const std::bad_alloc&) {
  return false;
}

bool rotating_device::was_removed() const noexcept {
  std::error_code unknown;
  return is_regular_ && process_ == this_process() &&
         status_of(file_->native_handle(), unknown).removed;
}

std::unique_ptr<sidecar> rotating_device::open_sidecar() const noexcept try {
  return files_.with_path(
      "", [&](path_ref path) { return sidecar::open(path, *file_, sidecar::writer::follows); });
} catch (const std::bad_alloc&) {
  return nullptr;
}

/// Sets `is_outdated_`: whether the file is of an earlier period.
void rotating_device::check_period() noexcept {
  const std::int64_t now = read_file_clock().seconds;
  const bool is_same = period_is_known_ && now >= period_.begin && now < period_.end;
  if (is_same && (is_new_ || write_time_ >= period_.begin)) return;
  const bool is_over = period_is_known_ && now >= period_.end;
  if (!is_same)
    period_ = period_at(now, rotation_.every, rotation_.local_time ? &local_offset : nullptr);
  period_is_known_ = true;
  if (is_over || write_time_ < period_.begin)
    is_outdated_ = is_outdated_ || !is_new_ || !began_in_period();
  if (size_ == 0) is_outdated_ = false;
}

/// True if the newest archive was made in the current period. The current file came after that
/// archive, so the current file is of this period, too. The current file is of this period even if
/// the clock was set back or the file system has another clock.
bool rotating_device::began_in_period() const noexcept try {
  std::error_code ec;
  const std::int64_t newest = files_.newest_archive_time(ec);
  return !ec && newest >= period_.begin && newest < period_.end;
} catch (const std::bad_alloc&) {
  return false;
}

bool rotating_device::is_period_over() const noexcept {
  return rotates_by_time() && read_file_clock().seconds >= period_end();
}

/// True if the log must be rotated before the next `size` bytes.
bool rotating_device::is_due(std::uint64_t size) noexcept {
  if (rotates_by_time()) check_period();
  if (size_ == 0 || within_line_ || !has_name_) return false;
  if (rotation_failed_ && std::chrono::steady_clock::now() < retry_at_) return false;
  return is_outdated_ || rotation_failed_ || size > room();
}

void rotating_device::rotate() noexcept try {
  std::error_code ec, why;
  // Retires this file's sidecar. Every other writer of this log is idle, or knows that the file is
  // shared. The next bytes of these writers need the sidecar of the next file.
  files_.with_path("", [&](path_ref path) {
    recover_sidecar(path, file_->native_handle(), recovery_mode::retire, ec);
  });
  // While the file has the log's name, no other process can rotate. If another tool moves the file,
  // the processes that write to the next file also rename the archives. Then nothing is left to do
  // here.
  bool renamed = false;
  for (int tries = 0; !ec && tries != most_tries; ++tries) {
    const std::string suffix =
        files_.prepare_newest_suffix(rotation_.by_time, file_->native_handle(), ec);
    if (was_moved()) break;
    if (!ec && rotation_.keep != 0) files_.remove_oldest(rotation_.keep - 1, why);
    if (!ec) {
      files_.rename("", suffix, ec);
      renamed = !ec;
    }
    if (ec != std::errc::file_exists && ec != std::errc::no_such_file_or_directory) break;
    if (tries + 1 != most_tries) ec.clear();
  }
  if (ec && !was_moved()) return postpone_rotation(ec);
  rotation_failed_ = failure_reported_ = false;
  if (why) report_failure(why);
  ec.clear();
  follow_name(ec);  // the next lock_rotation() reports a failure again
  if (ec) report_failure(ec);
  is_outdated_ = false;
  period_is_known_ = rotates_by_time();
  if (renamed) finish_archive();
} catch (const std::bad_alloc&) {
  postpone_rotation(std::make_error_code(std::errc::not_enough_memory));
}

/// Goes on in the current file after a failed rotation.
void rotating_device::postpone_rotation(const std::error_code& why) noexcept {
  rotation_failed_ = true;
  // rotation_failed_ replaces is_outdated_. With is_outdated_, is_period_over() would be true for
  // each call.
  is_outdated_ = false;
  retry_at_ = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  report_failure(why);
}

/// Makes the finisher's thread call `finished` for the newest archive. If the log's archives are
/// compressed, the thread compresses all archives, and calls `finished` for each archive that the
/// thread has compressed.
void rotating_device::finish_archive() noexcept try {
  if (finisher_ == nullptr) return;
  if (rotation_.format != compression::none) return finisher_->request_compression();
  std::error_code ec;
  const auto all = files_.archives(ec);
  if (!all.empty()) finisher_->report(files_.path() + all.back().suffix, {});
} catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
  // There is no memory: the callback is not called for this file.
}

void rotating_device::report_failure(const std::error_code& ec) noexcept try {
  if (std::exchange(failure_reported_, true)) return;
  if (finisher_ != nullptr && rotation_.finished)
    finisher_->report(files_.path(), ec);
  else
    report_loss({ec, "rotate", failure::no_offset, 0}, files_.path());
} catch (const std::bad_alloc&) {
  report_loss({ec, "rotate", failure::no_offset, 0}, files_.path());
}

// Writing

std::size_t rotating_device::write_part(std::uint64_t at, std::span<const std::string_view> pieces,
                                        std::size_t begin, std::size_t end,
                                        std::error_code& ec) noexcept {
  std::array<std::string_view, max_pieces> part;
  std::size_t count = 0;
  std::size_t offset = 0;
  for (const auto& piece : pieces) {
    const std::size_t from = std::max(begin, offset) - offset;
    const std::size_t to = std::min(end, offset + piece.size());
    if (to > offset + from && count != part.size())
      part[count++] = piece.substr(from, to - offset - from);
    offset += piece.size();
  }
  const auto n =
      static_cast<std::size_t>(write_all(*file_, at + begin, std::span(part).first(count), ec));
  size_ += n;
  if (n != 0) {
    const auto last = end_of_lines(pieces, begin, begin + n);
    within_line_ = last != begin + n;
  }
  return n;
}

/// Fills the current file up to its limit, and goes on in the next files.
std::size_t rotating_device::write_lines(std::uint64_t at, std::span<const std::string_view> pieces,
                                         std::error_code& ec) noexcept {
  const std::size_t total = total_size(pieces);
  for (std::size_t done = 0;;) {
    std::size_t end = total;
    if (rotates_ && has_name_ && !uses_sidecar() && total - done > room()) {
      end = end_of_lines(pieces, done, done + static_cast<std::size_t>(room()));
      // A line that fits into no file gets a file of its own. A line that has begun stays whole.
      if (end == done) {
        const std::size_t line = end_of_line(pieces, done);
        if (size_ != 0 && !within_line_ && is_due(line - done)) {
          rotate();
          continue;
        }
        end = size_ == 0 || within_line_ ? line : total;
      }
    }
    const std::size_t n = write_part(at, pieces, done, end, ec);
    done += n;
    if (ec || done == total) return done;
  }
}

std::size_t rotating_device::write_at(std::uint64_t at, std::span<const std::string_view> pieces,
                                      std::error_code& ec) noexcept {
  pieces = pieces.first(std::min(pieces.size(), max_pieces));
  if (!rotates_ && !is_regular_) return file_->write_at(at, pieces, ec);
  if (rotation_locked_) return write_lines(at, pieces, ec);
  const std::size_t first = end_of_line(pieces, 0);
  if (lock_rotation(first, ec) == lock_result::due) rotate();
  const std::size_t n = ec ? 0 : write_lines(at, pieces, ec);
  unlock_rotation();
  return n;
}

void rotating_device::check_path(std::error_code& ec) noexcept {
  for (lock_result result; (result = lock_rotation(0, ec)) != lock_result::same;)
    if (result == lock_result::due) rotate();
  unlock_rotation();
}

// The rest of the interface

void rotating_device::expect_sync() noexcept {
  expects_sync_ = true;
  file_->expect_sync();
}

void rotating_device::sync(std::error_code& ec) noexcept {
  for (auto& one : unsynced_archives_) {
    one->sync(ec);
    if (ec && !sync_error_) sync_error_ = ec;
    close_archive(std::move(one));
  }
  unsynced_archives_.clear();
  file_->sync(ec);
  if (sync_error_) ec = sync_error_;
}

void rotating_device::close(std::error_code& ec) noexcept {
  // The destructor waits for the callbacks.
  if (finisher_ != nullptr && process_ == this_process()) finisher_->stop();
  file_->close(ec);
  for (const auto& one : unsynced_archives_) {
    std::error_code why;
    one->close(why);
    if (!ec) ec = why;
  }
  unsynced_archives_.clear();
}

native_handle_type rotating_device::release(std::uint64_t at, std::error_code& ec) noexcept {
  return file_->release(at, ec);
}

bool rotating_device::is_in_callback() const noexcept {
  return finisher_ != nullptr && process_ == this_process() && finisher_->is_this_thread();
}

}  // namespace v0
}  // namespace leat
