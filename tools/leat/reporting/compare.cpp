// Parses and compares JSON reports, for `leat bench --compare`.
#include "reporting/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "measuring/experiment.hpp"
#include "reporting/report.hpp"
#include "reporting/text.hpp"

namespace bench {

namespace {

using object = nlohmann::ordered_json;

constexpr double least_change = 0.03;  // medians that differ by at most this share are equal
constexpr int few_repetitions = 5;     // with fewer than 5 repetitions, quartiles mean little

/// Returns the name of a row: the members before "bytes", except the members that may differ
/// between comparable reports.
std::string name_of(const object& row) {
  std::string name, setting;
  for (const auto& [key, value] : row.items()) {
    if (key == "bytes") break;
    if (key == "role" || key == "dir" || key == "file_system") continue;
    if (key == "experiment" || key == "variant") {
      name += (name.empty() ? "" : ": ") + value.get<std::string>();
    } else if (!value.is_null()) {
      const bool is_size = value.is_number_integer() && key != "passes";
      setting += ", " + (is_size             ? bytes(value.get<std::int64_t>()).text
                         : value.is_string() ? value.get<std::string>()
                                             : value.dump());
    }
  }
  return name + setting;
}

report_row row_of(const object& row) {
  const auto seconds = [&](const char* name) {
    return row.at(std::string("wall_seconds_") + name).get<double>();
  };
  return {name_of(row),
          seconds("median"),
          seconds("q1"),
          seconds("q3"),
          seconds("min"),
          seconds("max"),
          row.at("repetitions").get<double>()};
}

}  // namespace

parsed_report parse_report(std::string_view text, const std::string& path) try {
  const auto all = object::parse(text, nullptr, false);
  if (!all.is_object() || !all.contains("session") || !all.contains("rows"))
    throw failure(fmt::format("'{}' is not a report of leat bench --json", path));
  // The number is read as a double, because a file may contain a number that fits no integer.
  const auto schema = all.value("schema", 0.0);
  if (schema != report_schema) {
    throw failure(fmt::format("'{}' has schema {}, and this leat reads {}: measure again", path,
                              schema, report_schema));
  }
  const auto& session = all.at("session");
  parsed_report found;
  for (const auto* key : {"cpu", "kernel", "size", "device"})
    found.machine += session.at(key).get<std::string>() + '\n';
  for (const auto& warning : session.at("warnings"))
    found.warnings.push_back(warning.get<std::string>());
  // The names contain the folder only if there are several folders, so that reports of two disks
  // are comparable.
  std::set<std::string> dirs;
  for (const auto& row : all.at("rows")) dirs.insert(row.at("dir").get<std::string>());
  for (const auto& row : all.at("rows")) {
    found.rows.push_back(row_of(row));
    if (dirs.size() > 1) found.rows.back().name += " in " + row.at("dir").get<std::string>();
  }
  return found;
} catch (const nlohmann::json::exception& error) {
  throw failure(fmt::format("'{}' is not a report of leat bench --json: {}", path, error.what()));
}

change compare(const report_row& before, const report_row& now) {
  const bool is_few = std::min(before.repetitions, now.repetitions) < few_repetitions;
  const auto low = [&](const report_row& one) { return is_few ? one.min : one.q1; };
  const auto high = [&](const report_row& one) { return is_few ? one.max : one.q3; };
  if (high(now) < low(before) && now.median < before.median * (1 - least_change))
    return change::faster;
  if (low(now) > high(before) && now.median > before.median * (1 + least_change))
    return change::slower;
  return change::none;
}

std::size_t comparison::count(change wanted) const {
  return static_cast<std::size_t>(std::ranges::count(pairs, wanted, &pair::change));
}

comparison compare(const parsed_report& before, const parsed_report& now) {
  comparison made;
  made.same_machine = before.machine == now.machine;
  for (const auto& warning : before.warnings) made.warnings.push_back("Before: " + warning);
  for (const auto& warning : now.warnings) made.warnings.push_back("Now: " + warning);
  std::map<std::string, const report_row*> old;
  for (const auto& row : before.rows) old.emplace(row.name, &row);
  for (const auto& row : now.rows) {
    const auto found = old.find(row.name);
    if (found == old.end()) {
      ++made.only_now;
      continue;
    }
    made.pairs.push_back({*found->second, row, compare(*found->second, row)});
    old.erase(found);
  }
  made.only_before = old.size();
  if (made.pairs.empty()) throw failure("the two reports have no measurement in common");
  return made;
}

std::string comparison_text(const comparison& comparison, const page& page) {
  std::string text;
  if (!comparison.same_machine)
    text +=
        wrapped(
            "The reports are of different machines, systems or sizes: these may be the reason for "
            "a difference.",
            page.width) +
        '\n';
  for (const auto& warning : comparison.warnings) text += wrapped(warning, page.width);
  if (!text.empty()) text += '\n';
  for (const auto which : {change::slower, change::faster}) {
    auto some = comparison.pairs;
    std::erase_if(some, [&](const auto& one) { return one.change != which; });
    if (some.empty()) continue;
    // Largest change first.
    std::ranges::sort(some, std::ranges::greater(), [&](const auto& one) {
      const double ratio = one.now.median / one.before.median;
      return which == change::slower ? ratio : 1 / ratio;
    });
    table all({{which == change::slower ? "slower" : "faster"},
               {"before ms"},
               {"now ms"},
               {"change"},
               {"speed", 1}});
    for (const auto& [before, now, difference] : some) {
      all.add({{now.name, digits(before.median * 1e3), digits(now.median * 1e3),
                fmt::format("{:+.0f} %", (now.median / before.median - 1) * 100),
                times(before.median / now.median)},
               which == change::faster ? style::winner : style::plain});
    }
    text += all.text(page) + '\n';
  }
  text += wrapped(fmt::format("{} faster, {} slower, {} the same within their spread.",
                              comparison.count(change::faster), comparison.count(change::slower),
                              comparison.count(change::none)),
                  page.width);
  if (comparison.only_before + comparison.only_now != 0)
    text += wrapped(
        fmt::format("Only before: {}; only now: {}.", comparison.only_before, comparison.only_now),
        page.width);
  return text;
}

}  // namespace bench
