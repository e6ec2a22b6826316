// Files that are shown while they grow.
#pragma once

#include <string>
#include <vector>

#include "classics/classic.hpp"

namespace bench {

struct followed {
  std::string name;
  leat::file_reader in;
};

/// Opens a name to follow it through rotations, at the first byte to show.
leat::file_reader follow_name(const std::string& name, const amount& of, bool waits);

/// Goes on until output fails. `shown` is the one whose bytes came last.
void show_all_new(std::vector<followed>& all, classic& me, bool has_headings,
                  const followed* shown);

}  // namespace bench
