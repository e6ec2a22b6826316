// Which file is copied to which.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bench {

inline bool is_address(std::string_view name) { return name.find("://") != std::string_view::npos; }

/// One copy. `is_new`: nothing has the target's name yet.
struct planned_copy {
  std::string from, to;
  bool is_new = false;
};

/// True if both names lead to one file, or one object.
bool is_same(const std::string& one, const std::string& other);

/// The name that a file or an object gets in a folder; empty if it has none. That of
/// "http://host/a%20b?c=/d#e" is "a b". What would not be a name in that folder stays encoded.
std::string name_in_folder(std::string_view source);

/// The copies of `sources` into a folder, or of the only one to `target`. `conflicts` gets a
/// message for each copy that would overwrite another one, or what is still to be copied.
std::vector<planned_copy> plan_copies(const std::vector<std::string>& sources,
                                      const std::string& target, bool into_folder,
                                      std::vector<std::string>& conflicts);

}  // namespace bench
