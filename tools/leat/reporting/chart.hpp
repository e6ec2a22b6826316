// What a chart shows of an outcome. gnuplot.hpp draws it.
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
  role part = role::peer;
  std::vector<point> points;
  bool is_level = false;
};

/// A variant without an axis.
struct bar {
  std::string name;
  role part = role::peer;
  double value = 0;
  std::optional<distribution> each;  // in the chart's unit, of single operations
};

/// Curves over an axis, or horizontal bars.
struct drawing {
  std::string title;
  std::string note;
  std::string unit;  // of the values: "ms", "MB/s", "ns"
  bool more_is_better = false;
  bool logarithmic = false;
  std::string axis;                                   // the name of the x axis
  std::vector<std::pair<double, std::string>> stops;  // its values and their labels
  std::vector<curve> curves;
  std::vector<bar> bars;  // the best first
};

/// Nothing if none of it was measured.
std::optional<drawing> drawn(const chart& what, const outcome& of);

/// The unit, which direction is better, and the note.
std::string caption(const drawing& of);

}  // namespace bench
