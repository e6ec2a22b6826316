// The implementations for the shortest text of a double: for CPU dispatch and for tests. For rare
// values by_avx512() calls magnitude_by_portable_code().
#pragma once

#include <cstddef>
#include <span>

namespace leat {
inline namespace v0 {
namespace doubles {

/// Has the contract of detail::write_value.
using implementation = char* (*)(char* to, double value) noexcept;

/// Runs on every processor. Has the contract of detail::write_value.
char* by_portable_code(char* to, double value) noexcept;
/// Writes the value without its sign, on every processor.
char* magnitude_by_portable_code(char* to, double value) noexcept;
/// Needs processor::has_avx512_ifma_vbmi().
char* by_avx512(char* to, double value) noexcept;

/// The implementations that this processor supports, the fastest first.
std::span<const implementation> implementations() noexcept;

}  // namespace doubles
}  // namespace v0
}  // namespace leat
