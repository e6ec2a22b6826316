// The files of one log: the one that has the name, and the old ones with their numbers or times.
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

/// An old file of a log.
struct old_log {
  std::string suffix;        ///< after the log's name: ".3", ".20261125T184415.120345Z.gz"
  std::uint64_t number = 0;  ///< 1 is the newest; 0: the name has a time
  /// When the file became an old one, in microseconds since 1970: the time in its name. Of a
  /// numbered file its last write, or 0 if no name has a time.
  std::int64_t time = 0;
  std::string_view ending;  ///< of its compression; "" if it has none

  /// True of a file and of its compressed form.
  bool is_same(const old_log& other) const noexcept {
    return number == other.number && (number != 0 || time == other.time);
  }
};

/// Finds and names the files, wherever the program goes meanwhile. A function with an `ec` sets it,
/// or leaves it clear.
class log_files {
 public:
  /// Throws std::bad_alloc, as all functions here.
  log_files(path_ref path, std::error_code& ec);

  /// The path of the log, as messages have it.
  const std::string& path() const noexcept { return path_; }
  /// Calls `use` with the path of the file with this suffix; "" is the log itself.
  template <class Use>
  decltype(auto) with(std::string_view suffix, const Use& use) const {
    const std::string text = std::string(path_).append(suffix);
    return use(inside_ ? folder_.at(text) : path_ref(text));
  }
  bool status(std::string_view suffix, file_status& into) const {
    return with(suffix, [&](path_ref path) { return status_of(path, into); });
  }
  /// The file with the log's name, to append; it is made if there is none.
  std::unique_ptr<device> open(const options& how, std::error_code& ec) const;
  /// The same after another one had the name. A new file gets the access that the other one, which
  /// is open, has: mode, owner and access list.
  std::unique_ptr<device> open_next(const options& how, native_handle_type old,
                                    std::error_code& ec) const;
  /// True if the names of `keep` old files would be too long for the folder; 0: of any number.
  bool has_long_name(bool by_time, std::size_t keep, compression format) const;
  /// No file is replaced: file_exists.
  void rename(std::string_view from, std::string_view to, std::error_code& ec) const;
  void remove(std::string_view suffix, std::error_code& ec) const;

  /// The old files, the oldest first, whether their names have numbers or times.
  std::vector<old_log> old(std::error_code& ec) const;
  /// The same without those that are there compressed as well: who has compressed them was killed
  /// before it could remove them. Removes those. The log has to be locked.
  std::vector<old_log> settled(std::error_code& ec) const;
  /// The second since 1970 at which the newest one became an old file; an early one if there is
  /// none.
  std::int64_t newest_made(std::error_code& ec) const;

  /// Returns what the file with the log's name, which is open and locked, is to be called next, as
  /// the newest old one. The others get their next numbers; a kill leaves a gap in the numbers, at
  /// which the next call ends. The time of the file's last write becomes the time of this call, or
  /// a later one that no other file of the log has, as the file system stores it: by it readers
  /// know a file, even compressed. value_too_large if no later time can be written in a name;
  /// no_such_file_or_directory if the file has lost the log's name.
  std::string name_of_newest(bool by_time, native_handle_type file, std::error_code& ec) const;
  /// Removes the oldest ones, so that `most` are left. The log has to be locked.
  void remove_oldest(std::size_t most, std::error_code& ec) const;

  /// The lock of the file that has the log's name: it is closed with the object.
  class lock {
   public:
    lock(const log_files& of, std::error_code& ec);
    ~lock() {
      if (file_ != no_handle) close_followed(file_);
    }
    lock(const lock&) = delete;
    lock& operator=(const lock&) = delete;
    /// False if a tool has moved the file meanwhile: then others may have the lock of the next one.
    bool holds() const noexcept;

   private:
    const log_files& of_;
    native_handle_type file_ = no_handle;
  };

 private:
  std::string path_;
  folder folder_;  // closed unless inside_
  bool inside_;
};

/// The name of the file that becomes a compressed one. All processes use this one name, so what a
/// killed one has left is overwritten.
inline constexpr std::string_view while_compressing = ".compressing";

/// ".gz" for gzip, and "" for none.
std::string_view ending_of(compression format) noexcept;

}  // namespace v0
}  // namespace leat
