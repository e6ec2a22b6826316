// `leat bench random-read` (E4) with a store: reads integers at random positions of an object.
#include <fmt/format.h>
#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <chrono>
#include <memory>
#include <numeric>

#include "experiments/store/store_fixture.hpp"
#include "experiments/visits.hpp"
#include "reporting/text.hpp"

namespace bench::store_random {

namespace {

using integers = leat::records<std::uint32_t>;

constexpr std::size_t parallel_requests = 32;  // by libcurl, each for one integer

struct state final : store_fixture {
  scene few, many;
  integers values;         // opened by this repetition; closed before the bytes are counted
  integers reused_values;  // open since the first repetition that uses this member

  scene& at(const setting& chosen) { return chosen.has("positions", few.name) ? few : many; }
  void close() override {
    if (values.is_open()) values.close();
  }
};
std::uint64_t sum_of(std::span<const std::uint32_t> values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

void gather(const integers& records, scene& this_scene, run& this_run) {
  records.gather(this_scene.drawn_positions, std::span(this_scene.values));
  this_run.answer = sum_of(this_scene.values);
}

void leat_gather(state& shared, run& this_run, leat::route route) {
  leat::records_options options;
  options.access.route = route;
  shared.values = integers::open(shared.address, leat::mode::read, options);
  gather(shared.values, shared.at(this_run.setting), this_run);
}

void leat_gather_again(state& shared, run& this_run) {
  if (!shared.reused_values.is_open()) shared.reused_values = integers::open(shared.address);
  gather(shared.reused_values, shared.at(this_run.setting), this_run);
}

void leat_one_by_one(state& shared, run& this_run) {
  shared.values = integers::open(shared.address);
  for (const auto position : shared.at(this_run.setting).drawn_positions)
    this_run.answer += shared.values[position];
}

void simulated_gather(const state& shared, scene& this_scene, run& this_run) {
  auto device = simulated_store(shared.object, shared.speed);
  const leat::device& clock = *device;
  const integers records(leat::file(std::move(device), leat::mode::read));
  gather(records, this_scene, this_run);
  this_run.reported_seconds = std::chrono::duration<double>(clock.now()).count();
}

void curl_ranges(state& shared, run& this_run, std::size_t at_a_time) {
  auto& this_scene = shared.at(this_run.setting);
  std::vector<leat::byte_range> ranges;
  ranges.reserve(this_scene.count);
  for (const auto position : this_scene.drawn_positions)
    ranges.push_back({std::uint64_t{position} * integer_size, integer_size});
  auto* const into = reinterpret_cast<char*>(this_scene.values.data());
  if (at_a_time == 1)
    shared.curl->read_one_by_one(ranges, into);
  else
    shared.curl->read_many(ranges, into, at_a_time);
  this_run.answer = sum_of(this_scene.values);
}

void curl_whole(state& shared, run& this_run) {
  shared.memory.resize(shared.object->size());
  shared.curl->read_all(shared.memory.data(), shared.memory.size());
  for (const auto position : shared.at(this_run.setting).drawn_positions) {
    std::uint32_t value = 0;
    std::memcpy(&value, shared.memory.data() + std::uint64_t{position} * integer_size,
                sizeof value);
    this_run.answer += value;
  }
}

/// True if there is time for sequential requests. Call this function only after the store's speed
/// was measured.
bool has_time_for_each(const state& shared) {
  constexpr double most_seconds = 3;
  return shared.speed.first_byte * static_cast<double>(shared.few.count) <= most_seconds;
}

std::vector<variant> variants(const std::shared_ptr<state>& shared) {
  const auto few = [shared](const setting& at) { return at.has("positions", shared->few.name); };
  const auto few_and_near = [shared, few](const setting& at) {
    return few(at) && has_time_for_each(*shared);
  };
  const auto gathers = [shared](leat::route route) {
    return [shared, route](run& this_run) { leat_gather(*shared, this_run, route); };
  };
  std::vector<variant> all{
      {"leat gather", role::leat, gathers(leat::route::automatic)},
      {"leat gather again", role::leat,
       [shared](run& this_run) { leat_gather_again(*shared, this_run); }},
      {"leat gather, direct", role::leat, gathers(leat::route::direct), few},
      {"leat operator[]", role::leat,
       [shared](run& this_run) { leat_one_by_one(*shared, this_run); }, few_and_near},
      {"simulated gather", role::model, [shared](run& this_run) {
         simulated_gather(*shared, shared->at(this_run.setting), this_run);
       }}};
  if (!no_curl_reason().empty()) return all;
  const auto curl = [shared](std::size_t at_a_time) {
    return [shared, at_a_time](run& this_run) { curl_ranges(*shared, this_run, at_a_time); };
  };
  all.push_back({"libcurl, one by one", role::peer, curl(1), few_and_near});
  all.push_back({fmt::format("libcurl, {} at a time", parallel_requests), role::peer,
                 curl(parallel_requests), few});
  all.push_back({"libcurl, whole", role::baseline,
                 [shared](run& this_run) { curl_whole(*shared, this_run); }});
  return all;
}

std::vector<finding> findings(const state& all, const outcome& result) {
  auto found = common_findings(all);
  for (const auto* this_scene : {&all.few, &all.many}) {
    const choices at{{"positions", {this_scene->name, {}}}};
    const auto ours = result.median("leat gather", at),
               model = result.median("simulated gather", at);
    const auto whole = result.median("libcurl, whole", at);
    if (ours && whole)
      found.push_back(
          {fmt::format("{}: leat gather is {} as fast as libcurl that reads the whole "
                       "object.",
                       this_scene->name, times(*whole / *ours))});
    if (ours && model)
      found.push_back(
          compare_with_model(fmt::format("leat gather, {}", this_scene->name), *model, *ours));
  }
  if (!has_time_for_each(all))
    found.push_back({fmt::format(
        "one request at a time would take {} s for {}: these rows are "
        "left out.",
        digits(all.speed.first_byte * static_cast<double>(all.few.count)), all.few.name)});
  found.push_back(
      {"objects have no C streams, mappings, updates or page cache: only the experiment with files "
       "has rows for these."});
  return found;
}

experiment make_stored_random_read(const request& wanted) {
  auto shared = std::make_shared<state>();
  const size run_size = wanted.size;
  const std::uint64_t copies = wanted.sized(4096, 1024, 16);
  shared->object = std::make_shared<content>(block_of_integers, block_of_integers_size, copies);
  shared->address = wanted.store + "integers";
  for (auto* const one : {&shared->few, &shared->many})
    one->integers = shared->object->size() / integer_size;
  shared->few.count = run_size == size::tiny ? 50 : 1000;
  shared->many.count = run_size == size::tiny ? 5000 : 100'000;
  for (auto* const one : {&shared->few, &shared->many})
    one->name = grouped(one->count) + " positions";

  experiment made;
  made.name = "random-read";
  made.title = "integers at random positions of an object";
  made.published = "nothing about stores; by A. Lakshman, 2024, about disks.";
  made.published_id = "E4";
  made.factors = {{"positions", {{shared->few.name, {}}, {shared->many.name, {}}}, layout::table}};
  made.variants = variants(shared);
  made.load = [shared](const setting& at) {
    const auto& this_scene = shared->at(at);
    return load{fmt::format("{} of {} integers in an object", this_scene.name,
                            grouped(this_scene.integers)),
                integer_size * this_scene.count, this_scene.count, "read"};
  };
  set_shared_members(made, shared);
  made.prepare = [shared, usual = made.prepare](const std::filesystem::path& folder) {
    shared->few.draw();
    shared->many.draw();
    usual(folder);
  };
  made.check = [shared](run& this_run) {
    if (this_run.answer != shared->at(this_run.setting).sum)
      throw failure("read other bytes than the object has");
  };
  made.findings = [shared](const outcome& result) { return findings(*shared, result); };
  for (const auto* this_scene : {&shared->few, &shared->many})
    made.charts.push_back({.title = this_scene->name,
                           .where = {{"positions", {this_scene->name, {}}}},
                           .logarithmic = true});
  made.headline = {{.work = shared->many.name + " of an object",
                    .ours = "leat gather",
                    .ours_at = {{"positions", {shared->many.name, {}}}},
                    .theirs = "libcurl, whole",
                    .theirs_at = {{"positions", {shared->many.name, {}}}}}};
  return made;
}

const registration stored_random_read(4, make_stored_random_read, medium::store);

}  // namespace

}  // namespace bench::store_random
