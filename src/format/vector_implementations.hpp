// Implementations for writing fields, portable and with vectors. integer.cpp and format.cpp choose
// an implementation by CPU dispatch; tests run all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace field_implementations {

/// Has the contract of detail::write_in_base<4>.
using hexadecimal_implementation = char* (*)(char* to, std::uint64_t value, bool upper) noexcept;
/// The implementations that this processor supports, the fastest first.
std::span<const hexadecimal_implementation> hexadecimal_implementations() noexcept;

/// Writes a short text of ASCII in a narrow field with this detail::format_step. Returns null for
/// other texts. Needs room for the width, the text and detail::copy_room bytes.
using padded_text_implementation = char* (*)(char* to, std::string_view text,
                                             std::uint64_t step) noexcept;
/// The implementations that this processor supports, the fastest first.
std::span<const padded_text_implementation> padded_text_implementations() noexcept;

}  // namespace field_implementations
}  // namespace v0
}  // namespace leat
