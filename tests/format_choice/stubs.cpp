// Stubs of functions that the format layer calls. The test does not compile the real functions.

#include "base/no_cancel.hpp"

namespace leat {
inline namespace v0 {

bool disable_cancellation() noexcept { return true; }
void enable_cancellation() noexcept {}

}  // namespace v0
}  // namespace leat
