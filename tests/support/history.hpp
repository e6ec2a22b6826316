// The states that a file may have after a power cut or a kill, and when each state was promised.
// For tests/power/ and tests/kills/.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leat_test {

/// How a file changes from one state to the next.
enum class atomicity {
  whole,    ///< atomically: no partial change is visible
  in_parts  ///< bytes and length in any order
};

/// The bytes of a file, or std::nullopt if there is no file.
using content = std::optional<std::string>;

/// One file, and the promises of leat to the program that writes the file. Each event has a
/// position in the record of all events.
///
/// Example: add_change(10, "old", whole), add_promise(20), add_change(30, "new", whole). A cut at
/// position 25 must leave "old". A cut at position 35 must leave "old" or "new".
class history {
 public:
  /// A file that does not exist at first. `name` is for messages; `path` is relative to the root of
  /// the file system.
  history(std::string name, std::string path, std::size_t position);

  /// Records the beginning of a call that leads to this content.
  void add_change(std::size_t position, content next, atomicity change);
  /// Records the return of a call that has made the content of the last add_change() durable.
  void add_promise(std::size_t position);
  /// Requires these mode bits in each state in which the file exists.
  void require_mode(unsigned mode) { mode_ = mode; }
  /// Allows zeros after the file's bytes, for example in space that was allocated in advance.
  void allow_trailing_zeros() { allows_trailing_zeros_ = true; }

  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }
  const content& latest() const { return states_.back().bytes; }
  /// Returns the position that was given to the constructor.
  std::size_t first_position() const { return marks_.front().position; }
  std::vector<std::size_t> promised_positions() const;
  /// Returns what is wrong with the file below `root` after a cut at this position, or "". If the
  /// file can't be read, throws std::system_error.
  std::string violation(const std::string& root, std::size_t position) const;

 private:
  struct state {
    content bytes;
    atomicity change;  // of the change from the previous state
  };
  struct mark {
    std::size_t position;
    std::size_t durable;  // index of the first possible state
    std::size_t latest;   // index of the last possible state
  };

  bool is_possible(const content& found, std::size_t first, std::size_t last) const;
  bool is_possible_mix(const content& found, std::size_t first, std::size_t last) const;

  std::string name_;
  std::string path_;
  std::vector<state> states_;
  std::vector<mark> marks_;
  std::optional<unsigned> mode_;
  bool allows_trailing_zeros_ = false;
};

}  // namespace leat_test
