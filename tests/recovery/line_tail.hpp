// The end of each numbered line in the tests of per-thread buffers.
#pragma once

#include <cstddef>
#include <string>

namespace leat_test {

/// Returns 0 to 60 letters, which depend on the thread and on the line's number.
inline std::string tail_of(int thread, int number) {
  return std::string(static_cast<std::size_t>(number % 61), static_cast<char>('a' + thread % 26));
}

}  // namespace leat_test
