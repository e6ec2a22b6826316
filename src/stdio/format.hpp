// printf's formats: one engine for char and wchar_t, which writes to any output.
#pragma once

#include "stdio/format_quickly.hpp"
#include "stdio/output.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// What "%n" does. glibc's header with _FORTIFY_SOURCE=2 allows it in constants only: who can write
/// a format could have the program write anywhere.
enum class percent_n : unsigned char { refused, allowed, allowed_in_constants };
/// As the functions of glibc's header are told, which know no -1.
constexpr percent_n percent_n_of(int flag) noexcept {
  return flag < 0   ? percent_n::refused
         : flag > 0 ? percent_n::allowed_in_constants
                    : percent_n::allowed;
}

/// Formats `text` from `at` on; the text before `at` is in the output already. Returns the count of
/// all characters, or -1 with errno: EINVAL for a wrong format (or for "%n" where it is forbidden),
/// EOVERFLOW if the count does not fit an int, EILSEQ. The caller then finishes the output, also
/// after an error.
template <class Char>
int format(output<Char>& to, const Char* text, const Char* at, print_arguments& arguments,
           percent_n counts) noexcept;

/// Writes the conversion that format_quickly() left unfinished, if there is one.
void put_begun(output<char>& to, const unfinished& rest) noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
