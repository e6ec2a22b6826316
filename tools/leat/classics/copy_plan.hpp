// The copies that `leat cp` is to make: sources, targets and conflicts. cp.cpp and copying.cpp call
// these functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bench {

inline bool is_address(std::string_view name) { return name.find("://") != std::string_view::npos; }

/// One copy. `is_new`: no file has the target's name yet; false if there is only one copy, or if
/// the target is an address.
struct planned_copy {
  std::string from, to;
  bool is_new = false;
};

/// True if both names are known to lead to the same file or object.
bool is_same_file(const std::string& one, const std::string& other);

/// Returns the name of a source's copy in a folder; empty if the source has no valid name. For
/// "http://host/a%20b?c=/d#e", returns "a b". For other schemes, returns all characters after
/// the last slash as they are. A name that is invalid or has control characters when decoded stays
/// encoded.
std::string name_in_folder(std::string_view source);

/// Returns the copies of `sources` into a folder, or of the only source to `target`. If a source
/// has no valid name in the folder, `to` of the copy is empty. `conflicts` gets a message for an
/// empty target. If there are several copies, `conflicts` also gets a message for each copy that
/// would overwrite another copy or another source.
std::vector<planned_copy> plan_copies(const std::vector<std::string>& sources,
                                      const std::string& target, bool into_folder,
                                      std::vector<std::string>& conflicts);

}  // namespace bench
