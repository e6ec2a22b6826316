// The failed reads of a source. Used by device_source and update_buffer.
#pragma once

#include <leat/error.hpp>

#include <cstdint>
#include <system_error>
#include <utility>

namespace leat {
inline namespace v0 {

/// The last failed read of a source: pending until a call reports the failure. Also keeps the first
/// failure that a seek left unreported.
class read_failure {
 public:
  /// Records a failed read at position `at`. The failure is pending until report() or
  /// keep_unreported().
  void record(std::error_code ec, std::uint64_t at) noexcept { record({ec, "read", at}); }
  void record(const failure& what) noexcept {
    last_ = what;
    pending_ = true;
  }
  bool is_pending() const noexcept { return pending_; }
  /// The position of the last failed read.
  std::uint64_t position() const noexcept { return last_.offset; }
  /// Returns the last failure, which is not pending any more.
  failure report() noexcept {
    pending_ = false;
    return last_;
  }
  /// Clears the last failure: code() returns no error. Must be called after a later read has
  /// succeeded.
  void clear_last() noexcept { last_ = {}; }
  /// Must be called when the reader seeks. A read at the new position may succeed, but a pending
  /// failure must still be reported when the stream is closed or destroyed.
  void keep_unreported() noexcept {
    if (pending_ && !unreported_) unreported_ = last_;
    last_ = {};
    pending_ = false;
  }
  /// Returns the first unreported failure, or none. Called when the stream is closed or destroyed.
  failure take_unreported() noexcept {
    keep_unreported();
    return std::exchange(unreported_, {});
  }
  /// The code of the last failure, or no error.
  std::error_code code() const noexcept { return last_.code; }

 private:
  failure last_;
  failure unreported_;  // the first failure that a seek left unreported
  bool pending_ = false;
};

}  // namespace v0
}  // namespace leat
