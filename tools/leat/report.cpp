#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "statistics.hpp"
#include "text.hpp"

namespace bench {

namespace {

using rows = std::vector<const measurement*>;

constexpr double level_with = 0.03;  // closer than this, nobody won
constexpr double near = 0.1;         // closer than this, it hardly matters
constexpr std::size_t fewest_to_conclude = 3;

double seconds(const measurement* one) { return summarize(one->wall).median; }

bool is_shown(const outcome& of, const std::string& factor, layout how) {
  return std::ranges::find(of.factors, factor, &factor::name)->shown == how;
}

/// The values of those factors that are shown this way, as one text.
std::string label(const outcome& of, const measurement& one, layout how) {
  std::string text;
  for (const auto& [name, value] : one.at.all()) {
    if (is_shown(of, name, how) && !value.is_default()) text += ", " + value.text;
  }
  return text;
}

std::string row_name(const outcome& of, const measurement* one) {
  return one->variant + label(of, *one, layout::row);
}

bool is_on_axis(const outcome& of, const measurement* one) {
  return !label(of, *one, layout::axis).empty();
}

std::string speed(const measurement* one) {
  const auto& load = one->load;
  return load.operation.empty() ? digits(static_cast<double>(load.bytes) / seconds(one) / 1e6)
                                : digits(seconds(one) / static_cast<double>(load.operations) * 1e9);
}

std::string winners(const outcome& of, const rows& sorted, const measurement* baseline) {
  const auto first =
      std::ranges::find_if(sorted, [](auto* one) { return one->part != role::floor; });
  if (first == sorted.end()) return "";
  auto text = "Fastest: " + row_name(of, *first);
  if (baseline && baseline != *first) {
    text += fmt::format(", {} {}", times(seconds(baseline) / seconds(*first)), baseline->variant);
  }
  std::string level;
  for (auto next = first + 1; next != sorted.end(); ++next) {
    if ((*next)->part == role::floor) continue;
    if (seconds(*next) > seconds(*first) * (1 + level_with)) break;
    level += (level.empty() ? "" : ", ") + row_name(of, *next);
  }
  return text + (level.empty() ? "." : "; within 3 % of it: " + level + ".");
}

std::string variants_table(const outcome& of, rows some, const page& on) {
  std::ranges::sort(some, {}, seconds);
  const auto found = std::ranges::find(some, role::baseline, &measurement::part);
  const auto* baseline = found == some.end() ? nullptr : *found;
  const auto& load = some.front()->load;

  const bool tells_read =
      std::ranges::any_of(some, [](auto* one) { return one->bytes_read.has_value(); });
  std::vector<table::column> columns{{""},
                                     {"wall ms"},
                                     {"spread", 2},
                                     {"CPU ms", 1},
                                     {load.operation.empty() ? "MB/s" : "ns/" + load.operation},
                                     {baseline ? "vs " + baseline->variant : ""}};
  if (tells_read) columns.push_back({"read MB"});
  table all(columns);
  bool has_winner = false;
  for (const auto* one : some) {
    const auto wall = summarize(one->wall);
    const bool wins = !has_winner && one->part != role::floor;
    has_winner = has_winner || wins;
    const bool is_floor = one->part == role::floor;
    std::vector<std::string> cells{(is_floor ? "floor: " : "") + row_name(of, one),
                                   digits(wall.median * 1e3),
                                   one->wall.size() > 1 ? percent(wall.spread) : "",
                                   digits(summarize(one->cpu).median * 1e3),
                                   speed(one),
                                   baseline ? times(seconds(baseline) / wall.median) : ""};
    if (tells_read) {
      const auto& count = one->bytes_read;
      cells.push_back(count ? digits(static_cast<double>(*count) / 1e6) : "");
    }
    all.add({cells, wins ? style::winner : is_floor ? style::faint : style::plain, wall.median});
  }
  return all.text(on) + wrapped(winners(of, some, baseline), on.width);
}

/// What single operations take, where the variants can tell.
std::string each_table(const outcome& of, rows some, const page& on) {
  std::erase_if(some, [](auto* one) { return !one->each; });
  if (some.empty()) return "";
  std::ranges::sort(some, {}, [](auto* one) { return one->each->median; });
  table all(
      {{"each " + some.front()->load.operation + ", ns"}, {"min"}, {"mean"}, {"median"}, {"max"}});
  for (const auto* one : some) {
    if (!one->each) continue;  // all have it by now, which the linter does not see
    const auto& [min, mean, median, max] = *one->each;
    all.add({{row_name(of, one), digits(min * 1e9), digits(mean * 1e9), digits(median * 1e9),
              digits(max * 1e9)}});
  }
  return all.text(on) + wrapped(
                            "In a pass of its own, with the clock read around each; mean and "
                            "median are of the middle 90 %.",
                            on.width);
}

/// How the default of a variant compares to the best it can do.
std::string beside_best(const measurement* usual, const measurement* best) {
  if (!usual) return "";
  const double longer = seconds(usual) / seconds(best) - 1;
  if (longer <= 0) return "; its default is no slower";
  return longer <= near ? fmt::format("; its default is within {} of that", percent(longer))
                        : fmt::format("; its default takes {} longer", percent(longer));
}

/// The variants that vary along an axis, side by side, a row for each value.
std::string axis_table(const outcome& of, const factor& axis, const rows& some, const page& on) {
  std::vector<std::string> names;
  for (const auto* one : some) {
    const auto name = row_name(of, one);
    if (one->at[axis.name].is_default() || std::ranges::count(names, name)) continue;
    names.push_back(name);
  }
  if (names.empty()) return "";

  const auto at = [&](const std::string& name, const value& v) -> const measurement* {
    const auto found = std::ranges::find_if(
        some, [&](auto* one) { return row_name(of, one) == name && one->at[axis.name] == v; });
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
  auto text = all.text(on);
  for (const auto& name : names) {
    const auto* best = best_of(name);
    text += wrapped(fmt::format("{}: best at {}{}.", name, best->at[axis.name].text,
                                beside_best(at(name, {}), best)),
                    on.width);
  }
  return text;
}

}  // namespace

std::string heading(const session& all, const page& on) {
  const auto& m = all.on;
  auto text =
      wrapped(fmt::format("leat {} on {}, {} cores, {:.1f} GiB of memory, {}", all.version, m.cpu,
                          m.cores, static_cast<double>(m.memory) / (1 << 30), m.kernel),
              on.width);
  if (!m.optimized) {
    text += wrapped("This build is not optimised: its figures say nothing about leat.", on.width);
  }
  return text;
}

std::string tables(const experiment& what, const record& of, const page& on) {
  const auto& result = of.result;
  std::size_t fewest = ~std::size_t{0}, most = 0;
  for (const auto& one : result.measured) {
    fewest = std::min(fewest, one.wall.size());
    most = std::max(most, one.wall.size());
  }
  const auto repeats = most == 0        ? "nothing measured"
                       : fewest == most ? fmt::format("{} repetition{}", most, most == 1 ? "" : "s")
                                        : fmt::format("{} to {} repetitions", fewest, most);
  auto text = '\n' + styled(what.name + ": " + what.title, style::heading, on) + '\n' +
              wrapped(fmt::format("in '{}' ({}), {}{}", of.dir, of.file_system, repeats,
                                  result.complete ? "" : "; PARTIAL: interrupted"),
                      on.width);

  // Tables in the order in which their first measurement stands.
  std::vector<std::pair<std::string, rows>> groups;
  for (const auto& one : result.measured) {
    const auto name = label(result, one, layout::table);
    auto group = std::ranges::find(groups, name, &std::pair<std::string, rows>::first);
    if (group == groups.end()) group = groups.insert(groups.end(), {name, {}});
    group->second.push_back(&one);
  }
  for (const auto& [name, all] : groups) {
    rows usual;
    std::ranges::copy_if(all, std::back_inserter(usual),
                         [&](auto* one) { return !is_on_axis(result, one); });
    auto title = wrapped(all.front()->load.title, on.width);
    title.pop_back();  // the newline, which the style is not for
    text += '\n' + styled(title, style::heading, on) + '\n';
    if (!usual.empty()) text += variants_table(result, usual, on);
    const auto each = each_table(result, usual, on);
    if (!each.empty()) text += '\n' + each;
    for (const auto& factor : result.factors) {
      if (factor.shown != layout::axis) continue;
      const auto along = axis_table(result, factor, all, on);
      if (!along.empty()) text += '\n' + along;
    }
  }
  text += '\n' + wrapped("Published: " + what.published, on.width);
  if (!result.complete || fewest < fewest_to_conclude) {
    text += wrapped("Here: too few repetitions to conclude.", on.width);
  } else if (what.findings) {
    for (const auto& finding : what.findings(result)) text += wrapped("Here: " + finding, on.width);
  }
  return text;
}

}  // namespace bench
