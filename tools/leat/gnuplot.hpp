// Charts by gnuplot, which runs as a child process.
#pragma once

#include <string>

#include "chart.hpp"

namespace bench {

/// Where a drawing will be seen.
struct canvas {
  bool narrow = false;  // as on a phone
  bool png = false;     // otherwise SVG
};

/// Whether gnuplot can be run here.
bool has_gnuplot();

/// What gnuplot is told to draw, onto its standard output.
std::string gnuplot_script(const drawing& of, const canvas& on);

/// Runs gnuplot and returns the picture. Throws `failure` with what gnuplot said.
std::string plot(const std::string& script);

/// gnuplot's SVG as a part of a page: colours become the page's (--leat, --baseline and so on), and
/// the names in it begin with `id`, so that several may stand on one page.
std::string embedded(std::string_view svg, std::string_view id, std::string_view title);

}  // namespace bench
