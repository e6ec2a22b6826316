// Records of a given size, for tests/random/.
#pragma once

#include <array>
#include <cstddef>

namespace leat_test {

template <std::size_t Size>
struct bytes_of_size {
  std::array<unsigned char, Size> bytes;
  bool operator==(const bytes_of_size&) const = default;
};

}  // namespace leat_test
