// Shows files while they grow.
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

/// Runs until output fails or its reader is gone. `waits` as above; `shown` is the file whose bytes
/// were shown last.
void show_all_new(std::vector<followed>& all, classic& me, bool has_headings, bool waits,
                  const followed* shown);

}  // namespace bench
