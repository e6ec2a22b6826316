// Copies of lines: one pass searches and copies.
#pragma once

#include <cstddef>
#include <span>

namespace leat {
inline namespace v0 {
namespace stdio {

struct copied {
  std::size_t size;
  bool complete;  // the last byte is the delimiter
};

/// Copies up to and including the delimiter, at most `most` bytes. Writes nothing behind them.
copied copy_until(char* to, const char* from, std::size_t most, char delimiter) noexcept;

/// For tests: each way that this machine has, the best one first.
using until_way = copied (*)(char* to, const char* from, std::size_t most, char delimiter) noexcept;
std::span<const until_way> until_ways() noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
