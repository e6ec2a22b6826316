#include "base/fork.hpp"

namespace leat {
inline namespace v0 {

/// Processes don't fork.
void on_fork(void (*)(), void (*)(), void (*)()) noexcept {}

}  // namespace v0
}  // namespace leat
