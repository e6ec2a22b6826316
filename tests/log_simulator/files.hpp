// The files of one log: the order in which the files were begun, the actions of tools, and the
// files that `keep` may remove.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "log_simulator/clock.hpp"
#include "log_simulator/history.hpp"

namespace logs {

/// An archive of the log: an old file, parsed from its name.
struct archive {
  std::string name;
  std::uint64_t number = 0;  ///< 0: the name has a time instead
  std::string time;
  bool is_compressed = false;

  bool has_same_id(const archive& other) const {
    return number == other.number && time == other.time;
  }
};

/// Whether a process's list of the files still has the current names of the files.
/// `stale_under_lock`: another process has changed names while the process with the list holds the
/// rotation lock.
enum class listing { current, stale, stale_under_lock };

class files {
 public:
  static constexpr std::string_view log_name = "log";

  files(std::string folder, history& all, virtual_clock& clock)
      : folder_(std::move(folder)), history_(&all), clock_(&clock) {}

  std::string at(std::string_view name) const { return folder_ + '/' + std::string(name); }
  std::string log() const { return at(log_name); }
  /// Gives a file the simulated time as its last modification time.
  void set_file_time(const std::string& path) const;

  // Actions of processes. Names are without a folder.

  static bool is_archive(std::string_view name);

  /// Called when a process may have made a new file with the log's name. Notes the file and sets
  /// its time.
  void note_new_log();
  void note_rename(std::string_view from, std::string_view to);
  /// Called before a process removes an old file. Returns what is wrong with the removal, or an
  /// empty text.
  std::string removal_violation(std::string_view name, std::size_t keep, listing) const;
  void note_removal(std::string_view name);

  // Actions of tools. Each call is one step. Later steps are added to `later_steps`.

  using tool_step = std::function<void()>;
  /// Does what the tool with number `which` does. `random` chooses an old file or a mode. Returns a
  /// description. If the tool can do nothing now, returns an empty text.
  std::string run_tool(std::size_t which, std::size_t random, std::vector<tool_step>& later_steps);
  static constexpr std::size_t tool_count = 10;

  /// log_taken_at(): the last moment at which a tool renamed, removed or replaced the log.
  /// log_removed_at(): the last moment at which a tool removed or replaced the log.
  moment log_taken_at() const noexcept { return log_taken_at_; }
  moment log_removed_at() const noexcept { return log_removed_at_; }

  std::vector<archive> archives() const;
  /// Returns all files, in the order in which they were begun. If a file was not noted,
  /// or if an old file is older than the file before it in the order of names, sets
  /// `violation`. The result may then be incomplete.
  std::vector<file_content> contents(std::string& violation) const;

  static std::string content(const std::string& path);

 private:
  /// The number of a file, from 0 in the order in which files were begun, and how often the file
  /// was emptied before its current content. {2, 1}: the third file, emptied once.
  using file_version = std::pair<std::size_t, std::size_t>;

  std::string text_of(const archive& one) const;
  void record_removal(std::string_view name);
  void write_file(const std::string& path, std::string_view text) const;
  std::string new_name(std::string_view kind) {
    return std::string(kind) + std::to_string(++tool_name_count_);
  }

  const std::string folder_;
  history* history_;
  virtual_clock* clock_;
  std::map<std::string, file_version, std::less<>> versions_;
  // The versions of removed files, which may appear again in compressed form.
  std::map<std::string, file_version, std::less<>> removed_versions_;
  std::size_t next_file_ = 0;
  std::size_t tool_name_count_ = 0;  // the last number in names and texts that tools have made
  moment log_taken_at_ = 0, log_removed_at_ = 0;
};

}  // namespace logs
