// A loss handler that records losses.
#pragma once

#include <leat/error.hpp>

#include <mutex>
#include <string>
#include <vector>

namespace leat_test {

/// While a recorder exists, losses are recorded instead of printed. Only one recorder may exist at
/// a time.
class loss_recorder {
 public:
  loss_recorder() : previous_(leat::set_loss_handler(record)) { take(); }
  ~loss_recorder() { leat::set_loss_handler(previous_); }
  loss_recorder(const loss_recorder&) = delete;
  loss_recorder& operator=(const loss_recorder&) = delete;

  /// Returns the losses since the last call.
  std::vector<leat::io_error> take() {
    const std::lock_guard guard(lock());
    return std::exchange(losses(), {});
  }

 private:
  static std::mutex& lock() {
    static std::mutex instance;
    return instance;
  }
  static std::vector<leat::io_error>& losses() {
    static std::vector<leat::io_error> instance;
    return instance;
  }
  static void record(const leat::io_error& loss) noexcept {
    const std::lock_guard guard(lock());
    losses().push_back(loss);
  }

  leat::loss_handler previous_;
};

}  // namespace leat_test
