// Calls leat_update with a function object instead of a function and a context, for the tests of
// batches.
#pragma once

#include <leat/leat.h>

#include <cstdint>
#include <functional>
#include <span>

#include "support/c_files.hpp"

namespace leat_test {

/// A callback for leat_update: calls the std::function to which `context` points. Returns the
/// result of the std::function.
inline int call_function_object(void* record, std::size_t index, void* context) {
  return (*static_cast<std::function<int(char*, std::size_t)>*>(context))(
      static_cast<char*>(record), index);
}

/// Calls leat_update with `change`. Returns the result of leat_update. errno is as leat_update has
/// left it.
inline int update(leat_file* f, std::size_t size, std::span<const std::uint64_t> positions,
                  std::function<int(char*, std::size_t)> change) {
  return leat_update(f, size, positions.data(), positions.size(), call_function_object, &change);
}

}  // namespace leat_test
