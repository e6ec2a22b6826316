// Scripts for gnuplot, and the clean-up of its SVG. bench_command.cpp calls these functions.
#include "reporting/gnuplot.hpp"

#include <fmt/format.h>
#include <leat/leat.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <ranges>

#include "measuring/scratch_folder.hpp"
#include "reporting/html.hpp"
#include "reporting/palette.hpp"
#include "reporting/text.hpp"
#include "system/platform.hpp"
#include "system/system.hpp"

namespace bench {

namespace {

using namespace palette;

std::string hex(const colour& chosen) { return fmt::format("'#{:06X}'", chosen.light); }

/// Returns a gnuplot string literal, in which no character is special.
std::string literal(std::string_view text) {
  std::string safe = "'";
  for (const char c : text) c == '\'' ? safe += "''" : safe += c;
  return safe + '\'';
}

struct extent {
  double low, high;
};

/// Returns the position of `value` between the ends of a range, from 0 to 1.
double relative_position(const extent& range, double value, bool logarithmic) {
  return logarithmic ? std::log(value / range.low) / std::log(range.high / range.low)
                     : (value - range.low) / (range.high - range.low);
}

/// Formats a time, such as "1.5 µs".
std::string time_text(double nanoseconds) {
  if (nanoseconds >= 1e6) return digits(nanoseconds / 1e6) + " ms";
  if (nanoseconds >= 1e3) return digits(nanoseconds / 1e3) + " µs";
  return digits(nanoseconds) + " ns";
}

std::string value_text(const drawing& drawing, double value) {
  return drawing.unit == "ns" ? time_text(value) : digits(value);
}

/// Returns labels for the powers of ten in a range. In a range below a factor of 150, also returns
/// labels for 2 and 5 times each power.
std::string decades(const drawing& drawing, const extent& range) {
  const bool is_narrow = range.high / range.low < 150;
  std::string text;
  for (auto power = static_cast<int>(std::floor(std::log10(range.low)));
       power <= std::log10(range.high); ++power) {
    for (const int digit : {1, 2, 5}) {
      const double at = digit * std::pow(10, power);
      if (at < range.low || at > range.high || (digit != 1 && !is_narrow)) continue;
      const auto label = drawing.unit != "ns" ? fmt::format("{:g}", at)
                         : at >= 1e6          ? fmt::format("{:g} ms", at / 1e6)
                         : at >= 1e3          ? fmt::format("{:g} µs", at / 1e3)
                                              : fmt::format("{:g} ns", at);
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", literal(label), at);
    }
  }
  return "(" + text + ")";
}

std::string terminal(const canvas& canvas, int width, int height) {
  const bool png = canvas.format == picture::png;
  return fmt::format(
      "set encoding utf8\nset terminal {} size {},{} noenhanced font "
      "'{},{}'{}\n",
      png ? "pngcairo" : "svg", png ? 2 * width : width, png ? 2 * height : height,
      png ? "sans" : "sans-serif", png ? 9 : 13,
      png ? " fontscale 2 linewidth 2 pointscale 2" : "");
}

/// True if the picture contains a heading. A page has its own heading above the chart.
bool has_heading(const canvas& canvas) { return canvas.format != picture::embedded; }

std::string heading(const drawing& drawing, const canvas& canvas) {
  if (!has_heading(canvas)) return "";
  const auto text = drawing.title + ": " + drawing.unit +
                    (drawing.more_is_better ? ", more is better" : ", less is better");
  return fmt::format("set title {} tc rgb {}\n", literal(text), hex(ink));
}

// --- curves ------------------------------------------------------------------------------------

/// Returns the vertical positions (0 to 1) of the names to the right of the curves, at least `gap`
/// apart. If there are too many names, the lowest positions are below 0. `wanted` has the ends of
/// the curves and the indices of the names.
std::vector<double> spread_positions(std::vector<std::pair<double, std::size_t>> wanted,
                                     double gap) {
  std::vector<double> positions(wanted.size());
  std::ranges::sort(wanted);
  double lowest = 0;
  for (auto& [at, which] : wanted) {
    at = std::max(at, lowest);
    lowest = at + gap;
  }
  double highest = 1;
  for (auto& [at, which] : std::views::reverse(wanted)) {
    at = std::min(at, highest);
    highest = at - gap;
    positions[which] = at;
  }
  return positions;
}

std::vector<colour> colours_of(const std::vector<curve>& all) {
  std::vector<colour> chosen;
  chosen.reserve(all.size());
  std::size_t next = 0, own = 0;
  for (const auto& one : all) {
    chosen.push_back(one.role == role::leat       ? (own++ == 0 ? ours : ours_too)
                     : one.role == role::baseline ? theirs
                     : !can_win(one.role)         ? faint
                                                  : curves[next++ % curves.size()]);
  }
  return chosen;
}

/// Returns the range of the axis: all values, the 5th to 95th percentiles of single operations, and
/// a margin. A linear axis begins at 0, and has no margin for bars.
extent extent_of(const drawing& drawing) {
  std::vector<double> all;
  for (const auto& one : drawing.curves)
    for (const auto& point : one.points) all.push_back(point.y);
  for (const auto& one : drawing.bars) {
    all.push_back(one.value);
    if (one.per_operation) all.insert(all.end(), {one.per_operation->p5, one.per_operation->p95});
  }
  const auto [low, high] = std::ranges::minmax(all);
  const bool bars = drawing.curves.empty();
  if (!drawing.logarithmic) return {0, bars ? high : high * 1.06};
  return bars ? extent{low / 1.5, high * 1.5} : extent{low / 1.4, high * 1.4};
}

/// Returns commands that write the names of curves: at the right ends of the curves, or on a narrow
/// page in two columns below the chart, in the order of the heights of the ends. `gap` is the
/// height of a line of text, as a share of the chart's height. If `below`, `gap` is a share of the
/// picture's height instead.
std::string names_of(const std::vector<curve>& all, const std::vector<double>& ends, bool below,
                     double gap) {
  const auto colours = colours_of(all);
  std::vector<std::pair<double, std::size_t>> wanted;
  for (std::size_t i = 0; i != all.size(); ++i) wanted.emplace_back(ends[i], i);
  const auto positions = spread_positions(wanted, gap);
  if (below)
    std::ranges::sort(wanted, std::ranges::greater(), &std::pair<double, std::size_t>::first);
  const std::size_t rows = (all.size() + 1) / 2;
  std::string text;
  for (std::size_t rank = 0; rank != all.size(); ++rank) {
    const auto i = wanted[rank].second;
    text +=
        below ? fmt::format("set label {} at screen {}, screen {:.4f} tc rgb {} font ',11'\n",
                            literal("● " + all[i].name), rank < rows ? 0.02 : 0.5,
                            (static_cast<double>(rows - rank % rows) - 0.5) * gap, hex(colours[i]))
              : fmt::format("set label {} at graph 1.02, graph {:.4f} tc rgb {}\n",
                            literal(all[i].name), positions[i], hex(colours[i]));
  }
  return text;
}

std::string curves_script(const drawing& drawing, const canvas& canvas) {
  constexpr int row = 18;  // height of a row of names
  const int rows = canvas.narrow ? static_cast<int>(drawing.curves.size() + 1) / 2 : 0;
  const int width = canvas.narrow ? 360 : 760, height = canvas.narrow ? 288 + rows * row : 380;
  const auto y = extent_of(drawing);
  int longest = 0;
  for (const auto& one : drawing.curves) longest = std::max(longest, width_of(one.name));
  auto text = terminal(canvas, width, height) + heading(drawing, canvas);
  text += fmt::format(
      "set border 1 lc rgb {}\nset grid ytics lc rgb {} lw 0.6 lt 1\nset tics scale 0.4 nomirror "
      "tc rgb {}\nset rmargin {}\nset key off\nset logscale x 2\nset xlabel {} tc rgb {}\n"
      "set xrange [{}:{}]\nset yrange [{}:{}]\n",
      hex(line), hex(line), hex(quiet), canvas.narrow ? 3 : longest * 0.95 + 2,
      literal(drawing.axis), hex(quiet), drawing.ticks.front().first / 1.05,
      drawing.ticks.back().first * 1.05, y.low, y.high);
  if (canvas.narrow)
    text += fmt::format("set bmargin at screen {:.4f}\n", (rows * row + 58.0) / height);
  if (drawing.logarithmic) text += "set logscale y 10\nset ytics " + decades(drawing, y) + '\n';
  std::string ticks;
  const std::size_t labels = canvas.narrow ? 4 : 9;
  const std::size_t step = (drawing.ticks.size() + labels - 1) / labels;
  for (std::size_t i = 0; i < drawing.ticks.size(); i += step) {
    const auto& [at, name] = drawing.ticks[i];
    ticks += fmt::format("{}{} {}", ticks.empty() ? "" : ", ", literal(name), at);
  }
  text += "set xtics (" + ticks + ")\n";

  const auto colours = colours_of(drawing.curves);
  std::vector<double> ends;
  ends.reserve(drawing.curves.size());
  for (const auto& one : drawing.curves)
    ends.push_back(relative_position(y, one.points.back().y, drawing.logarithmic));
  text += names_of(drawing.curves, ends, canvas.narrow,
                   canvas.narrow ? static_cast<double>(row) / height : 16.0 / 310);
  std::string plots;
  for (std::size_t i = 0; i != drawing.curves.size(); ++i) {
    const auto& one = drawing.curves[i];
    text += fmt::format("$curve{} << END\n", i);
    for (const auto& point : one.points) text += fmt::format("{} {}\n", point.x, point.y);
    text += "END\n";
    const bool stands_out = one.role == role::leat || one.role == role::baseline;
    plots +=
        fmt::format("{}$curve{} using 1:2 with {} lc rgb {} lw {}{}", i == 0 ? "" : ", ", i,
                    one.is_level ? "lines" : "linespoints", hex(colours[i]), stands_out ? 2.5 : 1.5,
                    one.is_level ? (one.role == role::baseline ? "" : " dt 2") : " pt 7 ps 0.5");
  }
  return text + "plot " + plots + '\n';
}

// --- bars --------------------------------------------------------------------------------------

unsigned bar_colour(const bar& shown) {
  return (shown.role == role::leat       ? ours
          : shown.role == role::baseline ? theirs
          : !can_win(shown.role)         ? line
                                         : plain_bar)
      .light;
}

/// The frame of the bars. The y axis runs from -0.5 to `count` - 0.5.
struct bar_frame {
  extent x;
  int count, width, height;
  int above, below;  // pixels above and below the bars
  bool boxes;        // some bars have boxes of single operations
};

bar_frame bar_frame_of(const drawing& drawing, const canvas& canvas) {
  bar_frame made{};
  made.count = static_cast<int>(drawing.bars.size());
  made.boxes =
      std::ranges::any_of(drawing.bars, [](const bar& one) { return !!one.per_operation; });
  made.x = extent_of(drawing);
  // Room for the figures after the bars.
  const double room = canvas.narrow ? 0.24 : 0.14;
  auto& [low, high] = made.x;
  high = drawing.logarithmic ? low * std::pow(high / low, 1 / (1 - room)) : high / (1 - room);
  made.below = drawing.logarithmic ? 34 : 8;
  made.above = has_heading(canvas) ? 44 : 8;
  const int row = canvas.narrow ? 36 : 24;  // on a phone the name is above its bar
  made.width = canvas.narrow ? 360 : 760;
  made.height = made.count * row + made.below + made.above;
  return made;
}

std::string bar_axes(const drawing& drawing, const bar_frame& frame) {
  auto text = fmt::format(
      "set key off\nset tics scale 0\nset border 0\nset yrange [{}:{}]\nset xrange [{}:{}]\n"
      "set tmargin at screen {:.4f}\nset bmargin at screen {:.4f}\nset rmargin 4\n"
      "set style fill solid 1 noborder\n",
      -0.5, frame.count - 0.5, frame.x.low, frame.x.high,
      1 - static_cast<double>(frame.above) / frame.height,
      static_cast<double>(frame.below) / frame.height);
  if (!drawing.logarithmic) return text + "unset xtics\n";
  return text + fmt::format(
                    "set logscale x 10\nset grid xtics lc rgb {} lw 0.6 lt 1\nset xtics {} tc "
                    "rgb {}\n",
                    hex(line), decades(drawing, frame.x), hex(quiet));
}

/// The data of the plots. `rows`, `lines`, `dots` and `labels` have at most one line per bar.
struct bar_data {
  std::string names;   // beside the bars
  std::string marks;   // commands: names above bars, medians
  std::string rows;    // bars and boxes
  std::string lines;   // from the 5th to the 95th percentile
  std::string dots;    // total times divided by the number of operations
  std::string labels;  // figures after the bars
};

void add_bar(bar_data& to, const drawing& drawing, const canvas& canvas, const bar_frame& frame,
             int i) {
  const auto& one = drawing.bars[static_cast<std::size_t>(i)];
  const double y = frame.count - 1 - i - (canvas.narrow ? 0.2 : 0);
  const double half = canvas.narrow ? 0.2 : 0.32;
  const auto row = [&](double at, double begin, double until) {
    to.rows += fmt::format("{} {} {} {} {} {} {}\n", at, y, begin, until, y - half, y + half,
                           bar_colour(one));
  };
  if (canvas.narrow) {
    to.marks += fmt::format("set label {} at graph 0, first {} left tc rgb {} front\n",
                            literal(one.name), y + 0.45, hex(ink));
  } else {
    to.names += fmt::format("{}{} {}", i == 0 ? "" : ", ", literal(one.name), y);
  }
  double end = one.value;
  if (one.per_operation) {
    const auto& each = *one.per_operation;
    row(each.p25, each.p25, each.p75);
    to.lines += fmt::format("{} {} {} {} {}\n", each.median, y, each.p5, each.p95, bar_colour(one));
    // The median, as a line across the box.
    to.marks +=
        fmt::format("set arrow from first {0},{1} to first {0},{2} nohead lw 2 lc rgb {3} front\n",
                    each.median, y - half, y + half, hex(ink));
    end = std::max(end, each.p95);
  }
  if (frame.boxes) {
    to.dots +=
        fmt::format("{} {} {}\n", one.value, y, one.per_operation ? ink.light : bar_colour(one));
  } else {
    row(one.value, frame.x.low, one.value);
  }
  to.labels += fmt::format("{} {} \"{}\"\n", end, y, value_text(drawing, one.value));
}

std::string bars_script(const drawing& drawing, const canvas& canvas) {
  const auto frame = bar_frame_of(drawing, canvas);
  bar_data data;
  for (int i = 0; i != frame.count; ++i) add_bar(data, drawing, canvas, frame, i);
  auto text = terminal(canvas, frame.width, frame.height) + heading(drawing, canvas) +
              bar_axes(drawing, frame) + data.marks;
  text += canvas.narrow ? "unset ytics\nset lmargin 1\n"
                        : fmt::format("set ytics ({}) tc rgb {}\n", data.names, hex(ink));
  std::string plots;
  const auto add = [&](const char* name, const std::string& lines, const std::string& plot_style) {
    if (lines.empty()) return;
    text += fmt::format("${} << END\n{}END\n", name, lines);
    plots += fmt::format("{}${} {}", plots.empty() ? "" : ", ", name, plot_style);
  };
  add("lines", data.lines, "using 1:2:3:4:5 with xerrorbars pt 0 lw 1.5 lc rgb variable");
  add("rows", data.rows, "using 1:2:3:4:5:6:7 with boxxyerror lc rgb variable");
  add("dots", data.dots, "using 1:2:3 with points pt 7 ps 1 lc rgb variable");
  add("labels", data.labels,
      fmt::format("using 1:2:3 with labels left offset 1,0 tc rgb {}", hex(quiet)));
  return "set bars 0\n" + text + "plot " + plots + '\n';
}

// --- SVG ---------------------------------------------------------------------------------------

void replace_all(std::string& text, std::string_view old_text, std::string_view new_text) {
  for (std::size_t at = 0; (at = text.find(old_text, at)) != std::string::npos;
       at += new_text.size()) {
    text.replace(at, old_text.size(), new_text);
  }
}

/// Removes every element with this name. gnuplot does not nest such elements.
void remove_elements(std::string& text, const std::string& element) {
  const auto end = "</" + element + '>';
  for (std::size_t at = 0; (at = text.find('<' + element, at)) != std::string::npos;) {
    const auto stop = text.find(end, at);
    if (stop == std::string::npos) return;
    text.erase(at, stop + end.size() - at);
  }
}

/// Removes gnuplot's titles, descriptions and filters from the SVG. Replaces each colour of the
/// palette by word(colour), and black, the colour of text, by `black`.
std::string clean_svg(std::string_view svg, std::string_view black,
                      const std::function<std::string(const colour&)>& word) {
  std::string text(svg.substr(std::min(svg.find("<svg"), svg.size())));
  for (const auto* element : {"title", "desc", "filter"}) remove_elements(text, element);
  for (const auto* drawn : {"black", "white"})
    replace_all(text, fmt::format("color=\"{}\"", drawn), "");
  for (const auto* start : {"fill='", "fill=\"", "stroke='", "stroke=\""})
    replace_all(text, fmt::format("{}black", start), fmt::format("{}{}", start, black));
  for (std::size_t at = 0; (at = text.find("rgb(", at)) != std::string::npos; ++at) {
    unsigned r = 0, g = 0, b = 0;
    if (std::sscanf(text.c_str() + at, "rgb(%u ,%u ,%u", &r, &g, &b) != 3) continue;
    const auto* found = std::ranges::find(palette::all, r << 16 | g << 8 | b, &colour::light);
    if (found == palette::all.end()) continue;
    text.replace(at, text.find(')', at) + 1 - at, word(*found));
  }
  return text;
}

/// Adds the title for readers who cannot see the picture.
void add_label(std::string& svg, std::string_view title) {
  replace_all(svg, "<svg ",
              fmt::format("<svg role=\"img\" aria-label=\"{}\" ", escape_html(title)));
}

}  // namespace

bool has_gnuplot() { return !on_windows && is_installed("gnuplot"); }

std::string gnuplot_script(const drawing& drawing, const canvas& canvas) {
  return drawing.curves.empty() ? bars_script(drawing, canvas) : curves_script(drawing, canvas);
}

std::string run_gnuplot(const std::string& script) {
  const scratch_folder folder(std::filesystem::temp_directory_path());
  auto out = leat::create(folder.path() / "script");
  out.write(script);
  out.close();
  const auto command =
      fmt::format("cd {} && gnuplot script >picture 2>said", shell_quoted(folder.path().string()));
  const bool failed = std::system(command.c_str()) != 0;
  std::error_code ignored;
  auto errors = leat::read_file(folder.path() / "said", ignored);
  if (failed) throw failure("gnuplot failed: " + errors);
  return leat::read_file(folder.path() / "picture");
}

std::string svg_for_page(std::string_view svg, std::string_view id, std::string_view title) {
  auto text = clean_svg(svg, "currentColor",
                        [](const colour& chosen) { return fmt::format("var({})", chosen.name); });
  replace_all(text, "font-family=\"sans-serif\"", "");
  for (const auto* start : {"id='", "id=\"", "href='#", "href=\"#"})
    replace_all(text, start, fmt::format("{}{}-", start, id));
  add_label(text, title);
  return text;
}

std::string standalone_svg(std::string_view svg, bool dark, std::string_view title) {
  const auto value = [&](const colour& chosen) {
    return fmt::format("#{:06X}", dark ? chosen.dark : chosen.light);
  };
  auto text = clean_svg(svg, value(ink), value);
  add_label(text, title);
  // Removes the trailing blanks of lines: git reports such blanks as errors.
  for (std::string before; before != text;) {
    before = text;
    for (const auto* end : {" \n", "\t\n"}) replace_all(text, end, "\n");
  }
  return text;
}

}  // namespace bench
