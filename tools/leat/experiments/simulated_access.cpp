#include "experiments/simulated_access.hpp"

#include <fmt/format.h>
#include <leat/leat.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <numeric>

#include "experiments/peers.hpp"
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

constexpr std::size_t block_size = 4096;  // of stdio's buffer, as on a real file system

void expect_one(std::size_t done) {
  if (done != 1) throw failure("a record could not be read or written");
}

void visit_with_stdio(const stage& of, run& now, bool updates) {
  const auto disk = open_disk(of, now);
  c_file with(open_c_stream(*disk), of.where.file);
  std::setvbuf(with.get(), nullptr, now.at.has("buffer", "buffered") ? _IOFBF : _IONBF, block_size);
  std::uint64_t sum = 0;
  for (const std::uint32_t place : of.where.places(now.at)) {
    std::uint32_t value = 0;
    const long at = static_cast<long>(place) * static_cast<long>(sizeof value);
    std::fseek(with.get(), at, SEEK_SET);
    expect_one(std::fread(&value, sizeof value, 1, with.get()));
    sum += value;
    if (!updates) continue;
    ++value;
    std::fseek(with.get(), at, SEEK_SET);
    expect_one(std::fwrite(&value, sizeof value, 1, with.get()));
  }
  with.close();
  now.answer = sum;
  now.simulated = seconds(*disk);
}

void visit_with_leat(stage& of, run& now, bool updates, leat::route way) {
  leat::records_options how;
  how.access.route = way;
  auto disk = open_disk(of, now);
  const leat::device& clock = *disk;
  leat::records<std::uint32_t> on(leat::file(std::move(disk), leat::mode::update, how.access), how);
  std::uint64_t sum = 0;
  if (updates) {
    on.update(of.where.drawn, [&sum](std::uint32_t& value) { sum += value++; });
  } else {
    on.gather(of.where.drawn, std::span(of.where.values));
    sum = std::accumulate(of.where.values.begin(), of.where.values.end(), std::uint64_t{0});
  }
  now.answer = sum;
  now.simulated = seconds(clock);
}

std::vector<finding> findings(const stage& of, const outcome& result, const char* batch) {
  std::vector<finding> found{{fmt::format(
      "Times are those of a model of {}, without a cache between it and the program; the published "
      "ones are CPU time on a machine that had the file in memory.",
      name_of(of.disk))}};
  if (on_windows)
    found.push_back({"Windows' stdio works on files only, and is not measured here."});
  const auto drawn = result.median("stdio", {{"order", as_drawn}, {"buffer", {"buffered", {}}}});
  const auto sorted = result.median("stdio", {{"order", in_order}, {"buffer", {"buffered", {}}}});
  const auto leat = result.median(batch);
  if (drawn && sorted)
    found.push_back(
        {fmt::format("Sorting the places first makes stdio {} as fast.", times(*drawn / *sorted))});
  if (drawn && sorted && leat)
    found.push_back({fmt::format("{} takes them as drawn: {} as fast as stdio, {} on sorted ones.",
                                 batch, times(*drawn / *leat), times(*sorted / *leat))});
  return found;
}

experiment simulated(const request& wanted, leat::simulated_disk disk, bool updates) {
  auto of = std::make_shared<stage>();
  of->disk = disk;
  of->where.file = "simulated";
  const bool published = wanted.how_much == size::published;
  of->where.integers = published ? 1U << 30 : wanted.how_much == size::quick ? 1U << 26 : 1U << 16;
  of->where.count = published ? 100'000 : wanted.how_much == size::quick ? 20'000 : 200;
  experiment made;
  made.on = medium::simulated;
  made.follows = "E4";
  made.cached = "Nothing: the simulated disk has no cache, and its clock is its own.";
  made.charts = {{.title = "all places", .logarithmic = true}};
  made.factors = {{"order", {as_drawn, in_order, left_open}},
                  {"buffer", {{"buffered", {}}, {"unbuffered", {}}, left_open}}};
  made.space = of->where.integers * sizeof(std::uint32_t);
  made.load = [of, updates](const setting&) {
    return load{fmt::format("{} places in {} integers on {}, simulated", grouped(of->where.count),
                            grouped(of->where.integers), name_of(of->disk)),
                of->where.count * sizeof(std::uint32_t), of->where.count,
                updates ? "update" : "read"};
  };
  made.prepare = [of](const std::filesystem::path& folder) {
    of->where.draw();
    make_integers(folder / of->where.file, of->where.integers, folios::large);
  };
  if (!on_windows) {
    made.variants.push_back({"stdio", role::baseline,
                             [of, updates](run& now) { visit_with_stdio(*of, now, updates); },
                             [](const setting& at) {
                               return !at["order"].is_default() && !at["buffer"].is_default();
                             }});
  }
  const char* const batch = updates ? "leat update" : "leat gather";
  for (const auto& [name, way] :
       {std::pair{"", leat::route::automatic}, std::pair{", merged", leat::route::merged},
        std::pair{", single", leat::route::single}, std::pair{", direct", leat::route::direct}}) {
    made.variants.push_back(
        {batch + std::string(name), role::leat,
         [of, updates, way](run& now) { visit_with_leat(*of, now, updates, way); },
         [](const setting& at) { return at["order"].is_default() && at["buffer"].is_default(); }});
  }
  made.check = [of, updates](run& now) {
    const auto after = visit_by_pread(now.folder / of->where.file, of->where.sorted, {});
    const auto expected = updates ? of->where.found_by_update(after) : of->where.sum;
    if (now.answer != expected) throw failure("found something else than the file holds");
  };
  made.findings = [of, batch](const outcome& result) { return findings(*of, result, batch); };
  return made;
}

}  // namespace

experiment simulated_read(const request& wanted, leat::simulated_disk disk) {
  auto made = simulated(wanted, disk, false);
  made.name = "random-read";
  made.title = "integers at random places, on a simulated disk";
  made.published =
      "mean ticks of CPU a read on a hard disk: 80 to 108 as drawn, 20 to 30 sorted; by A. "
      "Lakshman, 2024.";
  return made;
}

experiment simulated_update(const request& wanted, leat::simulated_disk disk) {
  auto made = simulated(wanted, disk, true);
  made.name = "random-update";
  made.title = "integers at random places, counted up, on a simulated disk";
  made.published =
      "mean ticks of CPU an update on a hard disk, sorted: 33 to 44; by A. Lakshman, 2024.";
  return made;
}

}  // namespace bench
