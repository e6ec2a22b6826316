// Selects and converts the figures of a chart. html_report.cpp and bench_command.cpp call
// make_drawing().
#include "reporting/chart.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "measuring/statistics.hpp"

namespace bench {

namespace {

bool matches(const measurement& row, const choices& where) {
  return std::ranges::all_of(where,
                             [&](const auto& at) { return row.setting[at.first] == at.second; });
}

distribution in_nanoseconds(const distribution& seconds) {
  return {seconds.min * 1e9, seconds.mean * 1e9, seconds.median * 1e9, seconds.max * 1e9,
          seconds.p5 * 1e9,  seconds.p25 * 1e9,  seconds.p75 * 1e9,    seconds.p95 * 1e9};
}

double value_of(const measurement& row, quantity wanted) {
  const double seconds = summarize(row.wall).median;
  switch (wanted) {
    case quantity::time:
      return seconds * 1e3;
    case quantity::speed:
      return static_cast<double>(row.load.bytes) / seconds / 1e6;
    case quantity::per_operation:
      // Total time divided by the number of operations, because a batch has no single operations.
      return seconds / static_cast<double>(row.load.operations) * 1e9;
  }
  return 0;
}

void add_curves(drawing& to, const chart& chart, const outcome& result,
                const std::vector<const measurement*>& some) {
  const auto axis = std::ranges::find(result.factors, chart.axis, &factor::name);
  for (const auto& tick : axis->values) {
    const bool is_measured = std::ranges::any_of(
        some, [&](auto* one) { return tick.number && one->setting[chart.axis] == tick; });
    if (is_measured) to.ticks.emplace_back(static_cast<double>(tick.number.value_or(0)), tick.text);
  }
  to.axis = axis->name;
  std::ranges::replace(to.axis, '_', ' ');
  for (const auto* one : some) {
    const auto name = result.row_name(*one);
    const auto& tick = one->setting[chart.axis];
    auto known = std::ranges::find(to.curves, name, &curve::name);
    if (known == to.curves.end())
      known = to.curves.insert(to.curves.end(), {name, one->role, {}, false});
    const auto y = value_of(*one, chart.quantity);
    // A variant with points needs no level: the variant's default is one of the points, or lies
    // between two points.
    if (tick.number) {
      if (known->is_level) known->points.clear();
      known->is_level = false;
      known->points.push_back({static_cast<double>(*tick.number), y});
    } else if (known->points.empty()) {
      known->is_level = true;
      for (const auto& [x, text] : to.ticks) known->points.push_back({x, y});
    }
  }
  std::erase_if(to.curves, [](const curve& one) { return one.points.empty(); });
  for (auto& one : to.curves) std::ranges::sort(one.points, {}, &curve::point::x);
}

}  // namespace

std::optional<drawing> make_drawing(const chart& chart, const outcome& result) {
  std::vector<const measurement*> some;
  for (const auto& one : result.measurements) {
    if (matches(one, chart.where) && (!chart.includes || chart.includes(one))) some.push_back(&one);
  }
  if (some.empty()) return std::nullopt;
  drawing made;
  made.title = chart.title;
  made.note = chart.note;
  made.unit = chart.quantity == quantity::time    ? "ms"
              : chart.quantity == quantity::speed ? "MB/s"
                                                  : "ns";
  made.more_is_better = chart.quantity == quantity::speed;
  made.logarithmic = chart.logarithmic;
  if (!chart.axis.empty()) {
    add_curves(made, chart, result, some);
    return made.curves.empty() || made.ticks.empty() ? std::nullopt : std::optional(made);
  }
  for (const auto* one : some) {
    if (!result.label(*one, layout::axis).empty()) continue;
    auto& added = made.bars.emplace_back(result.row_name(*one), one->role,
                                         value_of(*one, chart.quantity), std::nullopt);
    if (chart.quantity == quantity::per_operation && one->per_operation)
      added.per_operation = in_nanoseconds(*one->per_operation);
  }
  if (made.bars.empty()) return std::nullopt;
  std::ranges::sort(made.bars, [&](const bar& a, const bar& b) {
    return made.more_is_better ? a.value > b.value : a.value < b.value;
  });
  return made;
}

std::string caption(const drawing& drawing) {
  std::string text = drawing.unit;
  if (drawing.unit == "ns") text = "time of each";
  if (!drawing.axis.empty()) text += " over the " + drawing.axis;
  text += drawing.more_is_better ? "; more is better" : "; less is better";
  if (drawing.logarithmic) text += "; logarithmic";
  const bool boxes =
      std::ranges::any_of(drawing.bars, [](const bar& one) { return !!one.per_operation; });
  if (boxes)
    text +=
        "; a dot and its figure are the time of all operations divided by their number; where "
        "single "
        "operations can be timed, a box holds the middle half of them and the median, and a line "
        "reaches from 5 to 95 %";
  return text + '.' + (drawing.note.empty() ? "" : ' ' + drawing.note);
}

}  // namespace bench
