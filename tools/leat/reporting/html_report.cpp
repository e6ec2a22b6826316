// The HTML report of `leat bench`: findings, charts, tables, and the machine. bench_command.cpp
// calls html_report(); tuning/answers.cpp calls about_machine().
#include <fmt/format.h>

#include "measuring/statistics.hpp"
#include "reporting/html.hpp"
#include "reporting/report.hpp"
#include "reporting/text.hpp"

namespace bench {

namespace {

std::string element(std::string_view name, std::string_view text) {
  return fmt::format("<{0}>{1}</{0}>\n", name, escape_html(text));
}

std::string badge(judgement verdict) {
  switch (verdict) {
    case judgement::confirmed:
      return "<span class=\"badge yes\">confirmed</span>";
    case judgement::not_confirmed:
      return "<span class=\"badge no\">not confirmed here</span>";
    case judgement::none:
      break;
  }
  return "<span class=\"badge\">measured</span>";
}

/// Returns the id of an experiment's section.
std::string anchor(const session& all, const record& record) {
  const auto index = &record - all.records.data();
  return fmt::format("r{}-{}", index + 1, record.experiment);
}

std::string name_of(const session& all, const record& record) {
  const bool several = std::ranges::count(all.records, record.experiment, &record::experiment) > 1;
  return record.experiment + (several ? " in " + record.dir : "");
}

/// Returns a table with one row per experiment whose headline was measured: the work, the time of
/// the usual solution, leat's time, and the ratio.
std::string at_a_glance(const session& all) {
  std::string rows;
  for (const auto& one : all.records) {
    if (!one.headline) continue;
    const auto& head = *one.headline;
    const auto theirs = one.result.median(head.theirs, head.theirs_at);
    const auto ours = one.result.median(head.ours, head.ours_at);
    if (!theirs || !ours) continue;
    rows += fmt::format(
        "<tr><td>{}<small><a href=\"#{}\">{}</a></small></td><td>{} ms<small>{}</small></td>"
        "<td>{} ms<small>{}</small></td><td class=\"{}\">{}</td></tr>\n",
        escape_html(head.work), escape_html(anchor(all, one)), escape_html(name_of(all, one)),
        digits(*theirs * 1e3), escape_html(head.theirs), digits(*ours * 1e3),
        escape_html(head.ours), *theirs > *ours ? "times" : "", times(*theirs / *ours));
  }
  if (rows.empty()) return "";
  return "<table class=\"glance\">\n<thead><tr><th>work</th>"
         "<th>the usual way</th><th>leat</th><th>leat is</th></tr></thead>\n<tbody>\n" +
         rows + "</tbody></table>\n";
}

std::string published_figures(const published_table& published) {
  std::vector<table::column> columns;
  columns.reserve(published.columns.size());
  for (const auto& heading : published.columns) columns.push_back({heading});
  table all(columns);
  for (const auto& row : published.rows) all.add({row});
  return element("h3", "Published: " + published.title) + html_table(all);
}

std::string figure(const drawing& drawn, const painter& paint) {
  return "<figure>\n" + element("h3", drawn.title) + "<div class=\"wide\">" + paint(drawn, false) +
         "</div>\n<div class=\"narrow\">" + paint(drawn, true) + "</div>\n" +
         element("figcaption", caption(drawn)) + "</figure>\n";
}

std::string experiment_section(const session& all, const record& record, const painter& paint) {
  auto text = fmt::format("<section id=\"{}\">\n", escape_html(anchor(all, record)));
  text += element(
      "h2", fmt::format("{}{}: {}", record.published_id.empty() ? "" : record.published_id + " ",
                        record.experiment, record.title));
  text += fmt::format(
      "<p class=\"quiet\">{}</p>\n",
      escape_html(fmt::format("In {} ({}), {}. {}", record.dir, volume_text(record.volume),
                              repetitions_text(record.result), record.cached)));
  text += "<ul class=\"findings\">\n";
  for (const auto& one : record.findings)
    text += fmt::format("<li>{}{}</li>\n", badge(one.verdict), escape_html(one.text));
  text += "</ul>\n" + element("p", "Published: " + record.published);
  for (const auto& one : record.charts) {
    if (const auto made = make_drawing(one, record.result); made && paint)
      text += figure(*made, paint);
  }
  for (const auto& one : record.published_tables) text += published_figures(one);
  for (const auto& [title, blocks] : sections(record)) {
    text += element("h3", title);
    for (const auto& [figures, notes] : blocks) {
      text += html_table(figures);
      for (const auto& note : notes)
        text += fmt::format("<p class=\"notes\">{}</p>\n", escape_html(note));
    }
  }
  return text + "</section>\n";
}

}  // namespace

std::string about_machine(const session& all) {
  const auto& m = all.machine;
  std::string text = "<dl>\n";
  const auto add = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) text += element("dt", name) + element("dd", value);
  };
  add("processor", fmt::format("{}, {} cores", m.cpu, m.cores));
  add("memory", fmt::format("{:.1f} GiB", static_cast<double>(m.memory) / (1 << 30)));
  add("frequency", m.governor.empty() ? "not reported by the system" : "governor " + m.governor);
  add("turbo", m.turbo ? (*m.turbo ? "on" : "off") : "not reported by the system");
  add("cores busy before the run", fmt::format("{:.2f}", m.load));
  add("system", m.kernel);
  for (std::size_t i = 0; i != all.records.size(); ++i) {
    const auto& one = all.records[i];
    const auto same = std::ranges::find(all.records, one.dir, &record::dir);
    if (&*same == &one) add("folder", fmt::format("{}: {}", one.dir, volume_text(one.volume)));
  }
  if (all.device != "real")
    add(all.device.find("://") == std::string::npos ? "simulated disk" : "store", all.device);
  add("compiler", fmt::format("{} {}", m.compiler, m.flags));
  add("leat", all.version);
  std::string command;
  for (const auto& word : all.command) command += (command.empty() ? "" : " ") + word;
  add("command", command);
  add("size, seed", fmt::format("{}, {}", all.size, all.seed));
  add("date", all.date);
  return text + "</dl>\n";
}

std::string html_report(const session& all, const painter& paint,
                        std::string_view no_charts_reason) {
  std::string text = "<header>\n" + element("h1", "leat bench") + "<p class=\"quiet\">" +
                     escape_html(fmt::format(
                         "File streams, measured on this machine: {}, {}. Medians of repetitions "
                         "in a random order; less time is better.",
                         all.machine.cpu, all.date)) +
                     "</p>\n</header>\n";
  if (!all.complete)
    text += "<p class=\"warning\">The run was interrupted: some results are missing.</p>\n";
  text += at_a_glance(all);
  for (const auto& warning : warnings(all))
    text += fmt::format("<p class=\"warning\">{}</p>\n", escape_html(warning));
  if (!paint)
    text += fmt::format("<p class=\"warning\">There are no charts: {}.</p>\n",
                        escape_html(no_charts_reason));
  text += about_machine(all);
  for (const auto& one : all.records) text += experiment_section(all, one, paint);
  return html_page("leat bench: " + all.machine.cpu, text);
}

}  // namespace bench
