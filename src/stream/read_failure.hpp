// What a source knows of failed reads.
#pragma once

#include <leat/error.hpp>

#include <cstdint>
#include <system_error>
#include <utility>

namespace leat {
inline namespace v0 {

/// The last failed read, pending until somebody is told of it.
class read_failure {
 public:
  void meet(std::error_code ec, std::uint64_t at) noexcept {
    last_ = {ec, "read", at};
    pending_ = true;
  }
  bool pending() const noexcept { return pending_; }
  failure report() noexcept {
    pending_ = false;
    return last_;
  }
  /// A later read has succeeded.
  void forget() noexcept { last_ = {}; }
  /// The reader goes elsewhere. Other bytes may be readable, but a read came short and nobody knows
  /// why.
  void leave_behind() noexcept {
    if (pending_ && !untold_) untold_ = last_;
    last_ = {};
    pending_ = false;
  }
  /// At the end of the stream: the first one that nobody was told of, if there is one.
  failure take_untold() noexcept {
    leave_behind();
    return std::exchange(untold_, {});
  }
  std::error_code code() const noexcept { return last_.code; }

 private:
  failure last_;
  failure untold_;  // the first that was left behind
  bool pending_ = false;
};

}  // namespace v0
}  // namespace leat
