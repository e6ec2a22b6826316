// Escaping of untrusted texts in messages, and a check for UTF-8. The code that makes messages
// calls escaped(). src/remote calls is_utf8().
#pragma once

#include <leat/config.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace leat {
inline namespace v0 {
namespace detail {

/// Returns an untrusted text in the form for messages. Control characters, characters that change
/// the text direction, and bytes that are not UTF-8 are escaped as in a string literal: n, x1b or
/// u202e after a backslash. The user name and the password of an address are omitted:
/// "http://...@host/". So a name can't inject lines into a log or commands into a terminal.
/// Everything else is unchanged, including backslashes. A text that becomes longer than `most`
/// bytes is cut and ends with "...".
LEAT_API std::string escaped(std::string_view text, std::size_t most = std::string::npos);

LEAT_API bool is_utf8(std::string_view text) noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
