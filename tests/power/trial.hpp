// What a workload works with: a folder on the disk that records, and a note of what it was
// promised.
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

using leat_test::content;
using leat_test::history;
using leat_test::step;

inline constexpr auto to_disk = leat::durability::system;

/// While this is true, fsync and fdatasync of this program do nothing: the promises are broken on
/// purpose.
extern bool skip_syncs;

/// A file that a workload changes. Its calls say what the workload does: first `begins`, then the
/// call of leat, then `promises` if that call has made the file durable.
class tried_file {
 public:
  tried_file(recorder& disk, history& notes, std::string path)
      : disk_(&disk), notes_(&notes), path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  /// The latest content; a file that is not there is empty.
  std::string latest() const { return notes_->latest().value_or(std::string()); }
  bool exists() const { return notes_->latest().has_value(); }

  void begins(content next, step how = step::in_parts) {
    notes_->begins(disk_->position(), std::move(next), how);
  }
  void promises() { notes_->promises(disk_->position()); }
  void keeps_mode(unsigned mode) { notes_->keeps_mode(mode); }
  void may_have_room() { notes_->may_have_room(); }

 private:
  recorder* disk_;
  history* notes_;
  std::string path_;
};

class trial {
 public:
  trial(recorder& disk, std::string root, std::uint64_t seed);

  /// How many files a record can have. Each has a folder of its own, "0", "1" …, which is durable
  /// before the record begins.
  static constexpr std::size_t most_files = 2500;

  /// The next file, not there yet. Messages call it `name`.
  tried_file file(const std::string& name);
  /// A file beside the latest one, whose name ends so.
  tried_file beside(const std::string& ending);
  /// `n` bytes that are different at each place and in each call.
  std::string text(std::size_t n);
  std::size_t below(std::size_t n) { return random_() % n; }
  /// Now and then the system writes of its own accord: everything, or the journal alone (by a sync
  /// of another file).
  void disturb();
  /// The system writes everything and empties its journal. So later mounts have less to recover.
  void rest();

  std::vector<std::unique_ptr<history>>& notes() { return notes_; }

 private:
  recorder* disk_;
  std::string root_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<history>> notes_;
};

/// Something that is done once in each record, with files that are named after it.
struct workload {
  std::string name;
  std::function<void(trial&)> run;
};

/// Each way of leat to write a file, and what it promises. A new one is a new line here.
std::vector<workload> every_workload();
/// All sequences of three operations on one file.
std::vector<workload> every_sequence();

}  // namespace leat_power
