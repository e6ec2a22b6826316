// E4 on a simulated disk: stdio and leat over a device that models the disk's time.
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

struct stage {
  scene where;
  leat::simulated_disk disk;
};

std::unique_ptr<leat::simulated_device> open_disk(const stage& of, const run& now) {
  const auto path = now.folder / of.where.file;
  return std::make_unique<leat::simulated_device>(
      leat::adopt(raw_file(path, access::update).release()), of.disk);
}

double seconds(const leat::device& of) { return std::chrono::duration<double>(of.now()).count(); }

constexpr std::size_t block_size = 4096;  // size of stdio's buffer, as on a real file system

void expect_one(std::size_t done) {
  if (done != 1) throw failure("a record could not be read or written");
}

/// Calls `visit` for each position. Unless `each` is null, appends to `each` the seconds of each
/// call, by the disk's clock.
template <class Visit>
void for_each_position(std::span<const std::uint32_t> positions, const leat::device& clock,
                       std::vector<double>* each, Visit visit) {
  for (const std::uint32_t position : positions) {
    const double before = each != nullptr ? seconds(clock) : 0;
    visit(position);
    if (each != nullptr) each->push_back(seconds(clock) - before);
  }
}

void visit_with_stdio(const stage& of, run& now, bool updates, std::vector<double>* each) {
  const auto disk = open_disk(of, now);
  c_file with(open_c_stream(*disk, updates ? "rb+" : now.setting["mode"].text.c_str()),
              of.where.file);
  std::setvbuf(with.get(), nullptr, now.setting.has("buffer", "buffered") ? _IOFBF : _IONBF,
               block_size);
  const std::string& seeks = now.setting[updates ? "seeks" : "seek"].text;
  const auto size = static_cast<long>(integer_size);
  const auto go = [&](std::uint32_t to, std::uint32_t from, bool absolute) {
    const long position = static_cast<long>(to) - (absolute ? 0 : static_cast<long>(from));
    std::fseek(with.get(), position * size, absolute ? SEEK_SET : SEEK_CUR);
  };
  const bool absolute = seeks.starts_with("SET") || seeks == "SEEK_SET";
  const bool back_absolute = seeks.ends_with("SET");
  std::uint64_t sum = 0;
  std::uint32_t from = 0;
  for_each_position(of.where.positions(now.setting), *disk, each, [&](std::uint32_t position) {
    std::uint32_t value = 0;
    go(position, from, absolute);
    expect_one(std::fread(&value, sizeof value, 1, with.get()));
    sum += value;
    from = position + 1;
    if (!updates) return;
    ++value;
    go(position, from, back_absolute);
    expect_one(std::fwrite(&value, sizeof value, 1, with.get()));
  });
  with.close();
  now.answer = sum;
  now.reported_seconds = seconds(*disk);
}

using integers = leat::records<std::uint32_t>;

/// leat's records on a simulated disk, and the clock of the disk.
struct simulated_records {
  simulated_records(const stage& of, const run& now, leat::route way) {
    leat::records_options how;
    how.access.route = way;
    auto disk = open_disk(of, now);
    clock = disk.get();
    on = integers(leat::file(std::move(disk), leat::mode::update, how.access), how);
  }
  integers on;
  const leat::device* clock;
};

void visit_one_by_one(const stage& of, run& now, bool updates, std::vector<double>* each) {
  simulated_records with(of, now, leat::route::automatic);
  std::uint64_t sum = 0;
  for_each_position(of.where.positions(now.setting), *with.clock, each,
                    [&](std::uint32_t position) {
                      const std::uint32_t value = with.on[position];
                      sum += value;
                      if (updates) with.on.set(position, value + 1);
                    });
  now.answer = sum;
  now.reported_seconds = seconds(*with.clock);
}

std::uint64_t gathered(const integers& from, stage& of) {
  from.gather(of.where.drawn, std::span(of.where.values));
  return std::accumulate(of.where.values.begin(), of.where.values.end(), std::uint64_t{0});
}

void visit_with_leat(stage& of, run& now, bool updates, leat::route way) {
  simulated_records with(of, now, way);
  if (updates) {
    std::uint64_t sum = 0;
    with.on.update(of.where.drawn, [&sum](std::uint32_t& value) { sum += value++; });
    now.answer = sum;
  } else {
    now.answer = gathered(with.on, of);
  }
  now.reported_seconds = seconds(*with.clock);
}

