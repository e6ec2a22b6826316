// Options of leat_open for tests.
#pragma once

#include <leat/leat.h>

namespace leat_test {

/// Options with this durability and `replace`, and otherwise the defaults.
constexpr leat_options writing(leat_durability durability, int replace = 0) {
  leat_options how{};
  how.durability = durability;
  how.replace = replace;
  return how;
}

/// Options that open a file inside a folder. `folder` must outlive the options.
constexpr leat_options inside(const int& folder) {
  leat_options how{};
  how.inside = &folder;
  return how;
}

}  // namespace leat_test
