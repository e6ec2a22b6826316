// Redirects the descriptors of a child process.
#pragma once

#include <unistd.h>

#include "support/process.hpp"

namespace leat_test {

/// Makes `to` a copy of `from` (dup2), and leaves `from` open. If dup2 fails, ends the child.
inline void redirect(int from, int to) { require(::dup2(from, to) == to); }

}  // namespace leat_test
