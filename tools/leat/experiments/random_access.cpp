// `leat bench random-read` and `random-update` (E4): reads or increments integers at random
// positions of a large file. How much do sorting, the buffer and the kind of seek matter? Variants
// that the publication did not have: positional reads, mappings, queues of requests (io_uring), and
// batches.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "experiments/peers.hpp"
#include "experiments/random_findings.hpp"
#include "experiments/random_scenes.hpp"
#include "experiments/random_variants.hpp"
#include "experiments/simulated_access.hpp"
#include "experiments/visits.hpp"
#include "measuring/statistics.hpp"
#include "reporting/text.hpp"
#include "system/machine.hpp"
#include "system/raw_file.hpp"

namespace bench::experiment_random_access {

namespace {

/// Returns for each scene a chart of the usual variants and of batches, and, if the scene has the
/// published grid, a chart of the grid. The scene "on the disk" comes first.
std::vector<chart> charts_of(const scenes& all_scenes, bool updates) {
  const auto is_usual = [updates](const measurement& one) {
    return std::ranges::all_of(usual_stdio(updates), [&](const auto& usual) {
      const auto& chosen = one.setting[usual.first];
      return usual.first == "buffer" || chosen.is_default() || chosen == usual.second;
    });
  };
  std::vector<chart> all;
  for (const auto& this_scene : all_scenes.all) {
    all.push_back({.title = this_scene.name,
                   .where = {{"scene", {this_scene.name, {}}}},
                   .quantity = quantity::per_operation,
                   .logarithmic = true,
                   .includes = is_usual});
    if (!this_scene.has_grid(updates)) continue;
    all.push_back({.title = this_scene.name + ": the ways of stdio",
                   .where = {{"scene", {this_scene.name, {}}}},
                   .quantity = quantity::per_operation,
                   .logarithmic = true,
                   .includes = [](const measurement& one) { return one.variant == "stdio"; }});
  }
  std::ranges::rotate(all, std::ranges::find(all, "on the disk", &chart::title));
  return all;
}

headline headline_of(bool updates) {
  const choices disk{{"scene", {"on the disk", {}}}};
  headline one{.work = updates ? "integers on the disk updated, by stdio in sorted order"
                               : "integers read from the disk, by stdio in sorted order",
               .ours = updates ? "leat update" : "leat gather",
               .ours_at = disk,
               .theirs = "stdio",
               .theirs_at = usual_stdio(updates)};
  one.theirs_at.push_back(disk.front());
  one.theirs_at.emplace_back("order", in_order);
  return one;
}

/// Compares leat's batch with the fastest variant of the others. The time of a variant that visits
/// sorted positions includes the sorting. A time is level if it is at most 5 % longer than the time
/// of this variant. If the time of leat's batch is not level, and the time of a forced route of
/// leat is level, the finding names the route. `ending` selects the rows: with_fdatasync selects
/// the rows that sync, and an empty text selects the other rows.
void add_best_finding(std::vector<finding>& to, const scene& this_scene, const outcome& result,
                      const std::string& batch, std::string_view ending) {
  constexpr double level_ratio = 1.05;
  const auto leat = result.median(batch + std::string(ending), {{"scene", {this_scene.name, {}}}});
  const measurement *best = nullptr, *route = nullptr;
  double least_time = 0, route_time = 0;
  const auto keep_faster = [](const measurement& one, double time, const measurement*& fastest,
                              double& least) {
    if (fastest == nullptr || time < least) fastest = &one, least = time;
  };
  for (const auto& one : result.measurements) {
    const std::string_view name = one.variant;
    if (one.setting["scene"].text != this_scene.name || !can_win(one.role) ||
        name.ends_with(with_fdatasync) == ending.empty())
      continue;
    const double time = summarize(one.wall).median;
    if (one.role != role::leat)
      keep_faster(one, time + (one.setting["order"] == in_order ? this_scene.sorting_seconds : 0),
                  best, least_time);
    else if (name.starts_with(batch + ", ") && ending.empty())
      keep_faster(one, time, route, route_time);
  }
  if (!leat || best == nullptr) return;
  const auto is_level = [&](double time) { return time <= least_time * level_ratio; };
  const auto ns = [&](double time) {
    return digits(time * 1e9 / static_cast<double>(this_scene.count));
  };
  std::string others;
  if (!is_level(*leat) && route != nullptr)
    others = is_level(route_time)
                 ? fmt::format("; {} takes {}", result.row_name(*route), ns(route_time))
                 : "; each measured route of leat takes more than 5 % longer";
  to.push_back(check_claim(
      fmt::format(
          "{}: {}{} takes {} ns for each position; the best of the others, {}, takes {}{}{}",
          this_scene.name, batch, ending, ns(*leat), result.row_name(*best), ns(least_time),
          best->setting["order"] == in_order ? " with its sorting" : "", others),
      "leat takes at most 5 % longer than the best", is_level(*leat)));
}

void add_findings(std::vector<finding>& to, const scene& this_scene, const outcome& result,
                  bool updates) {
  const choices scene_rows{{"scene", {this_scene.name, {}}}};
  const auto drawn = best_of_stdio(result, scene_rows, as_drawn);
  const auto sorted = best_of_stdio(result, scene_rows, in_order);
  if (drawn && sorted) {
    const double ratio = *drawn / *sorted;
    to.push_back(
        check_claim(fmt::format("{}: stdio visits sorted positions {} as fast as unsorted ones",
                                this_scene.name, times(ratio)),
                    "sorting first is worth its time", ratio >= 1.1));
    const double share = this_scene.sorting_seconds / (this_scene.sorting_seconds + *sorted);
    to.push_back(
        check_claim(fmt::format("{}: sorting the positions took {:.1f} ms, which is {} of sorting "
                                "and visiting",
                                this_scene.name, this_scene.sorting_seconds * 1e3, percent(share)),
                    "sorting is cheap", share < 0.1));
  }
  if (this_scene.has_grid(updates))
    add_grid_findings(to, this_scene.name, scene_rows, result, updates);
  if (updates) add_cost_of_updates(to, this_scene.name, scene_rows, result);
  const auto* const batch = updates ? "leat update" : "leat gather";
  const auto leat = result.median(batch, scene_rows);
  if (leat && sorted) {
    to.push_back({fmt::format(
        "{}: {} takes unsorted positions and is {}{} as fast as the best of stdio on sorted ones.",
        this_scene.name, batch, drawn ? times(*drawn / *leat) + " as fast as stdio, " : "",
        times(*sorted / *leat))});
  }
  add_best_finding(to, this_scene, result, batch, "");
  if (updates) add_best_finding(to, this_scene, result, batch, with_fdatasync);
}

std::vector<finding> findings(const scenes& all_scenes, const outcome& result, bool updates) {
  std::vector<finding> found;
  if (!all_scenes.shortage.empty()) found.push_back({all_scenes.shortage});
  if (!all_scenes.can_be_cold) found.push_back({nothing_was_cold});
  for (const auto& this_scene : all_scenes.all) add_findings(found, this_scene, result, updates);
  return found;
}

experiment shared_parts(const std::shared_ptr<scenes>& all_scenes, bool updates) {
  experiment made;
  std::vector<value> states;
  for (const auto& one : all_scenes->all) states.push_back({one.name, {}});
  made.factors = {{"scene", states, layout::table}, {"order", {as_drawn, in_order, left_open}}};
  made.space = space_of(*all_scenes);
  made.load = [all_scenes, updates](const setting& at) {
    const auto& this_scene = all_scenes->at(at);
    return load{fmt::format("{} positions in {} integers, {}", grouped(this_scene.count),
                            grouped(this_scene.integers), this_scene.name),
                (updates ? 2 : 1) * integer_size * this_scene.count, this_scene.count,
                updates ? "update" : "read"};
  };
  made.prepare = [all_scenes](const std::filesystem::path& folder) {
    prepare(*all_scenes, folder);
  };
  made.before = [all_scenes, updates](run& this_run) {
    const auto& this_scene = all_scenes->at(this_run.setting);
    const auto path = path_of(this_scene, this_run);
    // A variant must not wait for writes of the previous variant, and must not find pages that are
    // already dirty.
    if (updates) raw_file(path, access::update).sync();
    if (this_scene.cold) drop_from_cache(path);
    if (updates && this_run.is_warm_up)
      all_scenes->bytes_written_before = bytes_written_by_disk(path);
  };
  made.after = [all_scenes, updates](run& this_run) {
    if (!updates || !this_run.is_warm_up || !all_scenes->bytes_written_before) return;
    const auto path = path_of(all_scenes->at(this_run.setting), this_run);
    raw_file(path, access::update).sync_data();
    this_run.bytes_written = *bytes_written_by_disk(path) - *all_scenes->bytes_written_before;
  };
  made.findings = [all_scenes, updates](const outcome& result) {
    return findings(*all_scenes, result, updates);
  };
  made.published_id = "E4";
  made.cached =
      "In the cache: the file was written just before, and nothing evicts the file. On the disk: "
      "the "
      "file is dropped from the page cache before each repetition, but not from the disk's cache.";
  made.charts = charts_of(*all_scenes, updates);
  made.headline = headline_of(updates);
  return made;
}

experiment make_random_read(const request& wanted) {
  if (wanted.disk) return simulated_read(wanted, *wanted.disk);
  auto all_scenes = make_scenes(wanted);
  auto made = shared_parts(all_scenes, false);
  made.name = "random-read";
  made.title = "integers at random positions";
  made.published =
      "mean ticks of CPU for a read: SSD 8.2 to 10.6 in any order, hard disk 80 to 108 as drawn, "
      "20 to "
      "30 sorted; by A. Lakshman, 2024.";
  made.published_tables = {{"A. Lakshman, 2024, mean ticks of CPU for a read",
                            {"drive, order, buffer", "rb, SET", "rb, CUR", "rb+, SET", "rb+, CUR"},
                            {{"SSD, as drawn, buffered", "9.15", "8.61", "9.22", "9.16"},
                             {"SSD, as drawn, unbuffered", "8.53", "10.55", "8.16", "8.39"},
                             {"SSD, sorted, buffered", "8.75", "8.91", "9.47", "9.13"},
                             {"SSD, sorted, unbuffered", "8.77", "8.49", "8.39", "8.65"},
                             {"HDD, as drawn, buffered", "83.17", "95.34", "107.93", "105.47"},
                             {"HDD, as drawn, unbuffered", "87.15", "87.87", "80.47", "86.16"},
                             {"HDD, sorted, buffered", "28.58", "30.47", "22.17", "22.33"},
                             {"HDD, sorted, unbuffered", "28.40", "27.45", "20.34", "21.00"}}}};
  made.factors.push_back({"mode", {{"rb", {}}, {"rb+", {}}, left_open}});
  made.factors.push_back({"buffer", {{"buffered", {}}, {"unbuffered", {}}, left_open}});
  made.factors.push_back({"seek", {{"SEEK_SET", {}}, {"SEEK_CUR", {}}, left_open}});
  made.check = [all_scenes](run& this_run) {
    if (this_run.answer != all_scenes->at(this_run.setting).sum)
      throw failure("read other bytes than the file has");
  };
  add_reads(made, all_scenes);
  return made;
}

experiment make_random_update(const request& wanted) {
  if (wanted.disk) return simulated_update(wanted, *wanted.disk);
  auto all_scenes = make_scenes(wanted);
  auto made = shared_parts(all_scenes, true);
  made.name = "random-update";
  made.title = "integers at random positions, read, incremented and written back";
  made.published =
      "mean ticks of CPU for an update: SSD 79 to 95 as drawn, 9.5 to 18.6 sorted; hard disk "
      "sorted 33 "
      "to 44; by A. Lakshman, 2024.";
  made.published_tables = {{"A. Lakshman, 2024, mean ticks of CPU for an update",
                            {"drive, order, buffer", "SET, SET", "SET, CUR", "CUR, CUR"},
                            {{"SSD, as drawn, buffered", "95.21", "92.48", "81.08"},
                             {"SSD, as drawn, unbuffered", "93.62", "79.33", "80.24"},
                             {"SSD, sorted, buffered", "18.60", "16.11", "16.60"},
                             {"SSD, sorted, unbuffered", "12.59", "11.76", "9.52"},
                             {"HDD, sorted, buffered", "33.01", "40.26", "44.22"},
                             {"HDD, sorted, unbuffered", "34.44", "40.87", "35.41"}}}};
  made.factors.push_back({"buffer", {{"buffered", {}}, {"unbuffered", {}}, left_open}});
  made.factors.push_back(
      {"seeks", {{"SET, SET", {}}, {"CUR, CUR", {}}, {"SET, CUR", {}}, left_open}});
  made.check = [all_scenes](run& this_run) {
    const auto& this_scene = all_scenes->at(this_run.setting);
    const auto after =
        visit_by_pread(path_of(this_scene, this_run), this_scene.sorted_positions, {});
    if (this_run.answer != this_scene.found_by_update(after))
      throw failure("an update was lost, or made twice");
  };
  add_updates(made, all_scenes);
  return made;
}

const registration random_read(4, make_random_read);
const registration random_update(5, make_random_update);

}  // namespace

}  // namespace bench::experiment_random_access
