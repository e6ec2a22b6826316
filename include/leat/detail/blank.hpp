// The definition of blanks.
#pragma once

#include <leat/config.h>

namespace leat {
inline namespace v0 {
namespace detail {

/// Blanks in ASCII, which std::isspace knows too.
constexpr bool is_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace detail
}  // namespace v0
}  // namespace leat
