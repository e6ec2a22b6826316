// Reads a file while the file grows, also across the rotations of a log. leat::follow opens the
// device.
#include "logs/follow.hpp"

#include <leat/folder.hpp>

#include <algorithm>
#include <deque>
#include <limits>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "device/follow_system.hpp"
#include "device/transfer.hpp"
#include "logs/log_files.hpp"
#include "logs/watch.hpp"
#include "opening/compressed.hpp"

namespace leat {
inline namespace v0 {

namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A file that has, or had, the followed name.
class followed_file {
 public:
  explicit followed_file(native_handle_type file) noexcept : file_(file) {}
  /// A compressed archive of a log.
  explicit followed_file(std::unique_ptr<device> content) noexcept
      : file_(no_handle), content_(std::move(content)) {}
  followed_file(followed_file&& other) noexcept
      : write_time(other.write_time),
        watch_id(other.watch_id),
        identity(other.identity),
        was_truncated(other.was_truncated),
        file_(std::exchange(other.file_, no_handle)),
        content_(std::move(other.content_)),
        next_(other.next_),
        end_(other.end_) {}
  followed_file& operator=(followed_file&&) = delete;
  ~followed_file() {
    if (file_ != no_handle) close_followed(file_);
  }

  native_handle_type handle() const noexcept { return file_; }
  void begin_at(std::uint64_t position) noexcept { next_ = position; }
  /// Returns an upper limit of the number of unread bytes. If the file has become shorter than the
  /// read position, and end_at_current_size() was not called, reading starts again at the file's
  /// beginning. On a system error, returns 0 and changes nothing.
  std::uint64_t count_unread_bytes(std::error_code& ec) noexcept {
    const file_status status = status_of(file_, ec);
    if (ec) return 0;
    const std::uint64_t size = status.has_size ? status.size : no_end;
    if (size < next_) {
      if (end_ != no_end) return 0;
      next_ = 0;
      was_truncated = true;
    }
    return std::min(size, end_) - std::min(next_, end_);
  }
  /// Calls count_unread_bytes(), except for a compressed archive. Returns true if the file may have
  /// unread bytes, or is a compressed archive.
  bool look_for_unread_bytes(std::error_code& ec) noexcept {
    return content_ != nullptr || count_unread_bytes(ec) != 0;
  }
  /// Ends reading at the current end of the file. Does nothing on a system error, or for a
  /// compressed archive: an archive does not grow.
  void end_at_current_size(std::error_code& ec) noexcept {
    if (content_ != nullptr) return;
    const std::uint64_t unread = count_unread_bytes(ec);  // count_unread_bytes() may change next_
    if (!ec) end_ = next_ + unread;
  }
  std::size_t read(std::span<char> into, std::error_code& ec) noexcept {
    // The size is not checked again: if the file has become shorter since count_unread_bytes() was
    // called, the next call of count_unread_bytes() notices the change.
    const std::uint64_t most = end_ - std::min(next_, end_);
    into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), most)));
    if (into.empty()) return 0;
    const std::size_t n = content_ != nullptr ? read_some(*content_, next_, into, ec)
                                              : read_followed(file_, next_, into, ec);
    next_ += n;
    return n;
  }

  std::int64_t write_time = 0;  // an archive's modification time, as in file_status
  int watch_id = -1;
  decltype(file_status::identity) identity{};
  bool was_truncated = false;  // the file has become shorter

 private:
  static constexpr std::uint64_t no_end = (std::numeric_limits<std::uint64_t>::max)();

  native_handle_type file_;
  std::unique_ptr<device> content_;
  std::uint64_t next_ = 0;
  std::uint64_t end_ = no_end;
};

/// An archive, and its status.
struct old_file {
  log_archive name;
  file_status status;
};

/// The properties by which a file is recognized later. Another file may get the identity of a
/// removed file, but has another time.
struct known_file {
  decltype(file_status::identity) identity{};
  std::int64_t write_time = 0;
};

class following_device final : public device {
 public:
  following_device(path_ref path, milliseconds timeout, const std::stop_token& stop,
                   std::error_code& ec)
      : path_(path.view()), inside_(path.is_inside()), timeout_(timeout), stop_(stop) {
    ec.clear();
    if (inside_) folder_ = folder({path.folder(), "."}, ec);
    if (!ec) watch_ = watch_folder(located(folder_of(path_)), stop);
  }

  /// Looks for the file for the first time. If the file's folder exists, a missing file is not an
  /// error.
  void start(const first_position_finder& find_begin, std::error_code& ec) {
    find_new_files(ec);
    if (ec == std::errc::no_such_file_or_directory && !path_.empty()) {
      file_status folder;
      if (status_of(located(folder_of(path_)), folder)) ec.clear();
    }
    if (!ec && !files_.empty()) files_.front().begin_at(find_begin(files_.front().handle(), ec));
  }

