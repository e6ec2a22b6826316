// Texts of others in messages.
#pragma once

#include <leat/config.h>

#include <string>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace detail {

/// A text of others as messages show it. Control characters, those that change the direction of
/// text, and bytes that are no UTF-8 are written as in a string literal: n, x1b or u202e after a
/// backslash. So a name can't write lines of its own into a log, or command a terminal. Everything
/// else stays, also backslashes.
LEAT_API std::string escaped(std::string_view text);

}  // namespace detail
}  // namespace v0
}  // namespace leat
