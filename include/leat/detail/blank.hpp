// The definition of blanks. trim(), and the words and numbers of readers, texts and iostreams, use
// is_blank().
#pragma once

#include <leat/config.h>

namespace leat {
inline namespace v0 {
namespace detail {

/// True for a space and for the characters from tab to carriage return, as std::isspace in the C
/// locale.
constexpr bool is_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace detail
}  // namespace v0
}  // namespace leat
