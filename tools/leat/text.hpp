// Numbers and sentences as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace bench {

/// Columns a UTF-8 text takes; every character of ours takes one.
int width_of(std::string_view text);

/// About three digits: 0.0412, 7.31, 48.9, 1830.
std::string digits(double number);

/// A quotient: 0.02×, 6.3×, 48×.
std::string times(double number);

/// A share: 4 %.
std::string percent(double share);

/// 1,000,000
std::string grouped(std::uint64_t number);

/// The length of the UTF-8 character that a text starts with, or 0 if it starts with none.
std::size_t character_size(std::string_view text);

/// One word of a shell's command line, whatever is in it.
std::string in_quotes(std::string_view text);

/// Breaks a text into lines of at most `width` columns, with a newline behind each; lines after the
/// first are indented.
std::string wrapped(std::string_view text, int width, int indent = 2);

/// Paths as the command takes and shows them: in UTF-8.
std::filesystem::path path_from(std::string_view utf8);
std::string text_of(const std::filesystem::path& path);

}  // namespace bench
