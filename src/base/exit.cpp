#include "base/exit.hpp"

#include "base/loss.hpp"

namespace leat {
inline namespace v0 {

namespace {

constinit bool lost_at_exit = false;

// With this priority it runs after all other destructors of leat, which may lose bytes too.
[[gnu::destructor(101)]] void change_status_if_bytes_are_lost() {
  if (lost_at_exit && loss_status() != 0) change_exit_status(loss_status());
}

}  // namespace

void fail_at_exit() noexcept { lost_at_exit = true; }

}  // namespace v0
}  // namespace leat
