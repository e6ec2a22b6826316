// `leat bench`: selects and runs experiments, and writes the reports. main.cpp calls
// bench_command().
#include "bench_command.hpp"

#include <fmt/format.h>
#include <leat/leat.hpp>

#include <algorithm>
#include <map>
#include <memory>

#include "command.hpp"
#include "measuring/interrupt.hpp"
#include "measuring/runner.hpp"
#include "measuring/scratch_folder.hpp"
#include "measuring/scratch_objects.hpp"
#include "reporting/compare.hpp"
#include "reporting/gnuplot.hpp"
#include "reporting/profile.hpp"
#include "reporting/report.hpp"
#include "reporting/submission.hpp"
#include "reporting/terminal.hpp"
#include "reporting/text.hpp"
#include "system/path_text.hpp"
#include "system/platform.hpp"
#include "system/system.hpp"

namespace bench {

namespace {

constexpr int exit_slower = 3;
constexpr auto no_gnuplot =
    on_windows ? "leat draws no charts on Windows"
               : "gnuplot, which draws the charts, is not installed (Debian: gnuplot-nox)";
constexpr double quick_budget = 15;  // seconds per experiment and folder
constexpr double published_budget = 120;

/// Returns the reason why an experiment cannot run on the chosen medium.
std::string wrong_medium_message(const experiment& rejected, medium chosen) {
  return chosen == medium::store
             ? fmt::format(
                   "'{}' measures files only; object storage has random-read, read-buffer, "
                   "search and lines",
                   rejected.name)
             : fmt::format(
                   "'{}' runs on a real disk only; --device is for random-read and "
                   "random-update",
                   rejected.name);
}

/// An experiment and the selected rows.
struct selection {
  bench::experiment experiment;
  std::string row;  // see keep_rows(); empty: all rows
};

/// Keeps the row whose first factor has the value `row`. If there is no such row, keeps the rows
/// whose value contains `row`. If no row is left, throws usage_error.
void keep_rows(experiment& reduced, const std::string& row) {
  if (row.empty()) return;
  if (reduced.factors.empty())
    throw usage_error(fmt::format("'{}' has no rows to choose", reduced.name));
  auto& values = reduced.factors.front().values;
  const bool is_exact = std::ranges::find(values, row, &value::text) != values.end();
  std::erase_if(values, [&](const value& one) {
    return is_exact ? one.text != row : one.text.find(row) == std::string::npos;
  });
  if (values.empty()) throw usage_error(fmt::format("'{}' has no row '{}'", reduced.name, row));
}

/// True if the experiment belongs to a group. Such an experiment runs only if the experiment or the
/// group is named.
bool is_in_group(const experiment& tested) { return tested.name.find('/') != std::string::npos; }

/// Returns the experiments that a word names. The word is the name of an experiment or of a group,
/// or an experiment's name, a slash and the rows' name (see keep_rows()). If there is no such
/// experiment or row, throws usage_error.
std::vector<selection> experiments_named(const std::vector<experiment>& all,
                                         const std::string& word) {
  std::vector<selection> found;
  for (const auto& one : all) {
    if (word == one.name || one.name.starts_with(word + '/')) found.push_back({one, ""});
    if (!word.starts_with(one.name + '/')) continue;
    found.push_back({one, word.substr(one.name.size() + 1)});
    keep_rows(found.back().experiment, found.back().row);
  }
  if (found.empty())
    throw usage_error(fmt::format("there is no experiment '{}'; see leat bench --list", word));
  return found;
}

std::vector<selection> selected_experiments(const bench_options& options) {
  const request wanted{.size = options.size, .disk = options.disk, .store = options.store};
  const auto all = experiments(wanted);
  const auto is_other_medium = [&](const experiment& one) {
    return wanted.medium() != medium::files && one.medium != wanted.medium();
  };
  std::vector<selection> selections;
  if (options.experiments.empty()) {
    for (const auto& one : all)
      if (!is_other_medium(one) && (options.list || !is_in_group(one)))
        selections.push_back({one, ""});
    return selections;
  }
  for (const auto& word : options.experiments) {
    for (auto& one : experiments_named(all, word)) {
      if (is_other_medium(one.experiment))
        throw usage_error(wrong_medium_message(one.experiment, wanted.medium()));
      const bool is_duplicate = std::ranges::any_of(selections, [&](const selection& other) {
        return other.experiment.name == one.experiment.name && other.row == one.row;
      });
      if (!is_duplicate) selections.push_back(std::move(one));
    }
  }
  return selections;
}

/// A folder for an experiment's files, or an address for its objects.
class scratch_location {
 public:
  explicit scratch_location(const std::string& dir)
      : folder_(path_from_utf8(dir)),
        name_(utf8_from_path(std::filesystem::canonical(path_from_utf8(dir)))) {
    volume_ = volume_of(path_from_utf8(name_));
  }
#if defined(LEAT_REMOTE)
  struct store_address {
    std::string prefix;
  };
  explicit scratch_location(const store_address& store)
      : objects_(std::make_unique<scratch_objects>(store.prefix)), name_(store.prefix) {
    volume_ = volume_of_store();
  }
#endif

