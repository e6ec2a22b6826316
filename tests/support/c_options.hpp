// Options of leat_open for tests.
#pragma once

#include <leat/leat.h>

namespace leat_test {

/// Returns options with this durability and `replace`, and otherwise the defaults.
constexpr leat_options options_with(leat_durability durability, int replace = 0) {
  leat_options options{};
  options.durability = durability;
  options.replace = replace;
  return options;
}

/// Returns options that open a file inside a folder. `folder` is a descriptor, and must outlive the
/// options.
constexpr leat_options options_inside(const int& folder) {
  leat_options options{};
  options.inside = &folder;
  return options;
}

}  // namespace leat_test
