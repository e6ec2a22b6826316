// E4 in a store: integers at random positions of an object.
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

constexpr std::size_t single_requests = 32;  // parallel requests by libcurl

struct state final : store_fixture {
  scene few, many;
  integers values;         // of this repetition; closed before the bytes are counted
  integers reused_values;  // open since the first repetition that uses them

  scene& at(const setting& where) { return where.has("positions", few.name) ? few : many; }
  void close() override {
    if (values.is_open()) values.close();
  }
};
std::uint64_t sum_of(std::span<const std::uint32_t> values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

void gather(const integers& from, scene& where, run& this_run) {
  from.gather(where.drawn_positions, std::span(where.values));
  this_run.answer = sum_of(where.values);
}

void leat_gather(state& of, run& this_run, leat::route route) {
  leat::records_options how;
  how.access.route = route;
  of.values = integers::open(of.address, leat::mode::read, how);
  gather(of.values, of.at(this_run.setting), this_run);
}

void leat_gather_again(state& of, run& this_run) {
  if (!of.reused_values.is_open()) of.reused_values = integers::open(of.address);
  gather(of.reused_values, of.at(this_run.setting), this_run);
}

void leat_one_by_one(state& of, run& this_run) {
  of.values = integers::open(of.address);
  for (const auto position : of.at(this_run.setting).drawn_positions)
    this_run.answer += of.values[position];
}

void simulated_gather(const state& of, scene& where, run& this_run) {
  auto device = simulated_store(of.object, of.speed);
  const leat::device& clock = *device;
  const integers from(leat::file(std::move(device), leat::mode::read));
  gather(from, where, this_run);
  this_run.reported_seconds = std::chrono::duration<double>(clock.now()).count();
}

void curl_ranges(state& of, run& this_run, std::size_t at_a_time) {
  auto& where = of.at(this_run.setting);
  std::vector<leat::byte_range> ranges;
  ranges.reserve(where.count);
  for (const auto position : where.drawn_positions)
    ranges.push_back({std::uint64_t{position} * integer_size, integer_size});
  auto* const into = reinterpret_cast<char*>(where.values.data());
  if (at_a_time == 1)
    of.curl->read_one_by_one(ranges, into);
  else
    of.curl->read_many(ranges, into, at_a_time);
  this_run.answer = sum_of(where.values);
}

void curl_whole(state& of, run& this_run) {
  of.memory.resize(of.object->size());
  of.curl->read_all(of.memory.data(), of.memory.size());
  for (const auto position : of.at(this_run.setting).drawn_positions) {
    std::uint32_t value = 0;
    std::memcpy(&value, of.memory.data() + std::uint64_t{position} * integer_size, sizeof value);
    this_run.answer += value;
  }
}

/// True if there is time for sequential requests. Known once the store's speed is measured.
bool has_time_for_each(const state& of) {
  constexpr double most = 3;  // seconds
  return of.speed.first_byte * static_cast<double>(of.few.count) <= most;
}

std::vector<variant> variants(const std::shared_ptr<state>& of) {
  const auto few = [of](const setting& at) { return at.has("positions", of->few.name); };
  const auto few_and_near = [of, few](const setting& at) {
    return few(at) && has_time_for_each(*of);
  };
  const auto gathers = [of](leat::route route) {
    return [of, route](run& this_run) { leat_gather(*of, this_run, route); };
  };
  std::vector<variant> all{
      {"leat gather", role::leat, gathers(leat::route::automatic)},
      {"leat gather again", role::leat, [of](run& this_run) { leat_gather_again(*of, this_run); }},
      {"leat gather, direct", role::leat, gathers(leat::route::direct), few},
      {"leat operator[]", role::leat, [of](run& this_run) { leat_one_by_one(*of, this_run); },
       few_and_near},
      {"simulated gather", role::model,
       [of](run& this_run) { simulated_gather(*of, of->at(this_run.setting), this_run); }}};
  if (!no_curl_reason().empty()) return all;
  const auto curl = [of](std::size_t at_a_time) {
    return [of, at_a_time](run& this_run) { curl_ranges(*of, this_run, at_a_time); };
  };
  all.push_back({"libcurl, one by one", role::peer, curl(1), few_and_near});
  all.push_back({fmt::format("libcurl, {} at a time", single_requests), role::peer,
                 curl(single_requests), few});
  all.push_back(
      {"libcurl, whole", role::baseline, [of](run& this_run) { curl_whole(*of, this_run); }});
  return all;
}

std::vector<finding> findings(const state& all, const outcome& result) {
  auto found = common_findings(all);
  for (const auto* where : {&all.few, &all.many}) {
    const choices at{{"positions", {where->name, {}}}};
    const auto ours = result.median("leat gather", at),
               model = result.median("simulated gather", at);
    const auto whole = result.median("libcurl, whole", at);
    if (ours && whole)
      found.push_back(
          {fmt::format("{}: leat gather is {} as fast as libcurl that reads the whole "
                       "object.",
                       where->name, times(*whole / *ours))});
    if (ours && model)
      found.push_back(
          compare_with_model(fmt::format("leat gather, {}", where->name), *model, *ours));
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
  auto of = std::make_shared<state>();
  const size run_size = wanted.size;
  const std::uint64_t copies = wanted.sized(4096, 1024, 16);
  of->object = std::make_shared<content>(block_of_integers, block_of_integers_size, copies);
  of->address = wanted.store + "integers";
  for (auto* const one : {&of->few, &of->many}) one->integers = of->object->size() / integer_size;
  of->few.count = run_size == size::tiny ? 50 : 1000;
  of->many.count = run_size == size::tiny ? 5000 : 100'000;
  for (auto* const one : {&of->few, &of->many}) one->name = grouped(one->count) + " positions";

  experiment made;
  made.name = "random-read";
  made.title = "integers at random positions of an object";
  made.published = "nothing about stores; by A. Lakshman, 2024, about disks.";
  made.published_id = "E4";
  made.factors = {{"positions", {{of->few.name, {}}, {of->many.name, {}}}, layout::table}};
  made.variants = variants(of);
  made.load = [of](const setting& at) {
    const auto& where = of->at(at);
    return load{fmt::format("{} of {} integers in an object", where.name, grouped(where.integers)),
                integer_size * where.count, where.count, "read"};
  };
  set_shared_members(made, of);
  made.prepare = [of, usual = made.prepare](const std::filesystem::path& folder) {
    of->few.draw();
    of->many.draw();
    usual(folder);
  };
  made.check = [of](run& this_run) {
    if (this_run.answer != of->at(this_run.setting).sum)
      throw failure("read other bytes than the object has");
  };
  made.findings = [of](const outcome& result) { return findings(*of, result); };
  for (const auto* where : {&of->few, &of->many})
    made.charts.push_back(
        {.title = where->name, .where = {{"positions", {where->name, {}}}}, .logarithmic = true});
  made.headline = {{.work = of->many.name + " of an object",
                    .ours = "leat gather",
                    .ours_at = {{"positions", {of->many.name, {}}}},
                    .theirs = "libcurl, whole",
                    .theirs_at = {{"positions", {of->many.name, {}}}}}};
  return made;
}

const registration stored_random_read(4, make_stored_random_read, medium::store);

}  // namespace

}  // namespace bench::store_random
