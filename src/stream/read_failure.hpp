// The failed reads of a source.
#pragma once

#include <leat/error.hpp>

#include <cstdint>
#include <system_error>
#include <utility>

namespace leat {
inline namespace v0 {

/// The last failed read. It is pending until a call reports it.
class read_failure {
 public:
  void meet(std::error_code ec, std::uint64_t at) noexcept { meet({ec, "read", at}); }
  void meet(const failure& what) noexcept {
    last_ = what;
    pending_ = true;
  }
  bool pending() const noexcept { return pending_; }
  failure report() noexcept {
    pending_ = false;
    return last_;
  }
  /// Call it after a later read has succeeded.
  void forget() noexcept { last_ = {}; }
  /// Call it when the reader goes elsewhere. Reading there may succeed, but the failed read still
  /// has to be reported at the end.
  void leave_behind() noexcept {
    if (pending_ && !untold_) untold_ = last_;
    last_ = {};
    pending_ = false;
  }
  /// For the end of the stream: the first failure that no call has reported, if there is one.
  failure take_untold() noexcept {
    leave_behind();
    return std::exchange(untold_, {});
  }
  std::error_code code() const noexcept { return last_.code; }

 private:
  failure last_;
  failure untold_;  // the first failure that was left behind
  bool pending_ = false;
};

}  // namespace v0
}  // namespace leat
