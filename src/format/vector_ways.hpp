// Vector implementations for writing fields, beside the portable ones. Listed for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace field_ways {

/// As detail::write_in_base<4>.
using hexadecimal_way = char* (*)(char* to, std::uint64_t value, bool upper) noexcept;
/// The implementations that this processor supports, the fastest first.
std::span<const hexadecimal_way> hexadecimal_ways() noexcept;

/// Writes a short text of ASCII in a narrow field with this detail::format_step. Returns null for
/// other texts. Needs room for the width, the text and detail::copy_room bytes.
using padded_text_way = char* (*)(char* to, std::string_view text, std::uint64_t step) noexcept;
/// The implementations that this processor supports, the fastest first.
std::span<const padded_text_way> padded_text_ways() noexcept;

}  // namespace field_ways
}  // namespace v0
}  // namespace leat
