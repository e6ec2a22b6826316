// The files of one log: which one was begun when, what tools do to them, and what `keep` may take.
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

/// An old file of the log, from its name.
struct old_file {
  std::string name;
  std::uint64_t number = 0;  ///< 0: it has a time
  std::string time;
  bool is_compressed = false;

  bool is_same(const old_file& other) const { return number == other.number && time == other.time; }
};

/// What has become of the names of the files since a process has listed them.
enum class names_since { same, changed, changed_under_our_lock };

class files {
 public:
  static constexpr std::string_view log_name = "log";

  files(std::string folder, history& all, virtual_clock& clock)
      : folder_(std::move(folder)), history_(&all), clock_(&clock) {}

  std::string at(std::string_view name) const { return folder_ + '/' + std::string(name); }
  std::string log() const { return at(log_name); }
  /// Gives a file the virtual time as that of its last write.
  void stamp(const std::string& path) const;

  // What processes do. The names have no folder.

  static bool is_old(std::string_view name);

  /// There may be a new file with the log's name.
  void look_for_new();
  void renamed(std::string_view from, std::string_view to);
  /// Called before a process removes an old file. Returns what is wrong with that.
  std::string complaint_about_removal(std::string_view name, std::size_t keep, names_since) const;
  void remove(std::string_view name);

  // What tools do, each in one step: what they do in several is in the list of `later`.

  using change = std::function<void()>;
  /// Does something that the number chooses. Returns what, or nothing.
  std::string use_tool(std::size_t which, std::size_t random, std::vector<change>& later);
  static constexpr std::size_t tools = 10;

  /// When a tool has last taken the name from the log, or removed it.
  moment taken_at() const noexcept { return taken_at_; }
  moment removed_at() const noexcept { return removed_at_; }

  std::vector<old_file> old() const;
  /// All files in the order in which they were begun. Adds what is wrong with their names.
  std::vector<piece> pieces(std::string& complaint) const;

  static std::string content(const std::string& path);

 private:
  /// When a file was begun, and how often it was emptied before what it has now.
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
  std::map<std::string, age, std::less<>> removed_;  // what may come back compressed
  std::size_t next_ = 0;
  std::size_t names_ = 0;  // of tools
  moment taken_at_ = 0, removed_at_ = 0;
};

}  // namespace logs
