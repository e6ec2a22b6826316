// Lists of the implementations that copy and measure short texts. copy.cpp uses the lists for CPU
// dispatch, and tests run each implementation.
#pragma once

#include <cstddef>
#include <span>

namespace leat {
inline namespace v0 {
namespace copies {

/// Copies n bytes and returns the end of the copy. The caller provides room for
/// max(n, detail::copy_room) bytes at `to`.
using copy_implementation = char* (*)(char* to, const char* from, std::size_t n) noexcept;
/// The implementations that this processor can run, fastest first.
std::span<const copy_implementation> copy_implementations() noexcept;

/// Returns the length of a C string, which must not be null.
using length_implementation = std::size_t (*)(const char* text) noexcept;
/// The implementations that this processor can run, fastest first.
std::span<const length_implementation> length_implementations() noexcept;

/// Has the contract of detail::copy_c_text().
using c_text_implementation = char* (*)(char* to, char* limit, const char* from) noexcept;
/// The implementations that this processor can run, fastest first.
std::span<const c_text_implementation> c_text_implementations() noexcept;

}  // namespace copies
}  // namespace v0
}  // namespace leat
