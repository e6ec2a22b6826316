// The questions of `leat tune` for a store, and the objects that they share.
#include "tuning/store/store_questions.hpp"

#include <fmt/format.h>
#include <leat/leat.hpp>

#include <array>
#include <memory>
#include <numeric>
#include <span>

#include "experiments/store/objects.hpp"
#include "experiments/texts.hpp"
#include "experiments/visits.hpp"
#include "measuring/interrupt.hpp"
#include "reporting/text.hpp"
#include "tuning/make_question.hpp"

namespace bench {

namespace {

using integers = leat::records<std::uint32_t>;

struct shared_objects {
  std::string text, visited;  // addresses
  std::uint64_t text_size = 0;
  bench::scene scene;
};

void read(const shared_objects& from, run& this_run, const leat::open_options& how) {
  auto in = leat::open(from.text, how);
  std::array<char, line_size> line;
  while (const std::size_t n = in.read(line)) this_run.answer += n;
  in.close();
}

void gather(shared_objects& from, run& this_run, const leat::access_options& how) {
  leat::records_options options;
  options.access = how;
  const auto values = integers::open(from.visited, leat::mode::read, options);
  values.gather(from.scene.drawn_positions, std::span(from.scene.values));
  this_run.answer =
      std::accumulate(from.scene.values.begin(), from.scene.values.end(), std::uint64_t{0});
}

/// Returns a sentence about the options that leat chooses by default for these objects.
std::string default_choice_of(shared_objects& in) {
  const auto file = leat::file::open(in.visited);
  std::vector<leat::byte_range> ranges;
  ranges.reserve(in.scene.drawn_positions.size());
  for (const auto position : in.scene.drawn_positions)
    ranges.push_back({std::uint64_t{position} * integer_size, integer_size});
  file.read_ranges(ranges, [](std::string_view, std::size_t) {});
  const auto plan = file.last_plan();
  return fmt::format(
      "By itself leat gathers {} positions of {} MB with a gap of {}, by {} requests and {} MB "
      "({}). "
      "Streams begin with 256 KiB, and have up to 64 MiB under way in ranges of up to 8 MiB.",
      grouped(plan.positions), digits(static_cast<double>(file.size()) / 1e6),
      bytes(static_cast<std::int64_t>(plan.gap / kib * kib)).text, grouped(plan.requests),
      digits(static_cast<double>(plan.bytes) / 1e6), plan.why);
}

store_facts facts_of(shared_objects& in) {
  store_facts found;
  found.first_byte = measure_speed(in.visited).first_byte;
  for (std::size_t n = 1; n <= 32; n *= 2) {
    if (is_interrupted()) break;
    const auto speed = measure_parallel(in.visited, n);
    found.steps.push_back({n, speed.requests, speed.bytes});
  }
  if (!is_interrupted()) found.default_choice = default_choice_of(in);
  return found;
}

}  // namespace

store_questionnaire questions_of_store(const request& wanted) {
  const bool tiny = wanted.size == size::tiny;
  const auto on = std::make_shared<shared_objects>();
  on->text = wanted.store + "text";
  on->visited = wanted.store + "places";
  content text(block_of_lines, lines_block_size, tiny ? 1 : 13);
  content visited(block_of_integers, block_of_integers_size, tiny ? 16 : 1024);
  on->text_size = text.size();
  on->scene.integers = visited.size() / integer_size;
  on->scene.count = tiny ? 50 : 1000;
  on->scene.draw();
  for (const auto& [object, address] : {std::pair{&text, on->text}, {&visited, on->visited}}) {
    object->fill();
    upload(address, *object);
  }
  store_questionnaire made;
  if (is_interrupted()) return made;
  made.facts = facts_of(*on);

  using leat::access_options, leat::open_options;
  auto& reading = made.questionnaire.questions.emplace_back(
      make_question("leat::open_options", "for reading objects", "buffer",
                    fmt::format("read {} MiB of an object", on->text_size / mib),
                    size_candidates("buffer_size", &open_options::buffer_size,
                                    {256 * kib, mib, 4 * mib, 16 * mib}),
                    [on](run& this_run, const open_options& how) { read(*on, this_run, how); }));
  reading.experiment.check = [on](run& this_run) {
    if (this_run.answer != on->text_size) throw failure("read other bytes than the object has");
  };
  const auto add = [&](const char* name, candidates<access_options> tried) {
    auto& asked = made.questionnaire.questions.emplace_back(make_question(
        "leat::access_options", "for batches of an object", name,
        fmt::format("gather {} of {} integers of an object", grouped(on->scene.count),
                    grouped(on->scene.integers)),
        std::move(tried),
        [on](run& this_run, const access_options& how) { gather(*on, this_run, how); }));
    asked.experiment.check = [on](run& this_run) {
      if (this_run.answer != on->scene.sum) throw failure("found other values than the object has");
    };
  };
  add("gap", size_candidates("gap", &access_options::gap, {16 * kib, 128 * kib, mib, 8 * mib}));
  add("longest range",
      size_candidates("longest", &access_options::longest, {mib, 4 * mib, 16 * mib}));
  add("queue depth", size_candidates("depth", &access_options::depth, {4, 8, 16, 32, 64}));
  return made;
}

}  // namespace bench
