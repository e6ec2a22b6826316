// The failed writes of a stream.
#pragma once

#include <leat/error.hpp>

#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

namespace leat {
inline namespace v0 {

/// The first failure of a stream that writes, and how many bytes it has cost. It stays until the
/// program clears it. It is untold until a call has returned it.
class write_failures {
 public:
  /// Keeps the first failure. Counts the bytes that are lost by it and after it.
  void meet(std::error_code ec, const char* operation, std::uint64_t offset,
            std::uint64_t unwritten) noexcept {
    const std::uint64_t so_far = first_.unwritten;
    if (!first_) first_ = {ec, operation, offset};
    first_.unwritten = so_far + unwritten;
    untold_ = true;
  }
  explicit operator bool() const noexcept { return static_cast<bool>(first_); }
  std::error_code code() const noexcept { return first_.code; }
  /// After a failed sync nobody knows what the device has.
  bool is_final() const noexcept { return first_.operation == std::string_view("sync"); }
  /// All bytes that will not arrive.
  std::uint64_t lost() const noexcept { return lost_before_ + first_.unwritten; }

  bool is_untold() const noexcept { return untold_; }
  /// Returns the failure so far; the caller tells the program of it.
  failure report() noexcept {
    untold_ = false;
    return first_;
  }
  failure report_untold() noexcept { return untold_ ? report() : failure{}; }
  /// What was told stays told, whatever calls have returned meanwhile.
  void set_untold(bool untold) noexcept { untold_ = untold; }

  void clear() noexcept {
    lost_before_ += std::exchange(first_, {}).unwritten;
    untold_ = false;
  }
  /// The parent reports what was lost so far.
  void after_fork_in_child() noexcept {
    first_.unwritten = lost_before_ = 0;
    untold_ = false;
  }

 private:
  failure first_;
  std::uint64_t lost_before_ = 0;  // by failures that the program has cleared
  bool untold_ = false;
};

}  // namespace v0
}  // namespace leat
