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

/// Opens a file to follow its name through rotations. The reader is at the first byte to show. If
/// `waits` is true, a read at the end waits a short time for more bytes.
leat::file_reader follow_name(const std::string& name, const amount& of, bool waits);

/// Shows new bytes until the output fails or has no reader any more. `waits` has the value that
/// follow_name() got. `shown` is the file whose bytes were shown last, or null.
void show_all_new(std::vector<followed>& all, classic& me, bool has_headings, bool waits,
                  const followed* shown);

}  // namespace bench
