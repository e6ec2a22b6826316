// Windows has no cancellation of threads: its calls are not cancellation points. The class
// no_cancel calls these functions.
#include "base/no_cancel.hpp"

namespace leat {
inline namespace v0 {

bool disable_cancellation() noexcept { return true; }

void enable_cancellation() noexcept {}

}  // namespace v0
}  // namespace leat
