// Follows symbolic links to a file that is going to be replaced: rename(2) would replace the link.
// replacement.cpp and log_system.cpp call follow_links().
#pragma once

#include <string>
#include <system_error>

namespace leat {
inline namespace v0 {

/// Follows the symbolic links of a path's last name, also to a file that does not exist yet.
/// Returns the path at the end of the links. On an error, sets `ec`, and returns the path that
/// could not be followed. Without an error, leaves `ec` as it is. permission_denied: a link may be
/// another user's trap, see links.cpp. too_many_symbolic_link_levels: there are more than 40 links.
/// Throws std::bad_alloc.
std::string follow_links(std::string path, std::error_code& ec);

}  // namespace v0
}  // namespace leat
