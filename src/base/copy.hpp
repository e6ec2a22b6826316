// The implementations for copying and measuring short texts, as lists for tests.
#pragma once

#include <cstddef>
#include <span>

namespace leat {
inline namespace v0 {
namespace copies {

/// Copies n bytes and returns their end. There is room for max(n, detail::copy_room) bytes.
using copy_way = char* (*)(char* to, const char* from, std::size_t n) noexcept;
/// The implementations that this processor can run, fastest first.
std::span<const copy_way> copy_ways() noexcept;

/// Returns the length of a C string.
using length_way = std::size_t (*)(const char* text) noexcept;
/// The implementations that this processor can run, fastest first.
std::span<const length_way> length_ways() noexcept;

/// As detail::copy_c_text().
using c_text_way = char* (*)(char* to, char* limit, const char* from) noexcept;
/// The implementations that this processor can run, fastest first.
std::span<const c_text_way> c_text_ways() noexcept;

}  // namespace copies
}  // namespace v0
}  // namespace leat
