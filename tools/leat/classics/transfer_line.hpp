// The line that shows the progress of `leat cp`. copying.cpp and cp.cpp use the line.
#pragma once

#include <cstdint>
#include <mutex>

namespace bench {

/// Shows the progress of all copies together on one line of standard error. If standard error is
/// not a terminal, does nothing. Thread-safe.
class transfer_line {
 public:
  /// `total` is the number of bytes to copy, as far as known.
  explicit transfer_line(std::uint64_t total);
  ~transfer_line() { clear(); }
  transfer_line(const transfer_line&) = delete;
  transfer_line& operator=(const transfer_line&) = delete;

  /// Adds bytes to the number of copied bytes, and updates the line, at most five times a second.
  void add(std::uint64_t bytes);
  /// Removes the line, so that a message can be printed. The next add() shows the line again.
  void clear();

 private:
  void show();

  std::mutex lock_;
  bool is_terminal_;
  bool is_shown_ = false;
  std::uint64_t total_, copied_ = 0;
  double start_, last_ = 0;  // times of the start and of the last update, in seconds
};

}  // namespace bench
