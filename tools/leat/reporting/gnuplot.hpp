// Charts by gnuplot, which runs as a child process.
#pragma once

#include <string>

#include "reporting/chart.hpp"

namespace bench {

/// What a drawing becomes: an SVG in a page, or a file of its own.
enum class picture { of_page, svg, png };

/// Where a drawing will be seen.
struct canvas {
  bool narrow = false;  // as on a phone
  picture as = picture::of_page;
};

/// Whether gnuplot can be run here.
bool has_gnuplot();

/// The commands for gnuplot, which writes the picture to its standard output.
std::string gnuplot_script(const drawing& of, const canvas& on);

/// Runs gnuplot and returns the picture. Throws `failure` with what gnuplot said.
std::string plot(const std::string& script);

/// gnuplot's SVG as a part of a page. Colours become the page's (--leat, --baseline and so on). The
/// names in it begin with `id`, so that a page may have several pictures.
std::string embedded(std::string_view svg, std::string_view id, std::string_view title);

/// gnuplot's SVG as a file of its own, without a ground, for light or for dark paper.
std::string on_paper(std::string_view svg, bool dark, std::string_view title);

}  // namespace bench
