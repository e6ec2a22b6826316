// Compresses the archives of a log, in only one process at a time, and calls `finished`.
// rotating.cpp starts the thread.
#include "logs/log_finisher.hpp"

#include <array>
#include <memory>
#include <new>
#include <utility>

#include "base/loss.hpp"
#include "base/service_thread.hpp"
#include "device/transfer.hpp"
#include "logs/log_system.hpp"
#include "opening/compressed.hpp"

namespace leat {
inline namespace v0 {

namespace {

constexpr std::size_t copied_at_once = 256 << 10;

/// Owns an open file. The destructor releases the file's lock, if any, and closes the file.
class owned_file {
 public:
  explicit owned_file(native_handle_type file = no_handle) noexcept : file_(file) {}
  owned_file(owned_file&& other) noexcept : file_(std::exchange(other.file_, no_handle)) {}
  owned_file& operator=(owned_file&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~owned_file() {
    if (file_ == no_handle) return;
    unlock_log(file_);  // a forked child may have the descriptor, too, and so keep the lock
    close_followed(file_);
  }
  native_handle_type get() const noexcept { return file_; }

 private:
  native_handle_type file_;
};

/// If there is no temporary file, makes the file. Takes the file's lock: only the process with this
/// lock may compress. Returns no file if another process has the lock, if the file loses its name
/// before the lock is taken, or on an error.
owned_file lock_compressing(const log_files& files, std::error_code& ec) {
  options how;
  how.permissions = 0600;  // until the file gets the mode of the archive
  const auto created = files.with_path(
      compressing_suffix, [&](path_ref path) { return files::open_appending(path, how, ec); });
  if (ec) return owned_file();
  owned_file mine(
      files.with_path(compressing_suffix, [&](path_ref path) { return open_to_lock(path, ec); }));
  // A missing file is no error: the process that had the lock has renamed or removed the file.
  if (ec == std::errc::no_such_file_or_directory) ec.clear();
  if (ec || mine.get() == no_handle || !try_lock_log(mine.get(), ec)) return owned_file();
  file_status named;
  if (!files.status(compressing_suffix, named) ||
      named.identity != status_of(mine.get(), ec).identity)
    return owned_file();  // the previous holder of the lock has renamed or removed the file
  return mine;
}

/// Removes the temporary file that a killed process has left. Called with the rotation lock held,
/// when no archive is left to compress.
void remove_leftover(const log_files& files) {
  file_status unused;
  if (!files.status(compressing_suffix, unused)) return;
  std::error_code unknown;
  const owned_file mine = lock_compressing(files, unknown);
  if (mine.get() != no_handle) files.remove(compressing_suffix, unknown);
}

/// Copies all content. Returns the number of bytes copied. If a read or a write fails, sets `ec`.
std::uint64_t copy_content(device& from, device& to, std::error_code& ec) {
  const auto memory = std::make_unique<char[]>(copied_at_once);
  for (std::uint64_t at = 0;;) {
    const std::size_t n = read_some(from, at, {memory.get(), copied_at_once}, ec);
    if (ec || n == 0) return at;
    const std::array<std::string_view, 1> pieces{std::string_view(memory.get(), n)};
    write_all(to, at, pieces, ec);
    if (ec) return at;
    at += n;
  }
}

}  // namespace

log_finisher::~log_finisher() {
  stop();
  if (thread_.joinable()) join(thread_);
}

void log_finisher::stop() noexcept {
  {
    const std::lock_guard guard(lock_);
    stop_ = true;
  }
  wake_.notify_one();
}

void log_finisher::drop_work() noexcept {
  const std::lock_guard guard(lock_);
  queued_reports_.clear();
  compress_requested_ = false;
  stop_ = true;
}

bool log_finisher::is_this_thread() noexcept {
  const std::lock_guard guard(lock_);
  return thread_.get_id() == std::this_thread::get_id();
}

void log_finisher::start(std::unique_lock<std::mutex>& guard) {
  if (!thread_.joinable()) thread_ = start_service_thread([this] { run(); });
  guard.unlock();
  wake_.notify_one();
}

void log_finisher::request_compression() noexcept try {
  std::unique_lock guard(lock_);
  compress_requested_ = true;
  start(guard);
} catch (...) {  // NOLINT(bugprone-empty-catch)
  // No thread can be started now. The next call, or the next opening of the log, does the work.
}

void log_finisher::report(std::string_view path, std::error_code ec) noexcept try {
  std::unique_lock guard(lock_);
  queued_reports_.push_back({std::string(path), ec});
  start(guard);
} catch (...) {  // NOLINT(bugprone-empty-catch)
  // Without memory, the callback is not called. If no thread can be started, the next call of
  // request_compression() or report() starts the thread, which then calls the callback.
}

void log_finisher::abandon(std::unique_ptr<log_finisher> abandoned) noexcept {
  // The list keeps abandoned objects reachable, so that no leak is reported.
  static constinit log_finisher* all = nullptr;
  if (abandoned == nullptr) return;
  abandoned->next_abandoned_ = all;
  all = abandoned.release();
}

void log_finisher::run() noexcept {
  std::unique_lock guard(lock_);
  for (;;) {
    wake_.wait(guard, [this] { return compress_requested_ || stop_ || !queued_reports_.empty(); });
    if (!queued_reports_.empty()) {
      const queued_report next = std::move(queued_reports_.front());
      queued_reports_.pop_front();
      guard.unlock();
      if (*finished_) {
        const callback_gate::pass guarded;
        (*finished_)(next.path, next.ec);
      } else if (next.ec) {
        report_loss({next.ec, "rotate", failure::no_offset, 0}, next.path);
      }
      guard.lock();
    } else if (std::exchange(compress_requested_, false)) {
      guard.unlock();
      compress_all();
      guard.lock();
    } else {
      return;
    }
  }
}

void log_finisher::compress_all() {
  for (;;) {
    std::error_code ec;
    std::string path;
    bool more = false;
    try {
      more = compress_one(ec, path);
    } catch (const std::bad_alloc&) {
      ec = std::make_error_code(std::errc::not_enough_memory);
    }
    if (!path.empty() || ec) report(path.empty() ? files_->path() : path, ec);
    if (ec || !more) return;
  }
}

/// Compresses the oldest uncompressed archive. Returns false on failure, if there is no such
/// archive, if another process is compressing, or if a process still writes to the archive or has
/// locked the archive. Stores the path to report in `path`. If `path` is empty, the caller reports
/// only an error, with the log's own path.
bool log_finisher::compress_one(std::error_code& ec, std::string& path) {
  log_archive next;
  owned_file source;
  std::unique_ptr<device> content;
  file_status before;
  {
    const log_files::lock guard(*files_, ec);
    if (ec) return false;
    for (log_archive& one : files_->remove_duplicates(ec)) {
      if (!one.ending.empty()) continue;
      next = std::move(one);
      break;
    }
    if (!ec && next.suffix.empty()) remove_leftover(*files_);
    if (ec || next.suffix.empty()) return false;
    path = files_->path() + next.suffix;
    files_->with_path(next.suffix, [&](path_ref archive_path) {
      source = owned_file(open_to_lock(archive_path, ec));
      if (!ec) content = files::open_existing(archive_path, {}, ec);
    });
    if (!ec) before = status_of(source.get(), ec);
    if (ec) return false;
  }
  const owned_file mine = lock_compressing(*files_, ec);
  if (ec) return false;
  if (mine.get() == no_handle) {
    path.clear();
    return false;
  }
  options how;
  how.level = level_;
  auto target = files_->with_path(compressing_suffix, [&](path_ref temporary_path) {
    return files::open_copy(content->native_handle(), temporary_path, ec);
  });
  if (target != nullptr) {
    std::error_code ignored;  // open_copy() has set the mode; less access is no failure
    copy_log_access(source.get(), target->native_handle(), ignored);
  }
  if (target != nullptr) target = encoded(std::move(target), format_, how, ec);
  std::uint64_t size = 0;
  if (!ec) size = copy_content(*content, *target, ec);
  if (!ec) target->close(ec);
  target.reset();
  // The original is removed below, so the compressed file must first be safe from a crash of the
  // machine.
  if (!ec) borrow(mine.get())->sync(ec);
  for (bool again = !ec; again;) {
    again = false;
    const log_files::lock guard(*files_, ec);
    const bool idle = !ec && try_lock_log(source.get(), ec);
    const bool whole = idle && status_of(source.get(), ec).size == size;
    if (!ec && !whole) {
      // A process still uses the archive: that process could not open the next file, or has not
      // followed the rotation yet.
      path.clear();
      files_->remove(compressing_suffix, ec);
      return false;
    }
    if (!ec) {
      std::string suffix;  // the numbers may have changed
      for (const log_archive& one : files_->archives(ec)) {
        file_status now;
        if (one.ending.empty() && files_->status(one.suffix, now) &&
            now.identity == before.identity)
          suffix = one.suffix;
      }
      // If the lock is lost, the names may be changing.
      again = !ec && !suffix.empty() && !guard.holds();
      if (again) continue;
      if (!ec && !suffix.empty()) {
        const std::string compressed = suffix + std::string(ending_of(format_));
        path = files_->path() + compressed;
        set_write_time(mine.get(), before.write_time);
        files_->rename(compressing_suffix, compressed, ec);
        file_status now;
        if (ec == std::errc::file_exists &&
            files_->status(suffix, now)) {  // a killed process has not removed the original
          files_->remove(compressed, ec);
          if (!ec) files_->rename(compressing_suffix, compressed, ec);
        }
        if (!ec) {
          files_->remove(suffix, ec);
          return !ec;  // does not remove the temporary file: another process may have made it
        }
        if (ec != std::errc::file_exists) break;
        ec.clear();  // another tool has just compressed the archive
      }
      path.clear();  // the archive was removed meanwhile
    }
  }
  std::error_code ignored;
  files_->remove(compressing_suffix, ignored);
  return !ec;
}

}  // namespace v0
}  // namespace leat
