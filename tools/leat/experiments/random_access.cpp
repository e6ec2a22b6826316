// E4: integers at random places of a large file, read, or read, counted up and written back. As
// published: what do sorting, the buffer, and the kind of seek make of it? And what the publication
// left out: positional reads, mappings, queues of requests, and batches.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>

#include "../statistics.hpp"
#include "../text.hpp"
#include "peers.hpp"
#include "simulated_access.hpp"
#include "visits.hpp"

namespace bench {

namespace {

constexpr std::uint64_t integer_size = 4;

/// What the experiment visits; the first name of each is a value of its factor.
struct scenes {
  std::vector<scene> all;
  std::string shortage;     // why it is smaller than it should be
  bool can_be_cold = true;  // as the preparation finds out
  bool patient = false;     // there is time for what shows little more than the rest
  std::map<std::string, leat::records<std::uint32_t>> kept;  // open since the first visit

  scene& at(const setting& where) {
    return *std::ranges::find(all, where["scene"].text, &scene::name);
  }
};

std::shared_ptr<scenes> make_scenes(const request& wanted) {
  const bool published = wanted.how_much == size::published;
  std::uint64_t integers = published                        ? 1U << 30
                           : wanted.how_much == size::quick ? 1U << 26
                                                            : 1U << 16;
  const std::size_t count = published ? 100'000 : wanted.how_much == size::quick ? 10'000 : 200;
  auto of = std::make_shared<scenes>();
  of->patient = wanted.how_much != size::quick;
  // Three files, and something left for others.
  const auto space_for = [](std::uint64_t n) {
    return 3 * n * integer_size + (n * integer_size) / 4;
  };
  const std::uint64_t asked = integers;
  while (integers > 1U << 16 && space_for(integers) > wanted.space) integers /= 2;
  if (integers != asked) {
    of->shortage =
        fmt::format("only {:.1f} GB are free here: {} integers instead of {}.",
                    static_cast<double>(wanted.space) / 1e9, grouped(integers), grouped(asked));
  }
  const auto add = [&](std::string name, std::string file, std::size_t places) -> scene& {
    auto& one = of->all.emplace_back();
    one.name = std::move(name);
    one.file = std::move(file);
    one.integers = integers;
    one.count = places;
    return one;
  };
  auto& small = add("in the cache, 4 KiB folios", "small", count);
  small.cached_in = folios::small;
  small.grid = true;
  add("in the cache, large folios", "large", count);
  add("on the disk", "cold", count).cold = true;
  if (published) {
    // The files of the first two, so it does not matter here in which folios.
    add("in the cache, 4 KiB folios, dense", "small", 10'000'000).dense = true;
    add("in the cache, large folios, dense", "large", 10'000'000).dense = true;
    add("64 MiB, in the cache", "little", 1'000'000).integers = 1U << 24;
  }
  return of;
}

void prepare(scenes& of, const std::filesystem::path& folder) {
  of.kept.clear();
  for (auto& one : of.all) {
    one.draw();
    const auto path = folder / one.file;
    if (std::filesystem::exists(path)) continue;
    make_integers(path, one.integers, one.cached_in);
    if (one.cold) of.can_be_cold = drop_from_cache(path);
  }
}

std::uint64_t space_of(const scenes& of) {
  std::map<std::string, std::uint64_t> files;
  for (const auto& one : of.all) files[one.file] = one.integers * integer_size;
  return std::accumulate(files.begin(), files.end(), std::uint64_t{0},
                         [](auto sum, const auto& file) { return sum + file.second; });
}

// --- the variants ------------------------------------------------------------------------------

std::filesystem::path path_of(const scene& where, const run& now) {
  return now.folder / where.file;
}

c_visits c_visits_of(const scene& where, const run& now, const std::string& path,
                     const char* mode) {
  const auto order = where.places(now.at);
  c_visits visits{};
  visits.path = path.c_str();
  visits.mode = mode;
  visits.numbers = order.data();
  visits.count = order.size();
  visits.buffered = now.at.has("buffer", "buffered");
  return visits;
}

int whence_of(const run& now, std::string_view factor, std::string_view set) {
  return now.at[factor].text.starts_with(set) ? SEEK_SET : SEEK_CUR;
}

void run_loop(int (*loop)(c_visits*), c_visits& visits, run& now) {
  if (const int error = loop(&visits)) fail("visit", path_from(visits.path), error);
  now.answer = visits.sum;
}

/// A loop of C, timed as a whole or visit by visit.
void c_loop(bool updates, const c_loops& with, scenes& of, run& now, std::uint64_t* nanoseconds) {
  const auto& where = of.at(now.at);
  const auto path = text_of(path_of(where, now));
  c_visits visits = c_visits_of(where, now, path, updates ? "rb+" : now.at["mode"].text.c_str());
  visits.nanoseconds = nanoseconds;
  visits.whence = whence_of(now, updates ? "seeks" : "seek", updates ? "SET" : "SEEK_SET");
  visits.back = updates && now.at["seeks"].text.ends_with("SET") ? SEEK_SET : SEEK_CUR;
  run_loop(updates ? with.update_at : with.read_at, visits, now);
}

std::vector<double> in_seconds(const std::vector<std::uint64_t>& nanoseconds) {
  std::vector<double> seconds(nanoseconds.size());
  std::ranges::transform(nanoseconds, seconds.begin(),
                         [](std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; });
  return seconds;
}

/// Work for a variant that can be timed visit by visit, too.
template <class Loop>
void add_loop(experiment& to, std::string name, role part, const std::shared_ptr<scenes>& of,
              std::function<bool(const setting&)> applies, const Loop& loop) {
  to.variants.push_back(
      {std::move(name), part,
       [of, loop](run& now) { now.answer = loop(now, of->at(now.at), std::span<std::uint64_t>()); },
       std::move(applies),
       [of, loop](run& now) {
         std::vector<std::uint64_t> nanoseconds(of->at(now.at).count);
         now.answer = loop(now, of->at(now.at), std::span(nanoseconds));
         return in_seconds(nanoseconds);
       }});
}

/// Not cold where the file system keeps its files in the cache all the same.
bool can_be(const scenes& of, const setting& at) {
  const auto& where = *std::ranges::find(of.all, at["scene"].text, &scene::name);
  return !where.cold || of.can_be_cold;
}

/// What takes long and shows what the baseline has shown: visits one after the other as drawn,
/// where there are ten million of them, where the disk has them, or where each makes a large folio
/// dirty; and ten million updates in any order.
bool is_slow(const scenes& of, const setting& at, bool updates) {
  const auto& where = *std::ranges::find(of.all, at["scene"].text, &scene::name);
  if (updates && where.dense) return !at["order"].is_default();
  if (!at.has("order", "as drawn")) return false;
  return where.dense || (updates && where.file == "large") || (!of.patient && where.cold);
}

/// The factors of the stdio grid are left to the others; those have an order at most.
std::function<bool(const setting&)> applies_to(const std::shared_ptr<scenes>& of, bool updates,
                                               bool ordered) {
  return [of, updates, ordered](const setting& at) {
    const auto is_named = [&](const auto& choice) {
      const bool wanted = choice.first == "scene" || (ordered && choice.first == "order");
      return choice.second.is_default() != wanted;
    };
    return can_be(*of, at) && !is_slow(*of, at, updates) && std::ranges::all_of(at.all(), is_named);
  };
}

/// In the first scene all the ways of stdio, elsewhere the usual one. 10,000,000 updates as drawn
/// take minutes, and dirty the whole file many times over.
std::function<bool(const setting&)> applies_to_stdio(const std::shared_ptr<scenes>& of,
                                                     bool updates, bool baseline) {
  return [of, updates, baseline](const setting& at) {
    if (!can_be(*of, at) || (!baseline && is_slow(*of, at, updates))) return false;
    bool usual = true;
    for (const auto& [factor, value] : at.all()) {
      if (value.is_default()) return false;
      if (factor == "mode") usual = usual && value.text == "rb";
      if (factor == "buffer") usual = usual && value.text == "buffered";
      if (factor == "seek") usual = usual && value.text == "SEEK_SET";
      if (factor == "seeks") usual = usual && value.text == "SET, SET";
    }
    const auto& where = of->at(at);
    if (updates && where.dense && at.has("order", "as drawn")) return false;
    return usual || (where.grid && (baseline || of->patient));
  };
}

void add_stdio(experiment& to, const std::shared_ptr<scenes>& of, bool updates) {
  for (const auto& [name, part, with] : {std::tuple{"stdio", role::baseline, &libc_loops},
                                         std::tuple{"leat/stdio.h", role::leat, &leat_loops}}) {
    add_loop(to, name, part, of, applies_to_stdio(of, updates, part == role::baseline),
             [of, updates, with](run& now, scene&, std::span<std::uint64_t> nanoseconds) {
               c_loop(updates, *with, *of, now, nanoseconds.empty() ? nullptr : nanoseconds.data());
               return now.answer;
             });
  }
}

leat::records_options options_of(leat::route way) {
  leat::records_options how;
  how.access.route = way;
  return how;
}

std::uint64_t gather(const leat::records<std::uint32_t>& from, scene& where) {
  from.gather(where.drawn, std::span(where.values));
  return std::accumulate(where.values.begin(), where.values.end(), std::uint64_t{0});
}

std::uint64_t update(leat::records<std::uint32_t>& in, const scene& where) {
  std::uint64_t sum = 0;
  in.update(where.drawn, [&sum](std::uint32_t& value) { sum += value++; });
  return sum;
}

struct named_route {
  const char* name;
  leat::route way;
};
constexpr named_route forced_routes[] = {{"mapped", leat::route::mapped},
                                         {"merged", leat::route::merged},
                                         {"single", leat::route::single},
                                         {"direct", leat::route::direct}};

/// Past the cache is always of interest; the others are for those who have the time.
std::vector<named_route> routes_to_force(const scenes& of) {
  std::vector<named_route> routes(std::begin(forced_routes), std::end(forced_routes));
  if (!of.patient) std::erase_if(routes, [](auto& one) { return one.way != leat::route::direct; });
  return routes;
}

void add_reads(experiment& to, const std::shared_ptr<scenes>& of) {
  using order = std::span<const std::uint32_t>;
  const auto ordered = applies_to(of, false, true);
  const auto any_order = applies_to(of, false, false);
  const auto warm = [of, any_order](const setting& at) {
    return any_order(at) && !of->at(at).cold;
  };
  add_stdio(to, of, false);
  add_loop(to, on_windows ? read_call : "pread", role::peer, of, ordered,
           [of](run& now, scene& where, std::span<std::uint64_t> nanoseconds) {
             return visit_by_pread(path_of(where, now), where.places(now.at), nanoseconds);
           });
  to.variants.push_back({map_call, role::peer,
                         [of](run& now) {
                           const auto& where = of->at(now.at);
                           now.answer = visit_by_mmap(path_of(where, now), where.places(now.at));
                         },
                         ordered});
  for (const auto how : {past_cache::no, past_cache::yes}) {
    const bool direct = how == past_cache::yes;
    to.variants.push_back({direct ? "io_uring, O_DIRECT" : "io_uring", role::peer,
                           [of, how](run& now) {
                             const auto& where = of->at(now.at);
                             now.answer =
                                 visit_by_uring(path_of(where, now), where.places(now.at), how);
                           },
                           [of, ordered, direct](const setting& at) {
                             return has_uring() && ordered(at) && (!direct || of->at(at).cold);
                           }});
  }
  add_loop(to, "leat operator[]", role::leat, of, ordered,
           [of](run& now, scene& where, std::span<std::uint64_t> nanoseconds) {
             const auto from = leat::records<std::uint32_t>::open(path_of(where, now));
             std::uint64_t sum = 0;
             const order places = where.places(now.at);
             for (std::size_t i = 0; i != places.size(); ++i) {
               const auto start = nanoseconds.empty() ? 0 : nanoseconds_now();
               sum += from[places[i]];
               if (!nanoseconds.empty()) nanoseconds[i] = nanoseconds_now() - start;
             }
             return sum;
           });
  const auto gather_by = [of](leat::route way) {
    return [of, way](run& now) {
      auto& where = of->at(now.at);
      now.answer = gather(leat::records<std::uint32_t>::open(path_of(where, now), leat::mode::read,
                                                             options_of(way)),
                          where);
    };
  };
  to.variants.push_back({"leat gather", role::leat, gather_by(leat::route::automatic), any_order});
  for (const auto& [name, way] : routes_to_force(*of)) {
    to.variants.push_back(
        {fmt::format("leat gather, {}", name), role::leat, gather_by(way),
         way == leat::route::direct
             ? std::function<bool(const setting&)>(
                   [of, any_order](const setting& at) { return any_order(at) && of->at(at).cold; })
             : any_order});
  }
  to.variants.push_back({"leat gather again", role::leat,
                         [of](run& now) {
                           auto& where = of->at(now.at);
                           auto& kept = of->kept[where.name];
                           if (!kept.is_open())
                             kept = leat::records<std::uint32_t>::open(path_of(where, now));
                           now.answer = gather(kept, where);
                         },
                         warm});
}

void add_updates(experiment& to, const std::shared_ptr<scenes>& of) {
  const auto ordered = applies_to(of, true, true);
  const auto any_order = applies_to(of, true, false);
  add_stdio(to, of, true);
  add_loop(to, on_windows ? "ReadFile + WriteFile" : "pread + pwrite", role::peer, of, ordered,
           [of](run& now, scene& where, std::span<std::uint64_t> nanoseconds) {
             return update_by_pread(path_of(where, now), where.places(now.at), nanoseconds);
           });
  to.variants.push_back({"pread + pwrite, WILLNEED", role::peer,
                         [of](run& now) {
                           const auto& where = of->at(now.at);
                           now.answer = update_announced(path_of(where, now), where.places(now.at));
                         },
                         [of, ordered](const setting& at) {
                           return ordered(at) && of->at(at).cold && at.has("order", "sorted");
                         }});
  to.variants.push_back({map_call, role::peer,
                         [of](run& now) {
                           const auto& where = of->at(now.at);
                           now.answer = update_by_mmap(path_of(where, now), where.places(now.at));
                         },
                         ordered});
  const auto update_by = [of](leat::route way) {
    return [of, way](run& now) {
      const auto& where = of->at(now.at);
      auto in = leat::records<std::uint32_t>::open(path_of(where, now), leat::mode::update,
                                                   options_of(way));
      now.answer = update(in, where);
    };
  };
  to.variants.push_back({"leat update", role::leat, update_by(leat::route::automatic), any_order});
  for (const auto& [name, way] : routes_to_force(*of)) {
    const bool direct = way == leat::route::direct;
    const bool mapped = way == leat::route::mapped;
    to.variants.push_back({fmt::format("leat update, {}", name), role::leat, update_by(way),
                           [of, any_order, direct, mapped](const setting& at) {
                             const auto& where = of->at(at);
                             // Stores as drawn dirty large folios again and again.
                             const bool wasteful = mapped && where.file == "large";
                             return any_order(at) && !wasteful && (!direct || where.cold);
                           }});
  }
}

// --- the experiments ---------------------------------------------------------------------------

const value as_drawn{"as drawn", {}};
const value in_order{"sorted", {}};
const value left_open{};  // to the variant

/// How programs usually do it, whatever the order.
choices usual_stdio(bool updates) {
  choices at{{"buffer", {"buffered", {}}}};
  if (updates) {
    at.emplace_back("seeks", value{"SET, SET", {}});
  } else {
    at.emplace_back("mode", value{"rb", {}});
    at.emplace_back("seek", value{"SEEK_SET", {}});
  }
  return at;
}

/// Of each scene the usual ways, beside those of batches; and the grid as it was published.
std::vector<chart> charts_of(const scenes& of, bool updates) {
  const auto is_usual = [updates](const measurement& one) {
    return std::ranges::all_of(usual_stdio(updates), [&](const auto& usual) {
      const auto& has = one.at[usual.first];
      return usual.first == "buffer" || has.is_default() || has == usual.second;
    });
  };
  std::vector<chart> all;
  for (const auto& where : of.all) {
    all.push_back({.title = where.name,
                   .where = {{"scene", {where.name, {}}}},
                   .of = quantity::each,
                   .logarithmic = true,
                   .shows = is_usual});
    if (!where.grid) continue;
    all.push_back({.title = where.name + ": the ways of stdio",
                   .where = {{"scene", {where.name, {}}}},
                   .of = quantity::each,
                   .logarithmic = true,
                   .shows = [](const measurement& one) { return one.variant == "stdio"; }});
  }
  std::ranges::rotate(all, std::ranges::find(all, "on the disk", &chart::title));
  return all;
}

headline headline_of(bool updates) {
  const choices disk{{"scene", {"on the disk", {}}}};
  headline one{.work = updates ? "integers on the disk updated, for stdio sorted first"
                               : "integers read from the disk, for stdio sorted first",
               .ours = updates ? "leat update" : "leat gather",
               .ours_at = disk,
               .theirs = "stdio",
               .theirs_at = usual_stdio(updates)};
  one.theirs_at.push_back(disk.front());
  one.theirs_at.emplace_back("order", in_order);
  return one;
}

std::vector<finding> findings(const scenes& of, const outcome& result, bool updates) {
  std::vector<finding> found;
  if (!of.shortage.empty()) found.push_back({of.shortage});
  if (!of.can_be_cold) found.push_back({nothing_was_cold});
  const auto batch = updates ? "leat update" : "leat gather";
  using change = std::pair<std::string, value>;
  constexpr double level = 1.03;  // closer than this, nothing is better
  // The usual way of stdio on sorted places, but for one factor.
  const auto stdio_at = [&](const scene& where, const change& other) {
    choices at = usual_stdio(updates);
    at.emplace_back("scene", value{where.name, {}});
    at.emplace_back("order", in_order);
    for (auto& [factor, chosen] : at) {
      if (factor == other.first) chosen = other.second;
    }
    return result.median("stdio", at);
  };
  for (const auto& where : of.all) {
    const std::pair<std::string, value> here{"scene", {where.name, {}}};
    const auto stdio = [&](const value& order) {
      std::optional<double> best;
      for (const auto& one : result.measured) {
        if (one.variant != "stdio" || one.at["scene"].text != where.name ||
            one.at["order"] != order)
          continue;
        const auto median = summarize(one.wall).median;
        if (!best || median < *best) best = median;
      }
      return best;
    };
    const auto drawn = stdio(as_drawn), sorted = stdio(in_order);
    const auto leat = result.median(batch, {here});
    if (drawn && sorted) {
      const double ratio = *drawn / *sorted;
      found.push_back(
          judged(fmt::format(
                     "{}: stdio visits sorted places {} as fast; that sorting first is worth it is",
                     where.name, times(ratio)),
                 ratio >= 1.1));
    }
    if (const auto usual = stdio_at(where, {}); usual && where.grid) {
      const auto unbuffered = stdio_at(where, {"buffer", {"unbuffered", {}}});
      const auto relative = stdio_at(
          where, updates ? change{"seeks", {"CUR, CUR", {}}} : change{"seek", {"SEEK_CUR", {}}});
      if (unbuffered)
        found.push_back(judged(
            fmt::format("{}: without a buffer stdio visits sorted places {} as fast; that no "
                        "buffer is better where the size is known is",
                        where.name, times(*usual / *unbuffered)),
            *unbuffered <= *usual * level));
      if (relative)
        found.push_back(judged(
            fmt::format("{}: relative seeks take {} the time of absolute ones; that absolute ones "
                        "are never worse is",
                        where.name, times(*relative / *usual)),
            *usual <= *relative * level));
    }
    if (leat && sorted) {
      found.push_back({fmt::format(
          "{}: {} takes the places as drawn and is {}{} as fast as the "
          "best of stdio on sorted ones.",
          where.name, batch, drawn ? times(*drawn / *leat) + " as fast as stdio, " : "",
          times(*sorted / *leat))});
    }
  }
  return found;
}

experiment shared_parts(const std::shared_ptr<scenes>& of, bool updates) {
  experiment made;
  std::vector<value> states;
  for (const auto& one : of->all) states.push_back({one.name, {}});
  made.factors = {{"scene", states, layout::table}, {"order", {as_drawn, in_order, left_open}}};
  made.space = space_of(*of);
  made.load = [of, updates](const setting& at) {
    const auto& where = of->at(at);
    return load{fmt::format("{} places in {} integers, {}", grouped(where.count),
                            grouped(where.integers), where.name),
                (updates ? 2 : 1) * integer_size * where.count, where.count,
                updates ? "update" : "read"};
  };
  made.prepare = [of](const std::filesystem::path& folder) { prepare(*of, folder); };
  made.before = [of, updates](run& now) {
    const auto& where = of->at(now.at);
    const auto path = path_of(where, now);
    // Nobody writes slower for what others have left to be written.
    if (updates && (where.cold || of->patient)) raw_file(path, access::update).sync();
    if (where.cold) drop_from_cache(path);
  };
  made.findings = [of, updates](const outcome& result) { return findings(*of, result, updates); };
  made.follows = "E4";
  made.cached =
      "In the cache: the file was written just before, and nothing evicts it. On the disk: it is "
      "dropped from the system's cache before each repetition; the disk's own cache is not.";
  made.charts = charts_of(*of, updates);
  made.headline = headline_of(updates);
  return made;
}

experiment make_random_read(const request& wanted) {
  if (wanted.disk) return simulated_read(wanted, *wanted.disk);
  auto of = make_scenes(wanted);
  auto made = shared_parts(of, false);
  made.name = "random-read";
  made.title = "integers at random places";
  made.published =
      "mean ticks of CPU a read: SSD 8.2 to 10.6 in any order, hard disk 80 to 108 as drawn, 20 to "
      "30 sorted; by A. Lakshman, 2024.";
  made.figures = {{"A. Lakshman, 2024, mean ticks of CPU a read",
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
  made.check = [of](run& now) {
    if (now.answer != of->at(now.at).sum) throw failure("read something else than the file holds");
  };
  add_reads(made, of);
  return made;
}

experiment make_random_update(const request& wanted) {
  if (wanted.disk) return simulated_update(wanted, *wanted.disk);
  auto of = make_scenes(wanted);
  auto made = shared_parts(of, true);
  made.name = "random-update";
  made.title = "integers at random places, read, counted up and written back";
  made.published =
      "mean ticks of CPU an update: SSD 79 to 95 as drawn, 9.5 to 18.6 sorted; hard disk sorted 33 "
      "to 44; by A. Lakshman, 2024.";
  made.figures = {{"A. Lakshman, 2024, mean ticks of CPU an update",
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
  made.check = [of](run& now) {
    const auto& where = of->at(now.at);
    const auto after = visit_by_pread(path_of(where, now), where.sorted, {});
    if (now.answer != where.found_by_update(after))
      throw failure("an update was lost, or made twice");
  };
  add_updates(made, of);
  return made;
}

const registration random_read(4, make_random_read);
const registration random_update(5, make_random_update);

}  // namespace

}  // namespace bench
