// The variants of E4: stdio, the peers and leat. random_access.cpp calls add_reads() and
// add_updates().
#include "experiments/random_variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <span>
#include <tuple>

#include "experiments/c_loops.h"
#include "experiments/random_findings.hpp"
#include "experiments/visits.hpp"
#include "system/path_text.hpp"
#include "system/raw_file.hpp"

namespace bench {

namespace {

/// Returns the arguments of a C loop. The arguments point to `path`, `mode` and the scene's
/// positions, which must outlive the loop.
c_visits c_visits_of(const scene& this_scene, const run& this_run, const std::string& path,
                     const char* mode) {
  const auto order = this_scene.positions(this_run.setting);
  c_visits visits{};
  visits.path = path.c_str();
  visits.mode = mode;
  visits.indices = order.data();
  visits.count = order.size();
  visits.buffered = this_run.setting.has("buffer", "buffered");
  return visits;
}

int whence_of(const run& this_run, std::string_view factor, std::string_view set) {
  return this_run.setting[factor].text.starts_with(set) ? SEEK_SET : SEEK_CUR;
}

void run_loop(int (*loop)(c_visits*), c_visits& visits, run& this_run) {
  if (const int error = loop(&visits)) fail("visit", path_from_utf8(visits.path), error);
  this_run.answer = visits.sum;
}

/// Runs a C loop. If `nanoseconds` is not null, it points to an array that gets the time of each
/// visit.
void c_loop(bool updates, const c_loops& functions, scenes& all_scenes, run& this_run,
            std::uint64_t* nanoseconds) {
  const auto& this_scene = all_scenes.at(this_run.setting);
  const auto path = utf8_from_path(path_of(this_scene, this_run));
  c_visits visits = c_visits_of(this_scene, this_run, path,
                                updates ? "rb+" : this_run.setting["mode"].text.c_str());
  visits.nanoseconds = nanoseconds;
  visits.whence = whence_of(this_run, updates ? "seeks" : "seek", updates ? "SET" : "SEEK_SET");
  visits.write_whence =
      updates && this_run.setting["seeks"].text.ends_with("SET") ? SEEK_SET : SEEK_CUR;
  run_loop(updates ? functions.update_at : functions.read_at, visits, this_run);
}

std::vector<double> in_seconds(const std::vector<std::uint64_t>& nanoseconds) {
  std::vector<double> seconds(nanoseconds.size());
  std::ranges::transform(nanoseconds, seconds.begin(),
                         [](std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; });
  return seconds;
}

/// Adds a variant that can be timed as a whole or per visit.
template <class Loop>
void add_loop(experiment& to, std::string name, role variant_role,
              const std::shared_ptr<scenes>& all_scenes,
              std::function<bool(const setting&)> applies, const Loop& loop) {
  to.variants.push_back(
      {std::move(name), variant_role,
       [all_scenes, loop](run& this_run) {
         this_run.answer =
             loop(this_run, all_scenes->at(this_run.setting), std::span<std::uint64_t>());
       },
       std::move(applies),
       [all_scenes, loop](run& this_run) {
         std::vector<std::uint64_t> nanoseconds(all_scenes->at(this_run.setting).count);
         this_run.answer = loop(this_run, all_scenes->at(this_run.setting), std::span(nanoseconds));
         return in_seconds(nanoseconds);
       }});
}

/// Returns true if the scene can be measured here. A cold scene can't be measured if the file
/// system does not drop files from the page cache.
bool is_measurable(const scenes& all_scenes, const setting& at) {
  return !all_scenes.at(at).cold || all_scenes.can_be_cold;
}
/// True if a row takes long and shows only what the baseline shows too. Single visits in drawn
/// order are slow if there are ten million of them, if the file of a quick run is cold, or if each
/// update makes a large folio dirty. Ten million single updates are slow in any order.
bool is_slow(const scenes& all_scenes, const setting& at, bool updates) {
  const auto& this_scene = all_scenes.at(at);
  if (updates && this_scene.dense) return !at["order"].is_default();
  if (!at.has("order", "as drawn")) return false;
  return this_scene.dense || (updates && this_scene.file == "large") ||
         (!all_scenes.has_time && this_scene.cold);
}

/// Returns the condition for variants outside the stdio grid. These variants have a scene and, if
/// `ordered` is true, an order; the other factors have no value. Omits slow rows, and scenes that
/// can't be measured here.
std::function<bool(const setting&)> applies_to(const std::shared_ptr<scenes>& all_scenes,
                                               bool updates, bool ordered) {
  return [all_scenes, updates, ordered](const setting& at) {
    const auto is_named = [&](const auto& choice) {
      const bool wanted = choice.first == "scene" || (ordered && choice.first == "order");
      return choice.second.is_default() != wanted;
    };
    return is_measurable(*all_scenes, at) && !is_slow(*all_scenes, at, updates) &&
           std::ranges::all_of(at.all(), is_named);
  };
}

/// Returns the condition for stdio: all variants if the scene has a grid, else the usual variant.
/// leat's stdio (`baseline` is false) has no slow rows, and has the grid only if the file is cached
/// and the run is not quick. Omits scenes that can't be measured here. Omits ten million updates in
/// drawn order or in large folios, which take minutes.
std::function<bool(const setting&)> applies_to_stdio(const std::shared_ptr<scenes>& all_scenes,
                                                     bool updates, bool baseline) {
  return [all_scenes, updates, baseline](const setting& at) {
    if (!is_measurable(*all_scenes, at) || (!baseline && is_slow(*all_scenes, at, updates)))
      return false;
    bool usual = true;
    for (const auto& [factor, value] : at.all()) {
      if (value.is_default()) return false;
      if (factor == "mode") usual = usual && value.text == "rb";
      if (factor == "buffer") usual = usual && value.text == "buffered";
      if (factor == "seek") usual = usual && value.text == "SEEK_SET";
      if (factor == "seeks") usual = usual && value.text == "SET, SET";
    }
    const auto& this_scene = all_scenes->at(at);
    if (updates && this_scene.dense && (this_scene.file == "large" || at.has("order", "as drawn")))
      return false;
    // If the file is cold, each variant takes seconds, and leat's rows show no more than libc's.
    return usual || (this_scene.has_grid(updates) &&
                     (baseline || (all_scenes->has_time && !this_scene.cold)));
  };
}

void add_stdio(experiment& to, const std::shared_ptr<scenes>& all_scenes, bool updates) {
  for (const auto& [name, variant_role, functions] :
       {std::tuple{"stdio", role::baseline, &libc_loops},
        std::tuple{"leat/stdio.h", role::leat, &leat_loops}}) {
    add_loop(to, name, variant_role, all_scenes,
             applies_to_stdio(all_scenes, updates, variant_role == role::baseline),
             [all_scenes, updates, functions](run& this_run, scene&,
                                              std::span<std::uint64_t> nanoseconds) {
               c_loop(updates, *functions, *all_scenes, this_run,
                      nanoseconds.empty() ? nullptr : nanoseconds.data());
               return this_run.answer;
             });
  }
}

constexpr auto single_updates = on_windows ? "ReadFile + WriteFile" : "pread + pwrite";

leat::records_options options_of(leat::route route, leat::durability durability) {
  leat::records_options options;
  options.access.route = route;
  options.access.durability = durability;
  return options;
}

std::uint64_t gather(const leat::records<std::uint32_t>& records, scene& this_scene) {
  records.gather(this_scene.drawn_positions, std::span(this_scene.values));
  return std::accumulate(this_scene.values.begin(), this_scene.values.end(), std::uint64_t{0});
}

std::uint64_t update(leat::records<std::uint32_t>& records, const scene& this_scene) {
  std::uint64_t sum = 0;
  records.update(this_scene.drawn_positions, [&sum](std::uint32_t& value) { sum += value++; });
  return sum;
}

/// Adds a variant for each route that leat can be forced to take; if `all` is false, only for the
/// direct route. `by(route)` is the work; `applies(route, setting)` selects the settings.
template <class By, class Applies>
void add_forced_routes(experiment& to, const std::string& name, bool all, const By& by,
                       const Applies& applies) {
  for (const auto& [suffix, route] :
       {std::pair{"mapped", leat::route::mapped}, std::pair{"merged", leat::route::merged},
        std::pair{"single", leat::route::single}, std::pair{"direct", leat::route::direct}}) {
    if (!all && route != leat::route::direct) continue;
    to.variants.push_back({fmt::format("{}, {}", name, suffix), role::leat, by(route),
                           [applies, route](const setting& at) { return applies(route, at); }});
  }
}

/// Adds a peer that is timed as a whole: `visit(path, positions)` returns the sum of the integers
/// found.
template <class Visit>
void add_peer(experiment& to, std::string name, const std::shared_ptr<scenes>& all_scenes,
              std::function<bool(const setting&)> applies, const Visit& visit) {
  to.variants.push_back({std::move(name), role::peer,
                         [all_scenes, visit](run& this_run) {
                           const auto& this_scene = all_scenes->at(this_run.setting);
                           this_run.answer = visit(path_of(this_scene, this_run),
                                                   this_scene.positions(this_run.setting));
                         },
                         std::move(applies)});
}

void add_peers_that_read(experiment& to, const std::shared_ptr<scenes>& all_scenes) {
  const auto ordered = applies_to(all_scenes, false, true);
  add_loop(to, on_windows ? read_call : "pread", role::peer, all_scenes, ordered,
           [all_scenes](run& this_run, scene& this_scene, std::span<std::uint64_t> nanoseconds) {
             return visit_by_pread(path_of(this_scene, this_run),
                                   this_scene.positions(this_run.setting), nanoseconds);
           });
  add_peer(to, map_call, all_scenes, ordered, visit_by_mmap);
  if (!has_uring()) return;
  add_peer(to, "io_uring", all_scenes, ordered, [](const auto& path, auto positions) {
    return visit_by_uring(path, positions, direct_io::no);
  });
  add_peer(
      to, "io_uring, O_DIRECT", all_scenes,
      [all_scenes, ordered](const setting& at) { return ordered(at) && all_scenes->at(at).cold; },
      [](const auto& path, auto positions) {
        return visit_by_uring(path, positions, direct_io::yes);
      });
}

void add_leat_that_reads(experiment& to, const std::shared_ptr<scenes>& all_scenes) {
  using integers = leat::records<std::uint32_t>;
  const auto any_order = applies_to(all_scenes, false, false);
  const auto by = [all_scenes](leat::route route) {
    return [all_scenes, route](run& this_run) {
      auto& this_scene = all_scenes->at(this_run.setting);
      this_run.answer = gather(integers::open(path_of(this_scene, this_run), leat::mode::read,
                                              options_of(route, leat::durability::none)),
                               this_scene);
    };
  };
  add_loop(to, "leat operator[]", role::leat, all_scenes, applies_to(all_scenes, false, true),
           [all_scenes](run& this_run, scene& this_scene, std::span<std::uint64_t> nanoseconds) {
             const auto opened = integers::open(path_of(this_scene, this_run));
             std::uint64_t sum = 0;
             for_each_position(this_scene.positions(this_run.setting), nanoseconds,
                               [&](std::uint32_t position) { sum += opened[position]; });
             return sum;
           });
  to.variants.push_back({"leat gather", role::leat, by(leat::route::automatic), any_order});
  add_forced_routes(to, "leat gather", all_scenes->has_time, by,
                    [all_scenes, any_order](leat::route route, const setting& at) {
                      return any_order(at) &&
                             (route != leat::route::direct || all_scenes->at(at).cold);
                    });
  to.variants.push_back({"leat gather again", role::leat,
                         [all_scenes](run& this_run) {
                           auto& this_scene = all_scenes->at(this_run.setting);
                           auto& records = all_scenes->open_records[this_scene.name];
                           if (!records.is_open())
                             records = integers::open(path_of(this_scene, this_run));
                           this_run.answer = gather(records, this_scene);
                         },
                         [all_scenes, any_order](const setting& at) {
                           return any_order(at) && !all_scenes->at(at).cold;
                         }});
}

void add_peers_that_update(experiment& to, const std::shared_ptr<scenes>& all_scenes) {
  const auto ordered = applies_to(all_scenes, true, true);
  add_loop(to, single_updates, role::peer, all_scenes, ordered,
           [all_scenes](run& this_run, scene& this_scene, std::span<std::uint64_t> nanoseconds) {
             return update_by_pread(path_of(this_scene, this_run),
                                    this_scene.positions(this_run.setting), nanoseconds);
           });
  // The analyzer cannot follow a copy of a std::function.
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks)
  add_peer(
      to, "pread + pwrite, WILLNEED", all_scenes,
      [all_scenes, ordered](const setting& at) {
        return ordered(at) && all_scenes->at(at).cold && at.has("order", "sorted");
      },
      update_announced);
  add_peer(to, map_call, all_scenes, ordered, update_by_mmap);
}

void add_leat_that_updates(experiment& to, const std::shared_ptr<scenes>& all_scenes) {
  const auto any_order = applies_to(all_scenes, true, false);
  const auto lasting = [all_scenes](leat::durability durability) {
    return [all_scenes, durability](leat::route route) {
      return [all_scenes, route, durability](run& this_run) {
        const auto& this_scene = all_scenes->at(this_run.setting);
        auto records = leat::records<std::uint32_t>::open(
            path_of(this_scene, this_run), leat::mode::update, options_of(route, durability));
        this_run.answer = update(records, this_scene);
      };
    };
  };
  const auto by = lasting(leat::durability::none), to_disk = lasting(leat::durability::system);
  to.variants.push_back({"leat update", role::leat, by(leat::route::automatic), any_order});
  const auto forced = [all_scenes, any_order](leat::route route, const setting& at) {
    return any_order(at) && (route != leat::route::direct || all_scenes->at(at).cold);
  };
  add_forced_routes(to, "leat update", all_scenes->has_time, by,
                    [all_scenes, forced](leat::route route, const setting& at) {
                      // Stores in drawn order make the same large folios dirty again and again.
                      const bool wasteful =
                          route == leat::route::mapped && all_scenes->at(at).file == "large";
                      return forced(route, at) && !wasteful;
                    });
  to.variants.push_back({"leat update" + std::string(with_fdatasync), role::leat,
                         to_disk(leat::route::automatic), any_order});
}

/// Adds peers that visit sorted positions, and sync their updates before they end.
void add_peers_that_sync(experiment& to, const std::shared_ptr<scenes>& all_scenes) {
  const auto add = [&](const std::string& name, const auto& visit) {
    to.variants.push_back({name + std::string(with_fdatasync), role::peer,
                           [all_scenes, visit](run& this_run) {
                             const auto& this_scene = all_scenes->at(this_run.setting);
                             const auto path = path_of(this_scene, this_run);
                             this_run.answer = visit(path, this_scene.sorted_positions);
                             raw_file(path, access::update).sync_data();
                           },
                           [applies = applies_to(all_scenes, true, true)](const setting& at) {
                             return applies(at) && at.has("order", "sorted");
                           }});
  };
  add("stdio", [](const std::filesystem::path& path, std::span<const std::uint32_t> positions) {
    const auto name = utf8_from_path(path);
    c_visits visits{};
    visits.path = name.c_str();
    visits.mode = "rb+";
    visits.indices = positions.data();
    visits.count = positions.size();
    visits.buffered = 1;
    visits.whence = visits.write_whence = SEEK_SET;
    if (const int error = libc_loops.update_at(&visits)) fail("visit", path, error);
    return visits.sum;
  });
  add(single_updates, [](const auto& path, auto positions) {
    return update_by_pread(path, positions, std::span<std::uint64_t>());
  });
  add(map_call, update_by_mmap);
}

/// Adds read-only rows, which show how much more an update costs than a read.
void add_read_only_rows(experiment& to, const std::shared_ptr<scenes>& all_scenes) {
  const auto add = [&](const char* name, bool ordered, const auto& read) {
    to.variants.push_back({name, role::floor,
                           [all_scenes, read](run& this_run) {
                             auto& this_scene = all_scenes->at(this_run.setting);
                             // The sum that an update would have found.
                             this_run.answer =
                                 this_scene.found_by_update(read(this_run, this_scene));
                           },
                           applies_to(all_scenes, true, ordered)});
  };
  add(stdio_reads, true, [](run& this_run, const scene& this_scene) {
    const auto path = utf8_from_path(path_of(this_scene, this_run));
    c_visits visits = c_visits_of(this_scene, this_run, path, "rb");
    visits.buffered = 1;
    visits.whence = SEEK_SET;
    run_loop(libc_loops.read_at, visits, this_run);
    return visits.sum;
  });
  add(leat_reads, false, [](run& this_run, scene& this_scene) {
    return gather(leat::records<std::uint32_t>::open(path_of(this_scene, this_run)), this_scene);
  });
}

}  // namespace

void add_reads(experiment& to, const std::shared_ptr<scenes>& all_scenes) {
  add_stdio(to, all_scenes, false);
  add_peers_that_read(to, all_scenes);
  add_leat_that_reads(to, all_scenes);
}

void add_updates(experiment& to, const std::shared_ptr<scenes>& all_scenes) {
  add_stdio(to, all_scenes, true);
  add_peers_that_update(to, all_scenes);
  add_peers_that_sync(to, all_scenes);
  add_read_only_rows(to, all_scenes);
  add_leat_that_updates(to, all_scenes);
}

}  // namespace bench
