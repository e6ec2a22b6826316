// What the layer that formats takes of files which the test leaves out.

#include "base/no_cancel.hpp"

namespace leat {
inline namespace v0 {

bool refuse_cancellation() noexcept { return true; }
void allow_cancellation() noexcept {}

}  // namespace v0
}  // namespace leat
