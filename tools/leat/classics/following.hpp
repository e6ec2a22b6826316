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

/// Opens a name to follow it through rotations, at the first byte to show. `waits`: its reads wait
/// for a short time.
leat::file_reader follow_name(const std::string& name, const amount& of, bool waits);

/// Goes on until output fails, or nobody reads it. `waits` as above; `shown` is the one whose bytes
/// came last.
void show_all_new(std::vector<followed>& all, classic& me, bool has_headings, bool waits,
                  const followed* shown);

}  // namespace bench
