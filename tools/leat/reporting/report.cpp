// Tables and sentences of the text report. bench_command.cpp calls record_text(). The other reports
// and `leat tune` use parts of the text report, such as sections() and warnings().
#include "reporting/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "measuring/statistics.hpp"
#include "reporting/text.hpp"

namespace bench {

namespace {

using rows = std::vector<const measurement*>;

constexpr double tie_tolerance = 0.03;   // times that differ by at most this share are equal
constexpr double slightly_longer = 0.1;  // smaller differences hardly matter
constexpr std::size_t fewest_to_conclude = 3;
constexpr double busy_from = 0.5;  // cores; the system itself uses less

double seconds(const measurement* row) { return summarize(row->wall).median; }

bool is_on_axis(const outcome& outcome, const measurement* row) {
  return !outcome.label(*row, layout::axis).empty();
}

std::string speed(const measurement* row) {
  const auto& load = row->load;
  return load.operation.empty() ? digits(static_cast<double>(load.bytes) / seconds(row) / 1e6)
                                : digits(seconds(row) / static_cast<double>(load.operations) * 1e9);
}

std::string winners(const outcome& outcome, const rows& sorted, const measurement* baseline,
                    const std::string& baseline_name) {
  const auto first = std::ranges::find_if(sorted, [](auto* one) { return can_win(one->role); });
  if (first == sorted.end()) return "";
  auto text = "Fastest: " + outcome.row_name(**first);
  if (baseline && baseline != *first) {
    text += fmt::format(", {} {}", times(seconds(baseline) / seconds(*first)), baseline_name);
  }
  std::string ties;
  for (auto next = first + 1; next != sorted.end(); ++next) {
    if (!can_win((*next)->role)) continue;
    if (seconds(*next) > seconds(*first) * (1 + tie_tolerance)) break;
    ties += (ties.empty() ? "" : ", ") + outcome.row_name(**next);
  }
  return text + (ties.empty() ? "." : "; within 3 % of it: " + ties + ".");
}

block variants_table(const outcome& outcome, rows some) {
  std::ranges::sort(some, {}, seconds);
  const auto found = std::ranges::find(some, role::baseline, &measurement::role);
  const auto* baseline = found == some.end() ? nullptr : *found;
  // If the baseline has several rows, the best row counts.
  const bool several = std::ranges::count(some, role::baseline, &measurement::role) > 1;
  const auto baseline_name = baseline ? (several ? "the best " : "") + baseline->variant : "";
  const auto& load = some.front()->load;

  const auto any_has = [&](auto member) {
    return std::ranges::any_of(some, [&](auto* one) { return (one->*member).has_value(); });
  };
  std::vector<table::column> columns{{""},
                                     {"wall ms"},
                                     {"spread", 2},
                                     {"CPU ms", 1},
                                     {load.operation.empty() ? "MB/s" : "ns/" + load.operation,
                                      any_has(&measurement::requests) ? 1 : 0},
                                     {baseline ? "vs " + baseline_name : ""}};
  if (any_has(&measurement::bytes_read)) columns.push_back({"read MB"});
  if (any_has(&measurement::bytes_written)) columns.push_back({"MB to disk"});
  if (any_has(&measurement::requests)) columns.push_back({"requests", 1});
  if (any_has(&measurement::dollars)) columns.push_back({"cents", 1});
  table all(columns);
  bool has_winner = false;
  for (const auto* one : some) {
    const auto wall = summarize(one->wall);
    const bool wins = !has_winner && can_win(one->role);
    has_winner = has_winner || wins;
    const bool is_faint = !can_win(one->role);
    const auto prefix = is_faint ? fmt::format("{}: ", name_of(one->role)) : std::string();
    std::vector<std::string> cells{prefix + outcome.row_name(*one),
                                   digits(wall.median * 1e3),
                                   one->wall.size() > 1 ? percent(wall.spread) : "",
                                   digits(summarize(one->cpu).median * 1e3),
                                   speed(one),
                                   baseline ? times(seconds(baseline) / wall.median) : ""};
    const auto add_cell = [&](auto member, auto text) {
      if (any_has(member)) cells.push_back((one->*member) ? text(*(one->*member)) : "");
    };
    add_cell(&measurement::bytes_read, [](auto n) { return digits(static_cast<double>(n) / 1e6); });
    add_cell(&measurement::bytes_written,
             [](auto n) { return digits(static_cast<double>(n) / 1e6); });
    add_cell(&measurement::requests, grouped);
    add_cell(&measurement::dollars, [](double dollars) { return digits(dollars * 100); });
    all.add({cells, wins ? style::winner : is_faint ? style::faint : style::plain, wall.median});
  }
  return {all, {winners(outcome, some, baseline, baseline_name)}};
}

/// Returns the times of single operations, for the variants that have such times.
std::optional<block> per_operation_table(const outcome& outcome, rows some) {
  std::erase_if(some, [](auto* one) { return !one->per_operation; });
  if (some.empty()) return std::nullopt;
  std::ranges::sort(some, {}, [](auto* one) { return one->per_operation->median; });
  table all(
      {{"each " + some.front()->load.operation + ", ns"}, {"min"}, {"mean"}, {"median"}, {"max"}});
  for (const auto* one : some) {
    if (!one->per_operation) continue;  // never true after erase_if: for the linter
    const auto& each = *one->per_operation;
    all.add({{outcome.row_name(*one), digits(each.min * 1e9), digits(each.mean * 1e9),
              digits(each.median * 1e9), digits(each.max * 1e9)}});
  }
  return block{
      all,
      {"From a separate pass, with the clock read around each operation. Mean and median are "
       "those of the middle 90 %."}};
}

/// Compares two times of a variant: the time with the default value of the axis, and the time with
/// the best value.
std::string compared_to_best(const measurement* usual, const measurement* best) {
  if (!usual) return "";
  const double longer = seconds(usual) / seconds(best) - 1;
  if (longer <= 0) return "; its default is no slower";
  return longer <= slightly_longer
             ? fmt::format("; its default is within {} of that", percent(longer))
             : fmt::format("; its default takes {} longer", percent(longer));
}

/// Returns a table with one column for each variant with values on the axis, and one row for each
/// measured value.
std::optional<block> axis_table(const outcome& outcome, const factor& axis, const rows& some) {
  std::vector<std::string> names;
  for (const auto* one : some) {
    const auto name = outcome.row_name(*one);
    if (one->setting[axis.name].is_default() || std::ranges::count(names, name)) continue;
    names.push_back(name);
  }
  if (names.empty()) return std::nullopt;

  const auto at = [&](const std::string& name, const value& v) -> const measurement* {
    const auto found = std::ranges::find_if(some, [&](auto* one) {
      return outcome.row_name(*one) == name && one->setting[axis.name] == v;
    });
    return found == some.end() ? nullptr : *found;
  };
  const auto best_of = [&](const std::string& name) {
    const measurement* best = nullptr;
    for (const auto& v : axis.values) {
      const auto* one = v.is_default() ? nullptr : at(name, v);
      if (one && (!best || seconds(one) < seconds(best))) best = one;
    }
    return best;
  };

  auto title = axis.name;
  std::ranges::replace(title, '_', ' ');
  std::vector<table::column> columns{{title + ", ms"}};
  for (const auto& name : names) columns.push_back({name});
  table all(columns);
  for (const auto& v : axis.values) {
    std::vector<std::string> cells{v.is_default() ? "its default" : v.text};
    bool is_empty = true;
    for (const auto& name : names) {
      const auto* one = at(name, v);
      const bool best = one && one == best_of(name);
      cells.push_back(one ? (best ? "* " : "") + digits(seconds(one) * 1e3) : "–");
      is_empty = is_empty && !one;
    }
    if (!is_empty) all.add({cells});
  }
  std::vector<std::string> notes;
  for (const auto& name : names) {
    const auto* best = best_of(name);
    notes.push_back(fmt::format("{}: best at {}{}.", name, best->setting[axis.name].text,
                                compared_to_best(at(name, {}), best)));
  }
  return block{all, notes};
}

std::size_t fewest_repetitions(const outcome& outcome) {
  std::size_t fewest = outcome.measurements.empty() ? 0 : ~std::size_t{0};
  for (const auto& one : outcome.measurements) fewest = std::min(fewest, one.wall.size());
  return fewest;
}

}  // namespace

std::string volume_text(const volume& described) {
  auto text = described.file_system;
  if (described.block_size != 0)
    text += ", blocks of " + bytes(static_cast<std::int64_t>(described.block_size)).text;
  if (!described.disk.empty()) text += ", on " + described.disk;
  return text;
}

record record_of(const experiment& experiment, std::string dir, volume dir_volume, outcome result) {
  record made;
  made.experiment = experiment.name;
  made.dir = std::move(dir);
  made.volume = std::move(dir_volume);
  made.result = std::move(result);
  made.title = experiment.title;
  made.published = experiment.published;
  made.published_id = experiment.published_id;
  made.cached = experiment.cached;
  made.published_tables = experiment.published_tables;
  made.charts = experiment.charts;
  made.headline = experiment.headline;
  if (!made.result.complete || fewest_repetitions(made.result) < fewest_to_conclude) {
    made.findings = {{"too few repetitions to conclude."}};
  } else if (experiment.findings) {
    made.findings = experiment.findings(made.result);
  }
  return made;
}

std::string repetitions_text(const outcome& outcome) {
  const auto fewest = fewest_repetitions(outcome);
  std::size_t most = 0;
  for (const auto& one : outcome.measurements) most = std::max(most, one.wall.size());
  const auto repeats = most == 0        ? "nothing measured"
                       : fewest == most ? fmt::format("{} repetition{}", most, most == 1 ? "" : "s")
                                        : fmt::format("{} to {} repetitions", fewest, most);
  return repeats + (outcome.complete ? "" : "; PARTIAL: interrupted");
}

std::vector<std::string> warnings(const session& all) {
  const auto& m = all.machine;
  std::vector<std::string> found;
  if (!m.optimized)
    found.emplace_back("This build is not optimised: its figures say nothing about leat.");
  if (m.load >= busy_from)
    found.push_back(fmt::format(
        "Other programs kept {:.1f} of {} cores busy before the run began: they slow the "
        "run down, and not evenly.",
        m.load, m.cores));
  if (!m.governor.empty() && m.governor != "performance")
    found.push_back(
        fmt::format("The governor '{}' sets the processor's speed: short work may be done "
                    "before the governor raises the speed.",
                    m.governor));
  if (m.turbo.value_or(false))
    found.emplace_back(
        "Turbo is on: the processor is faster while it is cool, so the first rounds may be faster. "
        "The order of the variants is drawn again in each round.");
  std::string busy;
  for (const auto& one : all.records) {
    if (one.busy_cores >= busy_from)
      busy +=
          fmt::format("{}{} ({:.1f})", busy.empty() ? "" : ", ", one.experiment, one.busy_cores);
  }
  if (!busy.empty())
    found.push_back("Other programs kept cores busy while these were measured: " + busy + ".");
  return found;
}

std::string heading(const session& all, const page& page) {
  const auto& m = all.machine;
  auto text =
      wrapped(fmt::format("leat {} on {}, {} cores, {:.1f} GiB of memory, {}", all.version, m.cpu,
                          m.cores, static_cast<double>(m.memory) / (1 << 30), m.kernel),
              page.width);
  for (const auto& warning : warnings(all)) text += wrapped(warning, page.width);
  return text;
}

std::vector<section> sections(const record& record) {
  const auto& result = record.result;
  // One group per table, in the order of the first measurements.
  std::vector<std::pair<std::string, rows>> groups;
  for (const auto& one : result.measurements) {
    const auto name = result.label(one, layout::table);
    auto group = std::ranges::find(groups, name, &std::pair<std::string, rows>::first);
    if (group == groups.end()) group = groups.insert(groups.end(), {name, {}});
    group->second.push_back(&one);
  }
  std::vector<section> found;
  for (const auto& [name, all] : groups) {
    rows usual;
    std::ranges::copy_if(all, std::back_inserter(usual),
                         [&](auto* one) { return !is_on_axis(result, one); });
    auto& made = found.emplace_back(all.front()->load.title, std::vector<block>());
    if (!usual.empty()) made.blocks.push_back(variants_table(result, usual));
    if (auto each = per_operation_table(result, usual)) made.blocks.push_back(std::move(*each));
    for (const auto& factor : result.factors) {
      if (factor.layout != layout::axis) continue;
      if (auto along = axis_table(result, factor, all)) made.blocks.push_back(std::move(*along));
    }
  }
  return found;
}

std::string record_text(const record& record, const page& page) {
  auto text = '\n' + styled(record.experiment + ": " + record.title, style::heading, page) + '\n' +
              wrapped(fmt::format("in '{}' ({}), {}", record.dir, volume_text(record.volume),
                                  repetitions_text(record.result)),
                      page.width);
  for (const auto& [title, blocks] : sections(record)) {
    auto line = wrapped(title, page.width);
    line.pop_back();  // the newline follows the style
    text += '\n' + styled(line, style::heading, page) + '\n';
    for (const auto& [figures, notes] : blocks) {
      if (&figures != &blocks.front().figures) text += '\n';
      text += figures.text(page);
      for (const auto& note : notes) text += wrapped(note, page.width);
    }
  }
  text += '\n' + wrapped("Published: " + record.published, page.width);
  for (const auto& one : record.findings) text += wrapped("Here: " + one.text, page.width);
  if (record.busy_cores >= busy_from)
    text +=
        wrapped(fmt::format("Other programs kept {:.1f} cores busy meanwhile.", record.busy_cores),
                page.width);
  return text;
}

}  // namespace bench