  /// Returns the selected experiment, made again for this folder's free space or this store's
  /// address.
  experiment make_experiment(const selection& chosen, const bench_options& options) const {
    request wanted{.size = options.size, .disk = options.disk};
    if (folder_) wanted.free_space = folder_->free_space();
#if defined(LEAT_REMOTE)
    if (objects_) wanted.store = objects_->address();
#endif
    auto all = experiments(wanted);
    auto made = *std::ranges::find(all, chosen.experiment.name, &experiment::name);
    keep_rows(made, chosen.row);
    return made;
  }
  /// Returns the folder; an empty path for a store.
  std::filesystem::path path() const { return folder_ ? folder_->path() : ""; }
  const std::string& name() const { return name_; }
  const bench::volume& volume() const { return volume_; }

  /// Removes all files or objects that an experiment has made.
  void clear() noexcept {
    if (folder_) folder_->clear();
#if defined(LEAT_REMOTE)
    if (objects_) objects_->clear();
#endif
  }

 private:
  std::optional<scratch_folder> folder_;
#if defined(LEAT_REMOTE)
  std::unique_ptr<scratch_objects> objects_;
#endif
  std::string name_;
  bench::volume volume_;
};

void list_experiments(const std::vector<selection>& selections) {
  std::string ungrouped, in_groups;
  for (const auto& [one, row] : selections) {
    (is_in_group(one) ? in_groups : ungrouped) += fmt::format("{:<20}{}\n", one.name, one.title);
  }
  if (!in_groups.empty() && !ungrouped.empty())
    in_groups = "\nOnly if named, as loops, loops/print or loops/print/csv:\n" + in_groups;
  show(ungrouped + in_groups);
}

/// Measures how many cores other programs have kept busy since this object was made.
class busy_core_meter {
 public:
  explicit busy_core_meter(const clocks& time) : time_(time) {}
  double busy() const {
    const double all = busy_seconds() - busy_, own = time_.cpu() - own_;
    return std::max(0.0, (all - own) / (time_.wall() - wall_));
  }

