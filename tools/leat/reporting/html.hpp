// Parts of an HTML page, for the pages of `leat bench` and `leat tune`. The page needs no other
// files, no network and no script.
#pragma once

#include <string>
#include <string_view>

#include "reporting/table.hpp"

namespace bench {

/// Escapes a text for an element or an attribute. Bytes that are not UTF-8 become U+FFFD, and
/// control characters become spaces.
std::string escape_html(std::string_view text);

/// Returns a table in a box that scrolls on narrow pages.
std::string html_table(const table& figures);

/// Returns a complete page, with light and dark colours, for screens of all sizes and for paper.
/// `title` is a plain text, `body` is HTML.
std::string html_page(std::string_view title, std::string_view body);

}  // namespace bench
