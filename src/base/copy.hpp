// The ways to copy a short text, to measure one, and to do both, for tests.
#pragma once

#include <cstddef>
#include <span>

namespace leat {
inline namespace v0 {
namespace copies {

/// Copies n bytes, and returns their end. There is room for max(n, detail::copy_room).
using way = char* (*)(char* to, const char* from, std::size_t n) noexcept;

struct named_way {
  const char* name;
  way copy;
};

constexpr std::size_t max_ways = 3;
/// Fills `all` with those that this processor runs, the fastest last. Returns how many they are.
std::size_t usable_ways(named_way (&all)[max_ways]) noexcept;

/// The length of a C string.
using length_way = std::size_t (*)(const char* text) noexcept;
/// Those that this processor runs, the fastest first.
std::span<const length_way> lengths() noexcept;

/// As detail::copy_c_text().
using c_text_way = char* (*)(char* to, char* limit, const char* from) noexcept;
/// Those that this processor runs, the fastest first.
std::span<const c_text_way> c_text_ways() noexcept;

}  // namespace copies
}  // namespace v0
}  // namespace leat