  device_traits traits() const noexcept override { return {.positional = false}; }
  std::size_t read_at(std::uint64_t, std::span<char> into, std::error_code& ec) noexcept override;
  std::size_t write_at(std::uint64_t, std::span<const std::string_view>,
                       std::error_code& ec) noexcept override {
    ec = std::make_error_code(std::errc::bad_file_descriptor);
    return 0;
  }
  void close(std::error_code& ec) noexcept override {
    ec.clear();
    files_.clear();
  }

 private:
  void find_new_files(std::error_code& ec);
  std::vector<old_file> list_archives(const log_files& log, std::error_code& ec);
  bool is_known(const old_file& one) const noexcept;
  void finish_first_file();
  void add_missed_archives(std::deque<followed_file>& to, std::vector<std::string>& seen,
                           std::error_code& ec);
  std::size_t read_now(std::span<char> into, std::error_code& ec);
  bool is_first_file_complete(std::error_code& ec) noexcept;
  std::size_t end_line(std::span<char> into) noexcept;

  /// Returns the path. If follow() got a leat::folder, the path is inside this folder.
  path_ref located(const std::string& path) const {
    return inside_ ? folder_.at(path) : path_ref(path);
  }

  std::string path_;
  folder folder_;  // closed if inside_ is false
  bool inside_;
  milliseconds timeout_;
  std::stop_token stop_;
  bool is_followed(const file_status& status) const {
    return std::any_of(files_.begin(), files_.end(),
                       [&](const followed_file& file) { return file.identity == status.identity; });
  }

  std::unique_ptr<file_watch> watch_;
  std::deque<followed_file> files_;  // front: the file that had the name first
  // The archives that existed when a new file was last found, and the files that were read to their
  // end since then. The bytes of all these files were read, or are older than the first byte that
  // was read.
  std::vector<known_file> known_;
  std::vector<known_file> listed_;  // the archives that list_archives() found last
  bool stopping_ = false;
  // The error of the last find_new_files(), reported after the bytes of the files in files_ were
  // read.
  std::error_code pending_error_;
  bool log_was_changing_ = false;  // during the last find_new_files()
  bool within_line_ = false;       // the last byte that was read is no newline
};

/// If a new file has the name now, adds the archives that were missed and then this file. If the
/// log changes meanwhile, adds nothing and sets log_was_changing_.
void following_device::find_new_files(std::error_code& ec) {
  ec.clear();
  file_status status;
  if (status_of(located(path_), status) && is_followed(status)) return;
  std::deque<followed_file> next;
  std::vector<std::string> before, after;
  if (!files_.empty()) add_missed_archives(next, before, ec);
  if (ec) return;
  followed_file file(open_followed(located(path_), ec));
  if (ec) return;
  status = status_of(file.handle(), ec);
  if (ec) return;
  if (status.kind != file_kind::regular) {
    if (files_.empty())
      ec = status.kind == file_kind::folder ? std::make_error_code(std::errc::is_a_directory)
                                            : make_error_code(errc::not_a_file);
  } else if (!is_followed(status)) {
    // While this function runs, the log may get a further file that this function does not see.
    // Then log_was_changing_ makes read_at() call find_new_files() again at once.
    std::deque<followed_file> none;
    file_status named;
    add_missed_archives(none, after, ec);
    if (ec) return;
    const bool is_another = status_of(located(path_), named) && named.identity != status.identity;
    if (before != after || is_another) {
      log_was_changing_ = true;
      return;
    }
    file.identity = status.identity;
    file.watch_id = watch_->add(file.handle());
    for (auto& one : next) files_.push_back(std::move(one));
    files_.push_back(std::move(file));
    known_.swap(listed_);
  }
}

/// Returns the archives, the oldest first. If the program may not list the files of the folder,
/// returns no archive. Sets listed_.
std::vector<old_file> following_device::list_archives(const log_files& log, std::error_code& ec) {
  std::vector<old_file> all;
  listed_.clear();
  std::vector<log_archive> names = log.archives(ec);
  if (ec == std::errc::permission_denied) ec.clear();
  if (ec) return all;
  for (log_archive& one : names) {
    file_status status;
    if (!log.status(one.suffix, status)) continue;
    listed_.push_back({status.identity, status.write_time});
    all.push_back({std::move(one), status});
  }
  return all;
}

/// True if the archive is in known_. Such an archive is older than the last file. The order of the
/// numbers does not show the age: a program that counts upwards gives older files smaller numbers.
/// Compression changes an archive's identity, but not its time.
bool following_device::is_known(const old_file& one) const noexcept {
  return std::ranges::any_of(known_, [&](const known_file& file) {
    return file.write_time == one.status.write_time &&
           (file.identity == one.status.identity || !one.name.ending.empty());
  });
}

/// Moves the first file from files_ to known_. The file must have been read to its end.
void following_device::finish_first_file() {
  const followed_file& file = files_.front();
  std::error_code ec;  // without the file's time, the file is not recognized
  known_.push_back({file.identity, file.handle() == no_handle
                                       ? file.write_time
                                       : status_of(file.handle(), ec).write_time});
  watch_->remove(file.watch_id);
  files_.pop_front();
}

