// The files of one log: when each was begun, what tools do to them, and which files `keep`
// may remove.
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

/// An old file of the log, parsed from its name.
struct old_file {
  std::string name;
  std::uint64_t number = 0;  ///< 0: the name has a time instead
  std::string time;
  bool is_compressed = false;

  bool is_same(const old_file& other) const { return number == other.number && time == other.time; }
};

/// How the names of the files have changed since a process listed them. `changed_under_our_lock`:
/// by another process, while the process that listed them holds the rotation lock.
enum class names_since { same, changed, changed_under_our_lock };

class files {
 public:
  static constexpr std::string_view log_name = "log";

  files(std::string folder, history& all, virtual_clock& clock)
      : folder_(std::move(folder)), history_(&all), clock_(&clock) {}

  std::string at(std::string_view name) const { return folder_ + '/' + std::string(name); }
  std::string log() const { return at(log_name); }
  /// Gives a file the simulated time as its last modification time.
  void stamp(const std::string& path) const;

  // Actions of processes. Names are without a folder.

  static bool is_old(std::string_view name);

  /// Called when a process may have made a new file with the log's name. Notes and stamps the file.
  void look_for_new();
  void renamed(std::string_view from, std::string_view to);
  /// Called before a process removes an old file. Returns what is wrong with the removal, or an
  /// empty text.
  std::string complaint_about_removal(std::string_view name, std::size_t keep, names_since) const;
  void remove(std::string_view name);

  // Actions of tools. Each call is one step; later steps are added to `later`.

  using change = std::function<void()>;
  /// Does what the tool with number `which` does. Returns a description; empty: impossible now.
  std::string use_tool(std::size_t which, std::size_t random, std::vector<change>& later);
  static constexpr std::size_t tools = 10;

  /// The last moments at which a tool renamed, removed or replaced the log, and at which a tool
  /// removed or replaced the log.
  moment taken_at() const noexcept { return taken_at_; }
  moment removed_at() const noexcept { return removed_at_; }

  std::vector<old_file> old() const;
  /// Returns all files, in the order in which they were begun. Sets `complaint` if a file is left
  /// behind, or if an old file is older than the file before it in the order of names.
  std::vector<piece> pieces(std::string& complaint) const;

  static std::string content(const std::string& path);

 private:
  /// The number of a file, in the order in which files were begun, and how often the file was
  /// emptied before its current content.
  using age = std::pair<std::size_t, std::size_t>;

  std::string text_of(const old_file& one) const;
  void lose(std::string_view name);
  void put(const std::string& path, std::string_view text) const;
  std::string new_name(std::string_view kind) {
    return std::string(kind) + std::to_string(++names_);
  }

  const std::string folder_;
  history* history_;
  virtual_clock* clock_;
  std::map<std::string, age, std::less<>> ages_;
  std::map<std::string, age, std::less<>> removed_;  // files that may come back compressed
  std::size_t next_ = 0;
  std::size_t names_ = 0;  // numbers the tools' names
  moment taken_at_ = 0, removed_at_ = 0;
};

}  // namespace logs
