// The exit status of a program that has lost bytes. The code that flushes streams at exit calls
// fail_at_exit().
#include "base/exit.hpp"

#include <atomic>

#include "base/loss.hpp"

namespace leat {
inline namespace v0 {

namespace {

constinit std::atomic<bool> lost_at_exit{false};
constinit std::atomic<bool> exiting{false};

// The priority makes this function run after all other destructors of leat, because other
// destructors may lose bytes.
[[gnu::destructor(101)]] void change_status_if_bytes_are_lost() {
  if (lost_at_exit && loss_status() != 0) change_exit_status(loss_status());
}

}  // namespace

void fail_at_exit() noexcept { lost_at_exit = true; }
void report_lost_bytes(const failure& what, std::string_view name) noexcept {
  report_loss(what, name);
  if (exiting) fail_at_exit();
}
void note_exit() noexcept { exiting = true; }

}  // namespace v0
}  // namespace leat