/// Adds the files that got and lost the log's name between two calls: the archives after the last
/// file of files_. If that last file was removed or compressed, adds the archives with a later
/// time. (leat::rotating gives each archive a time of its own.) `seen` gets a text for each missed
/// archive. If the texts of two calls differ, the archives have changed.
void following_device::add_missed_archives(std::deque<followed_file>& to,
                                           std::vector<std::string>& seen, std::error_code& ec) {
  const log_files log(located(path_), ec);
  if (files_.empty()) {
    // No file was missed. If the system reports an error, older archives stay unknown.
    if (!ec) list_archives(log, ec);
    ec.clear();
    return;
  }
  if (ec) return;
  const std::int64_t last = files_.back().handle() == no_handle
                                ? files_.back().write_time
                                : status_of(files_.back().handle(), ec).write_time;
  if (ec) return;
  const std::vector<old_file> all = list_archives(log, ec);
  if (ec) return;
  const auto same = std::ranges::find(all, files_.back().identity,
                                      [](const old_file& one) { return one.status.identity; });
  const bool found = same != all.end();
  const log_archive* before = nullptr;
  for (auto next = found ? same + 1 : all.begin(); next != all.end(); ++next) {
    const auto& [one, status] = *next;
    if ((!found && status.write_time <= last) || is_followed(status) || is_known(*next)) continue;
    if (before != nullptr && before->is_same(one)) continue;  // the compressed file comes first
    before = &one;
    seen.push_back(one.suffix + ' ' + std::to_string(status.write_time) + ' ' +
                   std::to_string(status.identity[1]));
    auto file = log.with_path(one.suffix, [&](path_ref path) {
      if (one.ending.empty()) return followed_file(open_followed(path, ec));
      options how;
      how.compression = compression::automatic;
      return followed_file(decoded(files::open_existing(path, how, ec), how, ec));
    });
    if (is_transient(ec)) {  // for example, the archive was removed or renamed
      ec.clear();
      seen.emplace_back("changes");
      continue;
    }
    if (ec) return;
    file.identity = status.identity;
    file.write_time = status.write_time;
    to.push_back(std::move(file));
  }
}

/// True if the writer of the first file has gone on to the next file. Then the first file does not
/// grow any more.
bool following_device::is_first_file_complete(std::error_code& ec) noexcept {
  ec.clear();
  return files_.size() > 2 || (files_.size() == 2 && files_.back().look_for_unread_bytes(ec));
}

/// Writes a newline to `into` and returns 1. Called if a file has ended within a line: the next
/// bytes belong to another line.
std::size_t following_device::end_line(std::span<char> into) noexcept {
  within_line_ = false;
  into.front() = '\n';
  return 1;
}

std::size_t following_device::read_now(std::span<char> into, std::error_code& ec) {
  if (!stopping_) {
    find_new_files(pending_error_);
    if (is_transient(pending_error_)) pending_error_.clear();
  }
  while (!files_.empty()) {
    // `done` is computed before the read. If `done` is true, the end of the file that the read
    // finds is final.
    const bool done = is_first_file_complete(ec);
    if (ec) return 0;
    followed_file& file = files_.front();
    file.look_for_unread_bytes(ec);  // notices that the file has become shorter
    if (ec) return 0;
    if (std::exchange(file.was_truncated, false) && within_line_) return end_line(into);
    const std::size_t n = file.read(into, ec);
    if (n != 0) within_line_ = into[n - 1] != '\n';
    if (n != 0 || ec || !done) return n;
    finish_first_file();
    if (within_line_) return end_line(into);
  }
  return 0;
}

std::size_t following_device::read_at(std::uint64_t, std::span<char> into,
                                      std::error_code& ec) noexcept try {
  ec.clear();
  constexpr int most_tries = 100;
  int tries = 0;  // calls of find_new_files() during which the log was changing
  const auto begin = clock::now();
  for (;;) {
    if (!stopping_ && stop_.stop_requested()) {
      do {
        log_was_changing_ = false;
        find_new_files(pending_error_);
      } while (log_was_changing_ && ++tries != most_tries);
      if (pending_error_ == std::errc::no_such_file_or_directory) pending_error_.clear();
      for (auto& file : files_) {
        file.end_at_current_size(ec);
        if (ec) return 0;
      }
      stopping_ = true;
    }
    log_was_changing_ = false;
    const std::size_t n = read_now(into, ec);
    if (n == 0 && !ec) ec = std::exchange(pending_error_, {});
    if (n != 0 || ec || stopping_) return n;
    if (log_was_changing_ && ++tries != most_tries) continue;
    const auto waited = std::chrono::duration_cast<milliseconds>(clock::now() - begin);
    if (waited >= timeout_) return 0;
    watch_->wait(timeout_ - waited);
  }
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return 0;
}

}  // namespace

std::unique_ptr<device> open_following(path_ref path, const first_position_finder& find_begin,
                                       milliseconds timeout, const std::stop_token& stop,
                                       std::error_code& ec) noexcept try {
  auto result = std::make_unique<following_device>(path, timeout, stop, ec);
  if (!ec) result->start(find_begin, ec);
  if (ec) return nullptr;
  return result;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return nullptr;
}

}  // namespace v0
}  // namespace leat
