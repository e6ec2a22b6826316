// E4 on a simulated disk: stdio and leat over a device that models the disk's time.
// random_access.cpp calls simulated_read() and simulated_update().
#include "experiments/simulated_access.hpp"

#include <fmt/format.h>
#include <leat/leat.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <numeric>

#include "experiments/peers.hpp"
#include "experiments/random_findings.hpp"
#include "experiments/visits.hpp"
#include "reporting/text.hpp"

namespace bench {

namespace {

const char* name_of(leat::simulated_disk disk) {
  switch (disk) {
    case leat::simulated_disk::hdd:
      return "a hard disk of 7200 rpm";
    case leat::simulated_disk::ssd:
      return "a SATA SSD";
    case leat::simulated_disk::nvme:
      return "an NVMe SSD";
    case leat::simulated_disk::nfs:
      return "a network file system";
    case leat::simulated_disk::s3:
      return "an object store";
  }
  return "";
}

struct simulated_scene {
  bench::scene scene;
  leat::simulated_disk disk;
};

std::unique_ptr<leat::simulated_device> open_disk(const simulated_scene& simulated,
                                                  const run& this_run) {
  const auto path = this_run.folder / simulated.scene.file;
  return std::make_unique<leat::simulated_device>(
      leat::adopt(raw_file(path, access::update).release()), simulated.disk);
}

double seconds(const leat::device& device) {
  return std::chrono::duration<double>(device.now()).count();
}

constexpr std::size_t block_size = 4096;  // size of stdio's buffer, as on a real file system

void expect_one(std::size_t done) {
  if (done != 1) throw failure("fread or fwrite moved no integer");
}

/// Calls `visit` for each position. Unless `visit_seconds` is null, appends the seconds of each
/// call, by the disk's clock, to `*visit_seconds`.
template <class Visit>
void for_each_position(std::span<const std::uint32_t> positions, const leat::device& clock,
                       std::vector<double>* visit_seconds, Visit visit) {
  for (const std::uint32_t position : positions) {
    const double before = visit_seconds != nullptr ? seconds(clock) : 0;
    visit(position);
    if (visit_seconds != nullptr) visit_seconds->push_back(seconds(clock) - before);
  }
}

void visit_with_stdio(const simulated_scene& simulated, run& this_run, bool updates,
                      std::vector<double>* visit_seconds) {
  const auto disk = open_disk(simulated, this_run);
  c_file stream(open_c_stream(*disk, updates ? "rb+" : this_run.setting["mode"].text.c_str()),
                simulated.scene.file);
  std::setvbuf(stream.get(), nullptr, this_run.setting.has("buffer", "buffered") ? _IOFBF : _IONBF,
               block_size);
  const std::string& seeks = this_run.setting[updates ? "seeks" : "seek"].text;
  const auto size = static_cast<long>(integer_size);
  const auto seek_to = [&](std::uint32_t target, std::uint32_t current, bool absolute) {
    const long position = static_cast<long>(target) - (absolute ? 0 : static_cast<long>(current));
    std::fseek(stream.get(), position * size, absolute ? SEEK_SET : SEEK_CUR);
  };
  const bool absolute = seeks.starts_with("SET") || seeks == "SEEK_SET";
  const bool back_absolute = seeks.ends_with("SET");
  std::uint64_t sum = 0;
  std::uint32_t current = 0;
  for_each_position(simulated.scene.positions(this_run.setting), *disk, visit_seconds,
                    [&](std::uint32_t position) {
                      std::uint32_t value = 0;
                      seek_to(position, current, absolute);
                      expect_one(std::fread(&value, sizeof value, 1, stream.get()));
                      sum += value;
                      current = position + 1;
                      if (!updates) return;
                      ++value;
                      seek_to(position, current, back_absolute);
                      expect_one(std::fwrite(&value, sizeof value, 1, stream.get()));
                    });
  stream.close();
  this_run.answer = sum;
  this_run.reported_seconds = seconds(*disk);
}

using integers = leat::records<std::uint32_t>;

/// leat's records on a simulated disk, and the clock of the disk.
struct simulated_records {
  simulated_records(const simulated_scene& simulated, const run& this_run, leat::route route) {
    leat::records_options options;
    options.access.route = route;
    auto disk = open_disk(simulated, this_run);
    clock = disk.get();
    records = integers(leat::file(std::move(disk), leat::mode::update, options.access), options);
  }
  integers records;
  const leat::device* clock;
};

void visit_one_by_one(const simulated_scene& simulated, run& this_run, bool updates,
                      std::vector<double>* visit_seconds) {
  simulated_records opened(simulated, this_run, leat::route::automatic);
  std::uint64_t sum = 0;
  for_each_position(simulated.scene.positions(this_run.setting), *opened.clock, visit_seconds,
                    [&](std::uint32_t position) {
                      const std::uint32_t value = opened.records[position];
                      sum += value;
                      if (updates) opened.records.set(position, value + 1);
                    });
  this_run.answer = sum;
  this_run.reported_seconds = seconds(*opened.clock);
}

std::uint64_t gather(const integers& records, simulated_scene& simulated) {
  records.gather(simulated.scene.drawn_positions, std::span(simulated.scene.values));
  return std::accumulate(simulated.scene.values.begin(), simulated.scene.values.end(),
                         std::uint64_t{0});
}

void visit_with_leat(simulated_scene& simulated, run& this_run, bool updates, leat::route route) {
  simulated_records opened(simulated, this_run, route);
  if (updates) {
    std::uint64_t sum = 0;
    opened.records.update(simulated.scene.drawn_positions,
                          [&sum](std::uint32_t& value) { sum += value++; });
    this_run.answer = sum;
  } else {
    this_run.answer = gather(opened.records, simulated);
  }
  this_run.reported_seconds = seconds(*opened.clock);
}

std::vector<finding> findings(const simulated_scene& simulated, const outcome& result,
                              bool updates) {
  std::vector<finding> found{
      {fmt::format("The times come from a model of {}, without a cache between the disk and the "
                   "program; the published figures are CPU time on a machine that had the file in "
                   "memory.",
                   name_of(simulated.disk))}};
  if (on_windows)
    found.push_back({"Windows' stdio works on files only, and is not measured here."});
  const std::string name = name_of(simulated.disk);
  const auto drawn = best_of_stdio(result, {}, as_drawn);
  const auto sorted = best_of_stdio(result, {}, in_order);
  const auto leat = result.median(updates ? "leat update" : "leat gather");
  if (drawn && sorted) {
    const double ratio = *drawn / *sorted;
    found.push_back(
        check_claim(fmt::format("{}: stdio visits sorted positions {} as fast as unsorted ones",
                                name, times(ratio)),
                    "sorting first is worth its time", ratio >= 1.1));
    const double share =
        simulated.scene.sorting_seconds / (simulated.scene.sorting_seconds + *sorted);
    found.push_back(check_claim(
        fmt::format("{}: sorting the positions took {:.1f} ms of this machine, which is {} of "
                    "sorting and visiting",
                    name, simulated.scene.sorting_seconds * 1e3, percent(share)),
        "sorting is cheap", share < 0.1));
  }
  add_grid_findings(found, name, {}, result, updates);
  if (updates) add_cost_of_updates(found, name, {}, result);
  if (drawn && sorted && leat)
    found.push_back({fmt::format(
        "{} takes unsorted positions: {} as fast as stdio, {} as fast as stdio on sorted ones.",
        updates ? "leat update" : "leat gather", times(*drawn / *leat), times(*sorted / *leat))});
  return found;
}

using condition = std::function<bool(const setting&)>;

/// Returns a condition that is true if these factors, and no others, have values.
condition has_only(std::vector<std::string> factors) {
  return [factors = std::move(factors)](const setting& at) {
    return std::ranges::all_of(at.all(), [&](const auto& choice) {
      const bool named = std::ranges::find(factors, choice.first) != factors.end();
      return choice.second.is_default() != named;
    });
  };
}

/// Adds a variant that can be timed as a whole or per visit: `visit(run, seconds)`, where `seconds`
/// gets the seconds of each visit, or is null.
template <class Visit>
void add_visits(experiment& to, std::string name, role variant_role, condition applies,
                const Visit& visit) {
  to.variants.push_back({std::move(name), variant_role,
                         [visit](run& this_run) { visit(this_run, nullptr); }, std::move(applies),
                         [visit](run& this_run) {
                           std::vector<double> visit_seconds;
                           visit(this_run, &visit_seconds);
                           return visit_seconds;
                         }});
}

void add_single_visits(experiment& to, const std::shared_ptr<simulated_scene>& simulated,
                       bool updates) {
  if (!on_windows) {
    std::vector<std::string> all;
    all.reserve(to.factors.size());
    for (const auto& one : to.factors) all.push_back(one.name);
    add_visits(to, "stdio", role::baseline, has_only(all),
               [simulated, updates](run& this_run, std::vector<double>* visit_seconds) {
                 visit_with_stdio(*simulated, this_run, updates, visit_seconds);
               });
    if (updates) {
      to.variants.push_back({stdio_reads, role::floor,
                             [simulated](run& this_run) {
                               setting at;
                               at.set("order", this_run.setting["order"]);
                               for (const auto& [factor, chosen] : usual_stdio(false))
                                 at.set(factor, chosen);
                               run reading{at, this_run.folder, this_run.file};
                               visit_with_stdio(*simulated, reading, false, nullptr);
                               this_run.answer = simulated->scene.found_by_update(reading.answer);
                               this_run.reported_seconds = reading.reported_seconds;
                             },
                             has_only({"order"})});
    }
  }
  add_visits(to, updates ? "leat operator[], set" : "leat operator[]", role::leat,
             has_only({"order"}),
             [simulated, updates](run& this_run, std::vector<double>* visit_seconds) {
               visit_one_by_one(*simulated, this_run, updates, visit_seconds);
             });
}

experiment make_simulated(const request& wanted, leat::simulated_disk disk, bool updates) {
  auto simulated = std::make_shared<simulated_scene>();
  simulated->disk = disk;
  simulated->scene.file = "simulated";
  simulated->scene.integers = wanted.sized(1U << 30, 1U << 26, 1U << 16);
  simulated->scene.count = wanted.sized(100'000, 20'000, 200);
  experiment made;
  made.medium = medium::simulated;
  made.published_id = "E4";
  made.cached = "Nothing: the simulated disk has no cache, and its clock is its own.";
  made.charts = {{.title = "all positions", .logarithmic = true},
                 {.title = "each visit", .quantity = quantity::per_operation, .logarithmic = true}};
  made.factors = {{"order", {as_drawn, in_order, left_open}},
                  {"buffer", {{"buffered", {}}, {"unbuffered", {}}, left_open}}};
  if (updates) {
    made.factors.push_back(
        {"seeks", {{"SET, SET", {}}, {"CUR, CUR", {}}, {"SET, CUR", {}}, left_open}});
  } else {
    made.factors.push_back({"mode", {{"rb", {}}, {"rb+", {}}, left_open}});
    made.factors.push_back({"seek", {{"SEEK_SET", {}}, {"SEEK_CUR", {}}, left_open}});
  }
  made.space = simulated->scene.integers * sizeof(std::uint32_t);
  made.load = [simulated, updates](const setting&) {
    return load{
        fmt::format("{} positions in {} integers on {}, simulated", grouped(simulated->scene.count),
                    grouped(simulated->scene.integers), name_of(simulated->disk)),
        simulated->scene.count * sizeof(std::uint32_t), simulated->scene.count,
        updates ? "update" : "read"};
  };
  made.prepare = [simulated](const std::filesystem::path& folder) {
    simulated->scene.draw();
    make_integers(folder / simulated->scene.file, simulated->scene.integers, folios::large);
  };
  add_single_visits(made, simulated, updates);
  const std::string batch = updates ? "leat update" : "leat gather";
  for (const auto& [name, route] :
       {std::pair{"", leat::route::automatic}, std::pair{", merged", leat::route::merged},
        std::pair{", single", leat::route::single}, std::pair{", direct", leat::route::direct}}) {
    made.variants.push_back({batch + name, role::leat,
                             [simulated, updates, route](run& this_run) {
                               visit_with_leat(*simulated, this_run, updates, route);
                             },
                             has_only({})});
  }
  if (updates) {
    made.variants.push_back({leat_reads, role::floor,
                             [simulated](run& this_run) {
                               visit_with_leat(*simulated, this_run, false, leat::route::automatic);
                               this_run.answer = simulated->scene.found_by_update(this_run.answer);
                             },
                             has_only({})});
  }
  made.check = [simulated, updates](run& this_run) {
    const auto after = visit_by_pread(this_run.folder / simulated->scene.file,
                                      simulated->scene.sorted_positions, {});
    const auto expected = updates ? simulated->scene.found_by_update(after) : simulated->scene.sum;
    if (this_run.answer != expected) throw failure("found other values than the file has");
  };
  made.findings = [simulated, updates](const outcome& result) {
    return findings(*simulated, result, updates);
  };
  return made;
}

}  // namespace

experiment simulated_read(const request& wanted, leat::simulated_disk disk) {
  auto made = make_simulated(wanted, disk, false);
  made.name = "random-read";
  made.title = "integers at random positions, on a simulated disk";
  made.published =
      "mean ticks of CPU for a read on a hard disk: 80 to 108 as drawn, 20 to 30 sorted; by A. "
      "Lakshman, 2024.";
  return made;
}

experiment simulated_update(const request& wanted, leat::simulated_disk disk) {
  auto made = make_simulated(wanted, disk, true);
  made.name = "random-update";
  made.title = "integers at random positions, incremented, on a simulated disk";
  made.published =
      "mean ticks of CPU for an update on a hard disk, sorted: 33 to 44; by A. Lakshman, 2024.";
  return made;
}

}  // namespace bench
