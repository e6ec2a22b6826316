// Windows has no cancellation of threads.
#include "base/no_cancel.hpp"

namespace leat {
inline namespace v0 {

// The system's calls are not cancellation points.

bool refuse_cancellation() noexcept { return true; }

void allow_cancellation() noexcept {}

}  // namespace v0
}  // namespace leat
