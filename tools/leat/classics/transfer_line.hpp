// A line that shows how much has been copied.
#pragma once

#include <cstdint>
#include <mutex>

namespace bench {

/// Shows the sum of all copies in one line of standard error. Shows nothing if that is not a
/// terminal. Several threads may use it.
class transfer_line {
 public:
  /// `all` bytes are to be copied, as far as is known.
  explicit transfer_line(std::uint64_t all);
  ~transfer_line() { clear(); }
  transfer_line(const transfer_line&) = delete;
  transfer_line& operator=(const transfer_line&) = delete;

  /// So many bytes more.
  void add(std::uint64_t bytes);
  /// Removes the line, for a message.
  void clear();

 private:
  void show();

  std::mutex lock_;
  bool is_on_;
  bool is_shown_ = false;
  std::uint64_t all_, done_ = 0;
  double start_, last_ = 0;
};

}  // namespace bench
