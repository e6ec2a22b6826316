// Texts of others in messages.
#pragma once

#include <leat/config.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace detail {

/// A text of others as messages show it. Control characters, those that change the direction of
/// text, and bytes that are no UTF-8 are written as in a string literal: n, x1b or u202e after a
/// backslash. The name and the password of an address are left out: "http://...@host/". So a name
/// can't write lines of its own into a log, or command a terminal. Everything else stays, also
/// backslashes. Of a text that becomes longer than `most` bytes the begin is shown, and then "...".
LEAT_API std::string escaped(std::string_view text, std::size_t most = std::string::npos);

LEAT_API bool is_utf8(std::string_view text) noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
