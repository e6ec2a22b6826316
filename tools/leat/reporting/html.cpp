// Escaping, tables and the style sheet of HTML pages. html_report.cpp, gnuplot.cpp and
// tuning/answers.cpp call these functions.
#include "reporting/html.hpp"

#include <fmt/format.h>

#include "reporting/palette.hpp"
#include "reporting/text.hpp"

namespace bench {

namespace {

constexpr std::string_view style_sheet = R"(
:root {
  color-scheme: light dark;
  --paper: #ffffff; --shade: #f4f6f8;
  --good: #166534; --good-shade: #dcfce7; --bad: #92400e; --bad-shade: #fef3c7;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --shade: #1d2228;
    --good: #86efac; --good-shade: #14391f; --bad: #fcd34d; --bad-shade: #40300a;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 52rem; background: var(--paper);
  color: var(--ink); font: 16px/1.5 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: break-word;
}
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .25rem; }
h2 { font-size: 1.3rem; line-height: 1.25; margin: 3rem 0 .25rem; padding-top: 1rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.75rem 0 .25rem; }
p { margin: .5rem 0; }
a { color: var(--leat); }
.quiet, figcaption, .notes { color: var(--quiet); font-size: .875rem; }
.scroll { overflow-x: auto; margin: .5rem 0; }
.tall { max-height: 32rem; overflow-y: auto; border-bottom: 1px solid var(--line); }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
th { font-weight: 600; color: var(--quiet); vertical-align: bottom; }
.tall th { position: sticky; top: 0; background: var(--paper); }
th, td { padding: .2rem .75rem .2rem 0; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
tbody tr { border-top: 1px solid var(--line); }
tr.winner td { font-weight: 600; color: var(--leat); }
tr.faint td { color: var(--quiet); }
.glance { width: 100%; table-layout: fixed; }
.glance th:first-child { width: 34%; } .glance th:last-child { width: 16%; }
.glance th, .glance td { white-space: normal; padding-right: .5rem; vertical-align: top; }
.glance .times { font-weight: 700; color: var(--leat); font-size: 1.05rem; white-space: nowrap; }
.glance small { display: block; color: var(--quiet); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; font-size: .875rem;
  margin: .5rem 0; }
dt { color: var(--quiet); } dd { margin: 0; min-width: 0; }
ul { margin: .75rem 0; padding: 0; list-style: none; }
li { margin: .4rem 0; }
.badge { display: inline-block; font-size: .75rem; font-weight: 600; line-height: 1.4;
  padding: 0 .5em; border-radius: 1em; margin-right: .4em; background: var(--shade);
  color: var(--quiet); }
.badge.yes { background: var(--good-shade); color: var(--good); }
.badge.no { background: var(--bad-shade); color: var(--bad); }
.warning { background: var(--bad-shade); color: var(--bad); padding: .5rem .75rem;
  border-radius: .4rem; font-size: .875rem; }
figure { margin: 1.25rem 0; }
figure h3 { margin: 0; }
figure svg { display: block; width: 100%; height: auto; color: var(--ink); }
figure .wide svg { max-width: 760px; } figure .narrow svg { max-width: 420px; }
figure .narrow { display: none; }
code { font-size: .875em; }
@media (max-width: 34rem) {
  body { padding: 1rem .75rem 3rem; }
  figure .wide { display: none; } figure .narrow { display: block; }
  dl { gap: .15rem .6rem; font-size: .8rem; }
}
@media print {
  :root {
    --paper: #ffffff; --ink: #000000; --quiet: #4a4f57; --line: #b9bec6; --leat: #0b62c4;
    --baseline: #c2410c; --peer: #8c96a3;
  }
  body { max-width: none; padding: 0; font-size: 10pt; }
  .tall { max-height: none; overflow: visible; }
  table { font-size: 8.5pt; }
  figure, tr, li { break-inside: avoid; } h2, h3 { break-after: avoid; }
  figure .wide { display: block; } figure .narrow { display: none; }
}
)";

/// Returns the colours of the charts as variables of the style sheet.
std::string colours() {
  std::string light, dark;
  for (const auto& one : palette::all) {
    light += fmt::format(" {}: #{:06x};", one.name, one.light);
    dark += fmt::format(" {}: #{:06x};", one.name, one.dark);
  }
  return fmt::format(":root {{{} }}\n@media (prefers-color-scheme: dark) {{ :root {{{} }} }}",
                     light, dark);
}

constexpr std::size_t tall_table_rows = 18;  // a table with at least this many rows scrolls

}  // namespace

std::string escape_html(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const auto size = character_size(text);
    const char c = text.front();
    if (size == 0)
      safe += "\uFFFD";
    else if (size > 1)
      safe += text.substr(0, size);
    else if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else if (c == '\'')
      safe += "&#39;";
    else
      safe += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return safe;
}

std::string html_table(const table& figures) {
  auto text = fmt::format("<div class=\"scroll{}\" tabindex=\"0\"><table>\n<thead><tr>",
                          figures.rows().size() >= tall_table_rows ? " tall" : "");
  for (const auto& one : figures.columns()) text += "<th>" + escape_html(one.heading) + "</th>";
  text += "</tr></thead>\n<tbody>\n";
  for (const auto& row : figures.rows()) {
    text += row.style == style::winner  ? "<tr class=\"winner\">"
            : row.style == style::faint ? "<tr class=\"faint\">"
                                        : "<tr>";
    for (const auto& cell : row.cells) text += "<td>" + escape_html(cell) + "</td>";
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string html_page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      escape_html(title), colours(), style_sheet, body);
}

}  // namespace bench
