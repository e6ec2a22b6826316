// Escaped text, tables and pages of HTML.
#include "reporting/html.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(html, text_is_escaped) {
  EXPECT_EQ(escape_html("leat 1×"), "leat 1×");
  EXPECT_EQ(escape_html("<script>\"a\" & 'b'</script>"),
            "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;");
  EXPECT_EQ(escape_html(std::string_view("a\0b\x1b\x7f", 5)), "a b  ");
  EXPECT_EQ(escape_html("a\xff"), "a\uFFFD");
  EXPECT_EQ(escape_html("\xc3"), "\uFFFD");
}

TEST(html, tables_have_a_marked_winner_and_escaped_cells) {
  table figures({{"a<b"}, {"ms"}});
  figures.add({{"x & y", "1"}, style::winner});
  figures.add({{"z", "2"}, style::faint});
  const auto text = html_table(figures);
  EXPECT_THAT(text, HasSubstr("<th>a&lt;b</th><th>ms</th>"));
  EXPECT_THAT(text, HasSubstr("<tr class=\"winner\"><td>x &amp; y</td><td>1</td></tr>"));
  EXPECT_THAT(text, HasSubstr("<tr class=\"faint\">"));
  EXPECT_THAT(text, Not(HasSubstr("tall")));
  for (int i = 0; i != 40; ++i) figures.add({{"z", "2"}});
  EXPECT_THAT(html_table(figures), HasSubstr("scroll tall"));
}

TEST(html, pages_refer_to_no_external_files) {
  const auto page = html_page("<t>", "<p>x</p>");
  EXPECT_THAT(page, HasSubstr("<title>&lt;t&gt;</title>"));
  EXPECT_THAT(page, HasSubstr("<p>x</p>"));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(page, HasSubstr("@media print"));
  for (const auto* outside : {"http:", "https:", "<script", "<link", "url(", "@import"}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
}

}  // namespace
}  // namespace bench
