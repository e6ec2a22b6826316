// The failed writes of a stream. Used by write_buffer and update_buffer.
#pragma once

#include <leat/error.hpp>

#include <atomic>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

namespace leat {
inline namespace v0 {

/// The first failed write of a stream, and the number of lost bytes. The failure stays until the
/// program clears it. The failure is unreported until a call has returned it.
class write_failures {
 public:
  /// Records a failure; only the first failure is kept. Counts all bytes that are lost.
  void record(std::error_code ec, const char* operation, std::uint64_t offset,
              std::uint64_t unwritten) noexcept {
    const std::uint64_t so_far = first_.unwritten;
    if (!first_) first_ = {ec, operation, offset};
    first_.unwritten = so_far + unwritten;
    set_unreported(true);
  }
  explicit operator bool() const noexcept { return static_cast<bool>(first_); }
  std::error_code code() const noexcept { return first_.code; }
  /// A failed sync is final: which bytes the device has is unknown.
  bool is_final() const noexcept { return first_.operation == std::string_view("sync"); }
  /// Number of all bytes that will not arrive.
  std::uint64_t lost() const noexcept { return lost_before_ + first_.unwritten; }

  /// Any thread may call this function.
  bool is_unreported() const noexcept { return unreported_.load(std::memory_order_relaxed); }
  /// Returns the failure so far. The caller must report this failure to the program.
  failure report() noexcept {
    set_unreported(false);
    return first_;
  }
  /// Returns the failure, and marks it as reported; none if no failure is unreported.
  failure take_unreported() noexcept { return is_unreported() ? report() : failure{}; }
  /// Sets whether the failure is unreported, for example after an internal call that has returned
  /// the failure.
  void set_unreported(bool unreported) noexcept {
    unreported_.store(unreported, std::memory_order_relaxed);
  }

  /// Clears the failure. lost() keeps the number of lost bytes.
  void clear() noexcept {
    lost_before_ += std::exchange(first_, {}).unwritten;
    set_unreported(false);
  }
  /// Forgets earlier losses, because the parent reports them.
  void after_fork_in_child() noexcept {
    first_.unwritten = lost_before_ = 0;
    set_unreported(false);
  }

 private:
  failure first_;
  std::uint64_t lost_before_ = 0;  // bytes lost by cleared failures
  std::atomic<bool> unreported_ = false;
};

}  // namespace v0
}  // namespace leat
