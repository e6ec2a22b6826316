// The width of the terminal, and the progress line of bench and tune.
#include "reporting/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "system/system.hpp"

namespace bench {

namespace {

constexpr double seconds_between_updates = 0.2;

}  // namespace

page standard_page() {
  constexpr int narrowest = 40;
  const bool terminal = is_terminal(output::standard);
  page result;
  const char* columns = std::getenv("COLUMNS");
  if (columns && std::atoi(columns) > 0) {
    result.width = std::atoi(columns);
  } else if (const int width = terminal_width(); width > 0) {
    result.width = width;
  }
  result.width = std::max(result.width, narrowest);
  const char* no_colour = std::getenv("NO_COLOR");
  result.colour = terminal && !(no_colour && *no_colour);
  return result;
}

progress_line::progress_line() : is_terminal_(is_terminal(output::error)) {}

void progress_line::show(const progress& now, std::string_view count) {
  if (!is_terminal_) return;
  const double time = real_clocks().wall();
  if (is_shown_ && time - last_ < seconds_between_updates) return;
  last_ = time;
  is_shown_ = true;
  const auto done = now.round == 0 ? std::string("warming up")
                                   : fmt::format("round {} of {}, {:.0f} s left", now.round,
                                                 now.rounds, std::max(now.seconds_left, 0.0));
  const auto text = fmt::format("{}{}: {}", count.empty() ? "" : fmt::format("[{}] ", count),
                                now.experiment, done);
  fmt::print(stderr, "\r{}\033[K", text);
  std::fflush(stderr);
}

void progress_line::clear() {
  if (!is_shown_) return;
  is_shown_ = false;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace bench
