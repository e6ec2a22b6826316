// What the layer that formats takes of files which the test leaves out.
#include <leat/detail/copy.hpp>

#include <cstring>

#include "base/no_cancel.hpp"

namespace leat {
inline namespace v0 {

char* detail::copy_other(char* to, const char* from, std::size_t n) noexcept {
  std::memcpy(to, from, n);
  return to + n;
}

bool refuse_cancellation() noexcept { return true; }
void allow_cancellation() noexcept {}

}  // namespace v0
}  // namespace leat