std::vector<finding> findings(const stage& of, const outcome& result, bool updates) {
  std::vector<finding> found{
      {fmt::format("The times come from a model of {}, without a cache between the disk and the "
                   "program; the published figures are CPU time on a machine that had the file in "
                   "memory.",
                   name_of(of.disk))}};
  if (on_windows)
    found.push_back({"Windows' stdio works on files only, and is not measured here."});
  const std::string name = name_of(of.disk);
  const auto drawn = best_of_stdio(result, {}, as_drawn);
  const auto sorted = best_of_stdio(result, {}, in_order);
  const auto leat = result.median(updates ? "leat update" : "leat gather");
  if (drawn && sorted) {
    const double ratio = *drawn / *sorted;
    found.push_back(
        check_claim(fmt::format("{}: stdio visits sorted positions {} as fast", name, times(ratio)),
                    "sorting first is worth its time", ratio >= 1.1));
    const double share = of.where.sorting / (of.where.sorting + *sorted);
    found.push_back(check_claim(
        fmt::format("{}: sorting the positions took {:.1f} ms of this machine, which is {} of "
                    "sorting and visiting",
                    name, of.where.sorting * 1e3, percent(share)),
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

/// Adds a variant that can be timed as a whole or per visit: `visit(run, times)`, where `times`
/// gets the seconds of each visit, or is null.
template <class Visit>
void add_visits(experiment& to, std::string name, role variant_role, condition applies,
                const Visit& visit) {
  to.variants.push_back({std::move(name), variant_role, [visit](run& now) { visit(now, nullptr); },
                         std::move(applies),
                         [visit](run& now) {
                           std::vector<double> each;
                           visit(now, &each);
                           return each;
                         }});
}

void add_single_visits(experiment& to, const std::shared_ptr<stage>& of, bool updates) {
  if (!on_windows) {
    std::vector<std::string> all;
    all.reserve(to.factors.size());
    for (const auto& one : to.factors) all.push_back(one.name);
    add_visits(to, "stdio", role::baseline, has_only(all),
               [of, updates](run& now, std::vector<double>* each) {
                 visit_with_stdio(*of, now, updates, each);
               });
    if (updates) {
      to.variants.push_back({stdio_reads, role::floor,
                             [of](run& now) {
                               setting at;
                               at.set("order", now.setting["order"]);
                               for (const auto& [factor, chosen] : usual_stdio(false))
                                 at.set(factor, chosen);
                               run reading{at, now.folder, now.file};
                               visit_with_stdio(*of, reading, false, nullptr);
                               now.answer = of->where.found_by_update(reading.answer);
                               now.reported_seconds = reading.reported_seconds;
                             },
                             has_only({"order"})});
    }
  }
  add_visits(to, updates ? "leat operator[], set" : "leat operator[]", role::leat,
             has_only({"order"}), [of, updates](run& now, std::vector<double>* each) {
               visit_one_by_one(*of, now, updates, each);
             });
}

experiment simulated(const request& wanted, leat::simulated_disk disk, bool updates) {
  auto of = std::make_shared<stage>();
  of->disk = disk;
  of->where.file = "simulated";
  of->where.integers = wanted.sized(1U << 30, 1U << 26, 1U << 16);
  of->where.count = wanted.sized(100'000, 20'000, 200);
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
  made.space = of->where.integers * sizeof(std::uint32_t);
  made.load = [of, updates](const setting&) {
    return load{
        fmt::format("{} positions in {} integers on {}, simulated", grouped(of->where.count),
                    grouped(of->where.integers), name_of(of->disk)),
        of->where.count * sizeof(std::uint32_t), of->where.count, updates ? "update" : "read"};
  };
  made.prepare = [of](const std::filesystem::path& folder) {
    of->where.draw();
    make_integers(folder / of->where.file, of->where.integers, folios::large);
  };
  add_single_visits(made, of, updates);
  const std::string batch = updates ? "leat update" : "leat gather";
  for (const auto& [name, way] :
       {std::pair{"", leat::route::automatic}, std::pair{", merged", leat::route::merged},
        std::pair{", single", leat::route::single}, std::pair{", direct", leat::route::direct}}) {
    made.variants.push_back(
        {batch + name, role::leat,
         [of, updates, way](run& now) { visit_with_leat(*of, now, updates, way); }, has_only({})});
  }
  if (updates) {
    made.variants.push_back({leat_reads, role::floor,
                             [of](run& now) {
                               visit_with_leat(*of, now, false, leat::route::automatic);
                               now.answer = of->where.found_by_update(now.answer);
                             },
                             has_only({})});
  }
  made.check = [of, updates](run& now) {
    const auto after = visit_by_pread(now.folder / of->where.file, of->where.sorted, {});
    const auto expected = updates ? of->where.found_by_update(after) : of->where.sum;
    if (now.answer != expected) throw failure("found other values than the file has");
  };
  made.findings = [of, updates](const outcome& result) { return findings(*of, result, updates); };
  return made;
}

}  // namespace

experiment simulated_read(const request& wanted, leat::simulated_disk disk) {
  auto made = simulated(wanted, disk, false);
  made.name = "random-read";
  made.title = "integers at random positions, on a simulated disk";
  made.published =
      "mean ticks of CPU for a read on a hard disk: 80 to 108 as drawn, 20 to 30 sorted; by A. "
      "Lakshman, 2024.";
  return made;
}

experiment simulated_update(const request& wanted, leat::simulated_disk disk) {
  auto made = simulated(wanted, disk, true);
  made.name = "random-update";
  made.title = "integers at random positions, incremented, on a simulated disk";
  made.published =
      "mean ticks of CPU for an update on a hard disk, sorted: 33 to 44; by A. Lakshman, 2024.";
  return made;
}

}  // namespace bench
