// The files of one log: the file that has the log's name, and the archives (old files) with their
// numbers or times. Used by rotating.cpp, log_finisher.cpp and follow.cpp.
#pragma once

#include <leat/folder.hpp>
#include <leat/options.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "device/follow_system.hpp"
#include "opening/open.hpp"

namespace leat {
inline namespace v0 {

/// An archive of a log.
struct log_archive {
  std::string suffix;        ///< after the log's name: ".3", ".20261125T184415.120345Z.gz"
  std::uint64_t number = 0;  ///< 1 is the newest; 0: the name has a time
  /// When the file became an archive, in microseconds since 1970. If the name has a time: the time
  /// in the name. If the name has a number: the latest known modification time of this file and of
  /// the older numbered files; 0 if no such time is known, or if no archive's name has a time.
  std::int64_t time = 0;
  std::string_view ending;  ///< the result of ending_of(), such as ".gz"; "": not compressed

  /// True if `other` is the same archive, compressed or not.
  bool is_same(const log_archive& other) const noexcept {
    return number == other.number && (number != 0 || time == other.time);
  }
};

/// Finds and names the files of a log, even if the program changes its working directory. Each
/// function with an `ec` sets `ec` on failure.
class log_files {
 public:
  /// Throws std::bad_alloc, as do all functions here that are not noexcept.
  log_files(path_ref path, std::error_code& ec);

  /// The path of the log, for messages.
  const std::string& path() const noexcept { return path_; }
  /// Calls `use` with the path of the file with this suffix. "" is the log itself.
  template <class Use>
  decltype(auto) with_path(std::string_view suffix, const Use& use) const {
    const std::string text = std::string(path_).append(suffix);
    return use(inside_ ? folder_.at(text) : path_ref(text));
  }
  /// Reads the status of the file with this suffix. Returns false if there is no such file, or if
  /// the system reports an error.
  bool status(std::string_view suffix, file_status& into) const {
    return with_path(suffix, [&](path_ref path) { return status_of(path, into); });
  }
  /// Opens the file with the log's name to append. Makes a missing file. Returns null on failure.
  std::unique_ptr<device> open(const options& how, std::error_code& ec) const;
  /// Like open(), for a log whose previous file is the open file `old`. If this function makes a
  /// new file, the file gets the access rights of `old`, as far as copy_log_access() can copy them.
  std::unique_ptr<device> open_next(const options& how, native_handle_type old,
                                    std::error_code& ec) const;
  /// True if the name of an archive or of the temporary file would be too long for the folder, when
  /// `keep` archives are kept. If `keep` is 0, the number of archives has no limit.
  bool has_long_name(bool by_time, std::size_t keep, compression format) const;
  /// Renames a file, as rename_log() does: if `to` exists, the error is file_exists.
  void rename(std::string_view from, std::string_view to, std::error_code& ec) const;
  /// Removes the file with this suffix.
  void remove(std::string_view suffix, std::error_code& ec) const;

  /// Returns the archives, the oldest first, whether their names have numbers or times.
  std::vector<log_archive> archives(std::error_code& ec) const;
  /// Removes archives that also exist as compressed files: a killed process has compressed these
  /// archives, but has not removed them. Returns the other archives, the oldest first. Needs the
  /// rotation lock.
  std::vector<log_archive> remove_duplicates(std::error_code& ec) const;
  /// Returns when the newest archive became an archive, in seconds since 1970. If the time is
  /// unknown or the log has no archive, returns the smallest std::int64_t.
  std::int64_t newest_archive_time(std::error_code& ec) const;

  /// Returns the suffix under which the file with the log's name becomes the newest archive. The
  /// file must be open and locked.
  ///
  /// If `by_time` is true, the suffix is a time. Otherwise the suffix is ".1", and numbered
  /// archives get their next numbers, up to the first free number: after a kill, ".1", ".3" become
  /// ".2", ".3". The file's modification time is set to the time of this call, or to a later time
  /// that no other file of the log has. Readers recognize the file by this time, even after the
  /// file was compressed. Errors: value_too_large if `by_time` is true and no later time can be
  /// written in a name; no_such_file_or_directory if the file has lost the log's name before an
  /// archive is renamed; system errors.
  std::string prepare_newest_suffix(bool by_time, native_handle_type file,
                                    std::error_code& ec) const;
  /// Removes the oldest archives, so that at most `most` are left. Needs the rotation lock.
  void remove_oldest(std::size_t most, std::error_code& ec) const;

  /// Holds the rotation lock of the log for the lifetime of the object.
  class lock {
   public:
    /// Waits for the lock. On failure sets `ec`, and the object holds no lock.
    lock(const log_files& log, std::error_code& ec);
    ~lock();
    lock(const lock&) = delete;
    lock& operator=(const lock&) = delete;
    /// False if a tool has moved the file since it was locked, or if the check fails. Then other
    /// processes may hold the lock of the next file.
    bool holds() const noexcept;

   private:
    const log_files& log_;
    native_handle_type file_ = no_handle;
  };

 private:
  std::string path_;
  folder folder_;  // closed if inside_ is false
  bool inside_;
};

/// Suffix of the file into which an archive is compressed. All processes use this one name, so the
/// file that a killed process has left is overwritten.
inline constexpr std::string_view compressing_suffix = ".compressing";

/// Returns ".gz" for gzip, for example, and "" for none.
std::string_view ending_of(compression format) noexcept;

}  // namespace v0
}  // namespace leat
