// Redirects a descriptor: `to` becomes a copy of `from` (dup2).
#pragma once

#include <unistd.h>

#include "support/process.hpp"

namespace leat_test {

inline void redirect(int from, int to) { require(::dup2(from, to) == to); }

}  // namespace leat_test
