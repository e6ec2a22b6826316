// printf's formats. One engine for char and wchar_t, over whatever takes the characters.
#pragma once

#include "stdio/format_quickly.hpp"
#include "stdio/output.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// Formats `text` from `at` on; what is before it stands in the output already. Returns the count
/// of all, or -1 with errno: EINVAL for a format that is wrong (or has "%n" where that is not
/// wanted), EOVERFLOW where the count is more than an int holds, EILSEQ. The caller then finishes
/// the output, also after an error.
template <class Char>
int format(output<Char>& to, const Char* text, const Char* at, print_arguments& arguments,
           bool percent_n) noexcept;

/// Puts the conversion that format_quickly() began, if it began one.
void put_begun(output<char>& to, const unfinished& rest) noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
