#include "bench_command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "command.hpp"
#include "interrupt.hpp"
#include "profile.hpp"
#include "report.hpp"
#include "runner.hpp"
#include "scratch_folder.hpp"
#include "terminal.hpp"

namespace bench {

namespace {

constexpr double quick_budget = 25;  // seconds for each experiment and folder
constexpr double published_budget = 120;

std::vector<experiment> chosen(const bench_options& options) {
  auto all = experiments({options.how_much, options.disk});
  const auto is_real = [&](const experiment& one) { return options.disk && !one.simulates; };
  if (options.experiments.empty()) {
    std::erase_if(all, is_real);
    return all;
  }
  std::vector<experiment> some;
  for (const auto& name : options.experiments) {
    const auto found = std::ranges::find(all, name, &experiment::name);
    if (found == all.end()) {
      throw usage_error(fmt::format("there is no experiment '{}'; see leat bench --list", name));
    }
    if (is_real(*found)) {
      throw usage_error(
          fmt::format("'{}' runs on a real disk only; --device is for random-read and "
                      "random-update",
                      name));
    }
    if (std::ranges::find(some, name, &experiment::name) == some.end()) some.push_back(*found);
  }
  return some;
}

/// The same experiment, made for the space that there is in a folder.
experiment fitted(const experiment& what, const bench_options& options,
                  const scratch_folder& folder) {
  auto all = experiments({options.how_much, options.disk, folder.space()});
  return *std::ranges::find(all, what.name, &experiment::name);
}

void list(const std::vector<experiment>& some) {
  std::string text;
  for (const auto& one : some) text += fmt::format("{:<14}{}\n", one.name, one.title);
  show(text);
}

}  // namespace

int bench_command(const bench_options& options) {
  const auto some = chosen(options);
  if (options.list) {
    list(some);
    return 0;
  }
  ignore_broken_output();
  if (!options.json.empty()) require_writable(options.json);
  catch_interrupts();
  std::vector<scratch_folder> folders;
  folders.reserve(options.dirs.size());
  for (const auto& dir : options.dirs) folders.emplace_back(dir);

  if (!options.only.empty()) {
    run_variant(some.front(), options.only, folders.front().path());
    return 0;
  }

  const bool quick = options.how_much == size::quick;
  progress_line line;
  run_options how;
  how.budget = quick ? quick_budget : published_budget;
  how.rounds = options.rounds;
  how.stopped = is_interrupted;
  how.report = [&](const progress& now) { line.show(now); };

  session all = new_session(options.command);
  all.size = quick ? "quick" : "published";
  all.seed = how.seed;
  const auto on = standard_page();
  show(heading(all, on));
  for (const auto& any : some) {
    for (std::size_t i = 0; i < folders.size() && all.complete; ++i) {
      auto& folder = folders[i];
      const auto one = fitted(any, options, folder);
      const auto dir = std::filesystem::canonical(options.dirs[i]).string();
      record now{one.name, dir, file_system_of(dir), run_experiment(one, folder.path(), how)};
      folder.clear();
      line.clear();
      show(tables(one, now, on));
      if (options.profile && now.result.complete) {
        show(profiles(one, quick ? "--size quick" : "--size published", folder.path(), on));
        folder.clear();
      }
      all.complete = now.result.complete;
      all.records.push_back(std::move(now));
    }
  }
  if (!options.json.empty()) write_file(options.json, json_report(all));
  return all.complete ? 0 : exit_interrupted;
}

}  // namespace bench
