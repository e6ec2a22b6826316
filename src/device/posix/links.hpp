// Follows symbolic links in the library, because the file at their end gets replaced.
#pragma once

#include <string>
#include <system_error>

namespace leat {
inline namespace v0 {

/// Follows the symbolic links of a path's last name, also to a file that does not exist yet, so
/// that the link stays. permission_denied for a link that the kernel would not follow.
std::string follow_links(std::string path, std::error_code& ec);

}  // namespace v0
}  // namespace leat
