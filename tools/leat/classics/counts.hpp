// Lines and words of a text, at the speed of memory.
#pragma once

#include <cstdint>
#include <string_view>

namespace bench {

/// The newlines of a text.
std::uint64_t lines_of(std::string_view text);

/// The words that begin in a text which is not empty: texts between blanks, which are a space and
/// the characters from tab to carriage return. `last` is the byte before the text.
std::uint64_t words_of(std::string_view text, char last);

}  // namespace bench