 private:
  const clocks& time_;
  double wall_ = time_.wall(), own_ = time_.cpu(), busy_ = busy_seconds();
};

/// Draws a chart as SVG for a page. `number` makes the ids in the SVG unique.
std::string draw_svg(const drawing& chart, bool narrow, int number) {
  return svg_for_page(run_gnuplot(gnuplot_script(chart, {.narrow = narrow})),
                      fmt::format("c{}", number), chart.title);
}

/// Writes the page. If gnuplot is missing or fails, the page has no charts. After a failure of
/// gnuplot, writes the page first, and then throws the failure.
void write_html(const std::string& path, const session& all) {
  if (!has_gnuplot()) {
    write_file(path, html_report(all, nullptr, no_gnuplot));
    return;
  }
  int number = 0;
  try {
    write_file(path, html_report(all, [&](const drawing& chart, bool narrow) {
                 return draw_svg(chart, narrow, ++number);
               }));
  } catch (const failure& error) {
    write_file(path, html_report(all, nullptr, error.what()));
    throw;
  }
}

/// Draws each chart that has figures to a folder. `write` gets the path of the file without
/// suffix, such as DIR/print-1.
void write_charts(const std::string& folder, const session& all,
                  void (*write)(const std::string& path, const drawing&)) {
  std::map<std::string, int> numbers;
  for (const auto& one : all.records) {
    for (const auto& chart : one.charts) {
      const auto made = make_drawing(chart, one.result);
      if (!made) continue;
      const auto name = fmt::format("{}-{}", one.experiment, ++numbers[one.experiment]);
      write(utf8_from_path(path_from_utf8(folder) / name), *made);
    }
  }
}

void write_png(const std::string& path, const drawing& chart) {
  write_file(path + ".png", run_gnuplot(gnuplot_script(chart, {.format = picture::png})));
}

void write_svg(const std::string& path, const drawing& chart) {
  const auto svg = run_gnuplot(gnuplot_script(chart, {.format = picture::svg}));
  write_file(path + ".svg", standalone_svg(svg, false, chart.title));
  write_file(path + "-dark.svg", standalone_svg(svg, true, chart.title));
}

/// If the option is given, creates the option's folder. Throws if the folder cannot be created
/// or written, or if gnuplot is missing. Called before a run, so that no run is lost.
void prepare_chart_folder(const char* option, const std::string& folder) {
  if (folder.empty()) return;
  if (!has_gnuplot()) throw failure(fmt::format("{}: {}", option, no_gnuplot));
  std::error_code error;
  std::filesystem::create_directories(path_from_utf8(folder), error);
  if (error) fail("create", path_from_utf8(folder), error);
  require_writable({utf8_from_path(path_from_utf8(folder) / "picture")});
}

int compare_command(const std::vector<std::string>& files) {
  const auto read = [](const std::string& path) {
    return parse_report(leat::read_file(path), path);
  };
  const auto made = compare(read(files.at(0)), read(files.at(1)));
  show(comparison_text(made, standard_page()));
  return made.count(change::slower) == 0 ? 0 : exit_slower;
}

/// Runs the experiments in each folder or store, shows their tables, and returns the results.
session measure(const bench_options& options, const std::vector<selection>& selections,
                std::vector<scratch_location>& locations) {
  const bool quick = options.size == size::quick;
  progress_line line;
  run_options runner_options;
  runner_options.budget = quick ? quick_budget : published_budget;
  runner_options.rounds = options.rounds;
  runner_options.is_stopped = is_interrupted;
  std::size_t number = 0;  // number of the running experiment
  runner_options.report = [&](const progress& now) {
    line.show(now, fmt::format("{}/{}", number, selections.size()));
  };

  session all = new_session(options.command, options.disk, options.store);
  all.size = quick ? "quick" : "published";
  all.seed = runner_options.seed;
  const auto page = standard_page();
  show(heading(all, page));
  for (const auto& any : selections) {
    ++number;
    for (std::size_t i = 0; i < locations.size() && all.complete; ++i) {
      auto& location = locations[i];
      const auto one = location.make_experiment(any, options);
      const busy_core_meter others(runner_options.clocks);
      auto now = record_of(one, location.name(), location.volume(),
                           run_experiment(one, location.path(), runner_options));
      now.busy_cores = others.busy();
      location.clear();
      line.clear();
      show(record_text(now, page));
      if (options.profile && now.result.complete) {
        show(profile_variants(one, "--size " + all.size, location.path(), page));
        location.clear();
      }
      all.complete = now.result.complete;
      all.records.push_back(std::move(now));
    }
  }
  return all;
}

}  // namespace

int bench_command(const bench_options& options) {
  if (!options.compare.empty()) return compare_command(options.compare);
  const auto selections = selected_experiments(options);
  if (options.list) {
    list_experiments(selections);
    return 0;
  }
  if (!options.store.empty() && options.profile)
    throw usage_error("--profile works with files only: it runs each variant alone");
  if (!options.store.empty() && options.dirs != bench_options().dirs)
    throw usage_error("--dir is for files; --device has the address of the objects");
  if (!options.submit.empty() && (!options.store.empty() || options.disk))
    throw usage_error("--submit works with the disks of this machine only");
  ignore_broken_output();
  require_writable({options.json, options.submit, options.html});
  prepare_chart_folder("--png", options.png);
  prepare_chart_folder("--svg", options.svg);
  catch_interrupts();
  std::vector<scratch_location> locations;
  locations.reserve(options.dirs.size());
#if defined(LEAT_REMOTE)
  if (!options.store.empty())
    locations.emplace_back(scratch_location::store_address{options.store});
#endif
  if (options.store.empty())
    for (const auto& dir : options.dirs) locations.emplace_back(dir);

  if (!options.only.empty()) {
    run_variant(selections.front().experiment, options.only, locations.front().path(),
                options.rounds);
    return 0;
  }
  const auto all = measure(options, selections, locations);
  if (!options.json.empty()) write_file(options.json, json_report(all));
  if (!options.html.empty()) write_html(options.html, all);
  if (!options.png.empty()) write_charts(options.png, all, write_png);
  if (!options.svg.empty()) write_charts(options.svg, all, write_svg);
  // The submission comes last, because submission() may throw. An incomplete run is not submitted:
  // its figures would mislead.
  if (!options.submit.empty() && all.complete)
    write_file(options.submit, submission(all, private_names()));
  return all.complete ? 0 : exit_interrupted;
}

}  // namespace bench
