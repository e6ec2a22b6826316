// printf's engine for char and wchar_t, which writes to any output. printf.cpp and wprintf.cpp call
// the engine.
#pragma once

#include "stdio/format_quickly.hpp"
#include "stdio/output.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

/// The treatment of "%n" in a format. With _FORTIFY_SOURCE=2 glibc's header allows "%n" in constant
/// formats only: with "%n", an attacker who controls the format can write to memory.
enum class percent_n : unsigned char { refused, allowed, allowed_in_constants };
/// The value for the flag of glibc's __…_chk functions; -1 is leat's own: "%n" is refused.
constexpr percent_n percent_n_of(int flag) noexcept {
  return flag < 0   ? percent_n::refused
         : flag > 0 ? percent_n::allowed_in_constants
                    : percent_n::allowed;
}

/// Formats `text` from `at` on; the output already has the text before `at`. Returns the count of
/// all characters. On an error returns -1 and sets errno: EINVAL for a wrong format or a refused
/// "%n"; EOVERFLOW if a width, a precision or the count does not fit an int; EILSEQ if a character
/// can't be converted; ENOMEM if there is no memory for numbered arguments; the output's error. The
/// caller finishes the output, also after an error.
template <class Char>
int format(output<Char>& to, const Char* text, const Char* at, print_arguments& arguments,
           percent_n n_policy) noexcept;

/// Writes the conversion that format_quickly() has left unfinished, if any. Returns false with
/// format()'s errno on errors.
bool put_unfinished(output<char>& to, unfinished_conversion& rest) noexcept;

}  // namespace stdio
}  // namespace v0
}  // namespace leat
