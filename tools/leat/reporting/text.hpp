// Numbers and sentences for human readers, UTF-8, and quotes for shells. The commands, the
// experiments and the reports call these functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bench {

/// Returns the width of a UTF-8 text in columns. Each character of the reports takes one column.
int width_of(std::string_view text);

/// Returns a number with about three digits: 0.0412, 7.31, 48.9, 1830.
std::string digits(double number);

/// Returns a ratio as text: 0.02×, 6.3×, 48×.
std::string times(double number);

/// Returns a share in percent: 4 % for 0.04.
std::string percent(double share);

/// Returns a number with separators: 1,000,000.
std::string grouped(std::uint64_t number);

/// Returns the length of the UTF-8 character at the start of a text, in bytes; 0 if the text does
/// not start with valid UTF-8. The text must not be empty.
std::size_t character_size(std::string_view text);

/// Quotes a text as one word of a shell command line.
std::string shell_quoted(std::string_view text);

/// Breaks a text into lines of at most `width` columns. Each line ends with a newline; all except
/// the first are indented. A word longer than a line is not broken.
std::string wrapped(std::string_view text, int width, int indent = 2);

}  // namespace bench
