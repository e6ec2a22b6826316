// A model of a file of records, in memory, for tests/random/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>

namespace leat_test {

/// `count` records of type T with random bytes. The first record is at `header`. The distance
/// between two records is `stride_bytes`, but at least the size of T.
template <class T>
struct record_model {
  std::uint64_t header, stride, count;
  std::string content;

  record_model(std::uint64_t header_bytes, std::uint64_t stride_bytes, std::uint64_t record_count,
               unsigned seed)
      : header(header_bytes),
        stride(std::max<std::uint64_t>(stride_bytes, sizeof(T))),
        count(record_count) {
    std::mt19937 random(seed);
    content.resize(header + (count == 0 ? 0 : (count - 1) * stride + sizeof(T)));
    for (auto& byte : content) byte = static_cast<char>(random());
  }
  T at(std::uint64_t position) const {
    T value;
    std::memcpy(&value, content.data() + header + position * stride, sizeof value);
    return value;
  }
  void set(std::uint64_t position, const T& value) {
    std::memcpy(content.data() + header + position * stride, &value, sizeof value);
  }
};

}  // namespace leat_test
