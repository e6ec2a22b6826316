// Counts lines and words of a text at memory speed. wc.cpp calls these functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace bench {

/// Counts the newlines of a text.
std::uint64_t count_lines(std::string_view text);

/// Counts the words that begin in a text, which must not be empty. Words are separated by blanks:
/// the space, and the characters from tab to carriage return. `before` is the byte before the text.
std::uint64_t count_words(std::string_view text, char before);

}  // namespace bench
