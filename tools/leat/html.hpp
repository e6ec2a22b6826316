// Pieces of a page that needs nothing else: no network, no script.
#pragma once

#include <string>
#include <string_view>

#include "table.hpp"

namespace bench {

/// A text as text, in an element or in an attribute. Bytes that are not UTF-8 become U+FFFD, and
/// control characters spaces.
std::string escaped(std::string_view text);

/// In a box of its own that scrolls where the page is narrow.
std::string html_table(const table& of);

/// A whole page, in light and dark, for screens of all sizes and for paper.
std::string html_page(std::string_view title, std::string_view body);

}  // namespace bench
