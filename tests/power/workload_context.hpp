// The surroundings of a workload: a folder on the recording disk, and notes of the promises made to
// the workload.
#pragma once

#include <leat/options.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "power/recorder.hpp"
#include "support/history.hpp"

namespace leat_power {

using leat_test::atomicity;
using leat_test::content;
using leat_test::history;

inline constexpr auto to_disk = leat::durability::system;

/// If true, fsync and fdatasync of this program do nothing, so that promises are broken.
extern bool skip_syncs;

/// A file that a workload changes. For each change, the workload calls begin_change(), and then
/// leat. If the call of leat made the file durable, the workload then calls add_promise().
class workload_file {
 public:
  workload_file(recorder& disk, history& changes, std::string path)
      : disk_(&disk), history_(&changes), path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  /// The latest content; empty if the file does not exist.
  std::string latest() const { return history_->latest().value_or(std::string()); }
  bool exists() const { return history_->latest().has_value(); }

  void begin_change(content next, atomicity how = atomicity::in_parts) {
    history_->add_change(disk_->position(), std::move(next), how);
  }
  void add_promise() { history_->add_promise(disk_->position()); }
  void require_mode(unsigned mode) { history_->require_mode(mode); }
  void allow_trailing_zeros() { history_->allow_trailing_zeros(); }

 private:
  recorder* disk_;
  history* history_;
  std::string path_;
};

class workload_context {
 public:
  workload_context(recorder& disk, std::string root, std::uint64_t seed);

  /// The largest number of files in a record. Each file, together with its siblings, has its own
  /// folder, "0", "1" …, which is durable before the record begins.
  static constexpr std::size_t max_files = 2500;

  /// Returns the next file, which does not exist yet. Messages call the file `name`.
  workload_file file(const std::string& name);
  /// Returns a file next to the latest file, with this ending added to its name.
  workload_file sibling(const std::string& ending);
  /// Returns `n` bytes of numbered lines, with a random number that marks the call.
  std::string text(std::size_t n);
  std::size_t below(std::size_t n) { return random_() % n; }
  /// Sometimes lets the system write: everything, or only the file system's journal (by a sync of
  /// another file).
  void sync_at_random();
  /// Lets the system write everything and empty the file system's journal, so that later mounts
  /// have less to recover.
  void checkpoint_file_system();

  std::vector<std::unique_ptr<history>>& histories() { return histories_; }

 private:
  recorder* disk_;
  std::string root_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<history>> histories_;
};

/// One workload of a record. The names of the workload's files begin with `name`.
struct workload {
  std::string name;
  std::function<void(workload_context&)> run;
};

/// Returns the ways to write a file with leat, each with its promises. A new way needs a line in
/// this function.
std::vector<workload> every_workload();
/// Returns all sequences of three operations on one file.
std::vector<workload> every_sequence();

}  // namespace leat_power
