// Charts by gnuplot, which runs as a child process. bench_command.cpp calls these functions.
#pragma once

#include <string>

#include "reporting/chart.hpp"

namespace bench {

/// The format of a picture: an SVG for a page, or a separate file in the format SVG or PNG.
enum class picture { embedded, svg, png };

/// The size and the format of a picture.
struct canvas {
  bool narrow = false;  // for phones
  picture format = picture::embedded;
};

/// True if gnuplot is installed. False on Windows, where leat draws no charts.
bool has_gnuplot();

/// Returns gnuplot commands that write the picture to standard output.
std::string gnuplot_script(const drawing& drawing, const canvas& canvas);

/// Runs gnuplot and returns the picture. If gnuplot fails, throws `failure` with gnuplot's message.
/// If the temporary files cannot be written or read, throws `failure` or leat::io_error.
std::string run_gnuplot(const std::string& script);

/// Converts gnuplot's SVG for embedding in a page. Colours of the palette become the page's
/// variables (--leat, --baseline and so on). The ids in the SVG start with `id`, so that a page may
/// contain several pictures. `title` is for readers who cannot see the picture.
std::string svg_for_page(std::string_view svg, std::string_view id, std::string_view title);

/// Converts gnuplot's SVG to a separate file without background, for light or dark paper.
std::string standalone_svg(std::string_view svg, bool dark, std::string_view title);

}  // namespace bench
