// What a file keeps when another one takes its place: mode, owner, access list, attributes.
#pragma once

#include <sys/stat.h>

#include <system_error>

namespace leat {
inline namespace v0 {

/// Gives an open file what the file of this name has, as far as the process may. Nobody gets more
/// access by it: what can't be kept of an access list or of the owner's rights is left out. `own`
/// and `status` are what the system says of the two.
void keep_attributes(int descriptor, const struct stat& own, const char* of,
                     const struct stat& status, std::error_code& ec) noexcept;
/// The same for what another open file has.
void keep_attributes(int descriptor, int of, std::error_code& ec) noexcept;

}  // namespace v0
}  // namespace leat
