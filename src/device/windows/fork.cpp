// Windows has no fork: on_fork() does nothing, and is_only_thread() always returns false. Streams
// call these functions.
#include "base/fork.hpp"

namespace leat {
inline namespace v0 {

void on_fork(void (*)(), void (*)(), void (*)()) noexcept {}
bool is_only_thread() noexcept { return false; }

}  // namespace v0
}  // namespace leat
