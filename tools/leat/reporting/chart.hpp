// The figures of a chart. html_report.cpp and bench_command.cpp call make_drawing(); gnuplot.cpp
// draws the figures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measuring/experiment.hpp"

namespace bench {

/// A variant along an axis. A level has the same value everywhere.
struct curve {
  struct point {
    double x;
    double y;
  };
  std::string name;
  bench::role role = bench::role::peer;
  std::vector<point> points;
  bool is_level = false;
};

/// A variant in a chart without an axis.
struct bar {
  std::string name;
  bench::role role = bench::role::peer;
  double value = 0;
  std::optional<distribution> per_operation;  // of single operations, in the chart's unit
};

/// Curves over an axis, or horizontal bars.
struct drawing {
  std::string title;
  std::string note;
  std::string unit;  // of the values: "ms", "MB/s", "ns"
  bool more_is_better = false;
  bool logarithmic = false;
  std::string axis;                                   // name of the x axis
  std::vector<std::pair<double, std::string>> ticks;  // values on the axis and their labels
  std::vector<curve> curves;
  std::vector<bar> bars;  // best first
};

/// Selects the figures of a chart. If there is no figure to draw, returns nothing.
std::optional<drawing> make_drawing(const chart& chart, const outcome& result);

/// Describes a drawing: the unit, the axes, whether more or less is better, and the note.
std::string caption(const drawing& drawing);

}  // namespace bench
