// Options of leat_open.
#pragma once

#include <leat/leat.h>

namespace leat_test {

/// How bytes survive, and whether the file is replaced; all else is as without options.
constexpr leat_options writing(leat_durability durability, int replace = 0) {
  leat_options how{};
  how.durability = durability;
  how.replace = replace;
  return how;
}

/// A file inside of a folder.
constexpr leat_options inside(const int& folder) {
  leat_options how{};
  how.inside = &folder;
  return how;
}

}  // namespace leat_test
