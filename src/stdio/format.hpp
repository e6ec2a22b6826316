// printf's formats: one engine for char and wchar_t, which writes to any output.
#pragma once

#include "stdio/format_quickly.hpp"
#include "stdio/output.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// Formats `text` from `at` on; the text before `at` is in the output already. Returns the count of
/// all characters, or -1 with errno: EINVAL for a wrong format (or for "%n" where it is forbidden),
/// EOVERFLOW if the count does not fit an int, EILSEQ. The caller then finishes the output, also
/// after an error.
template <class Char>
int format(output<Char>& to, const Char* text, const Char* at, print_arguments& arguments,
           bool percent_n) noexcept;

/// Writes the conversion that format_quickly() left unfinished, if there is one.
void put_begun(output<char>& to, const unfinished& rest) noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
