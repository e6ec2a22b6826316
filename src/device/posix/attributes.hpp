// Copies the attributes of an old file to the new file that takes its name: mode, owner, access
// control list (ACL), extended attributes. replacement.cpp and log_system.cpp call these functions.
#pragma once

#include <sys/stat.h>

#include <system_error>

namespace leat {
inline namespace v0 {

/// Gives an open file the attributes of the file named `old_file`, as far as the process has the
/// right to do so. Capabilities are not copied. No user gets more access: if the owner, the group
/// or the ACL can't be kept, set-id bits or rights of the group are left out. `own_status` is the
/// status of the open file, `status` is the status of `old_file`. If the mode can't be set, sets
/// `ec`. Otherwise leaves `ec` as it is.
void copy_attributes_to(int descriptor, const struct stat& own_status, const char* old_file,
                        const struct stat& status, std::error_code& ec) noexcept;
/// Gives an open file the attributes of the open file `old_file`, in the same way. Also sets `ec`
/// if the status of a file can't be read.
void copy_attributes_to(int descriptor, int old_file, std::error_code& ec) noexcept;

}  // namespace v0
}  // namespace leat
