// The attributes that a new file takes over from the file that it replaces: mode, owner, access
// list, extended attributes.
#pragma once

#include <sys/stat.h>

#include <system_error>

namespace leat {
inline namespace v0 {

/// Gives an open file the attributes of the file named `of`, as far as the process may. No user
/// gets more access: parts of an access list or of the owner's rights that can't be kept are left
/// out.
/// `own` and `status` are the statuses of the two files.
void keep_attributes(int descriptor, const struct stat& own, const char* of,
                     const struct stat& status, std::error_code& ec) noexcept;
/// Gives an open file the attributes of the open file `of`.
void keep_attributes(int descriptor, int of, std::error_code& ec) noexcept;

}  // namespace v0
}  // namespace leat
