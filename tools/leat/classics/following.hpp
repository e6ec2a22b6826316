// Shows files while they grow: `leat tail -f` and `leat tail -F`. tail.cpp calls these functions.
#pragma once

#include <string>
#include <vector>

#include "classics/classic.hpp"

namespace bench {

struct followed_file {
  std::string name;
  leat::file_reader in;
};

/// Opens a file to follow its name through rotations. The reader is at the first byte to show. If
/// `waits` is true, a read at the end waits up to 50 ms for more bytes. Throws io_error.
leat::file_reader follow_name(const std::string& name, const amount& wanted, bool waits);

/// Shows new bytes until the output has no reader any more or no file is left: a file whose reading
/// fails is reported and closed. If the output has no reader any more, calls command.fail(). If the
/// output fails, throws io_error. `waits` must be the value given to follow_name(), or false if
/// follow_name() was not called. `shown` is the file whose bytes were shown last, or null.
void follow_files(std::vector<followed_file>& all, classic& command, bool has_headings, bool waits,
                  const followed_file* shown);

}  // namespace bench
