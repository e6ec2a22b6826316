// What a chart shows of an outcome, before any tool draws it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench.hpp"

namespace bench {

/// A variant along an axis; or, with one value for all of it, as a level.
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

/// A variant by itself.
struct bar {
  std::string name;
  role part = role::peer;
  double value = 0;
  std::optional<distribution> each;  // in the chart's unit, of single operations
};

/// Curves over an axis, or bars below each other.
struct drawing {
  std::string title;
  std::string note;
  std::string unit;  // of the values: "ms", "MB/s", "ns"
  bool more_is_better = false;
  bool logarithmic = false;
  std::string axis;                                   // what stands along the x axis
  std::vector<std::pair<double, std::string>> stops;  // on it
  std::vector<curve> curves;
  std::vector<bar> bars;  // the best first
};

/// Nothing where none of it has been measured.
std::optional<drawing> drawn(const chart& what, const outcome& of);

/// What a reader has to know: the unit, and which direction is better.
std::string caption(const drawing& of);

}  // namespace bench
