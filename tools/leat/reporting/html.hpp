// Pieces of an HTML page. The page needs no other files, no network and no script.
#pragma once

#include <string>
#include <string_view>

#include "reporting/table.hpp"

namespace bench {

/// A text for an element or an attribute, with its special characters escaped. Bytes that are not
/// UTF-8 become U+FFFD, and control characters become spaces.
std::string escaped(std::string_view text);

/// A table in a box that scrolls where the page is narrow.
std::string html_table(const table& of);

/// A whole page. It has colours for light and dark, and fits screens of all sizes and paper.
std::string html_page(std::string_view title, std::string_view body);

}  // namespace bench
