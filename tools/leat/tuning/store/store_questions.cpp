// The questions of `leat tune` for a store, and the objects that the questions share.
// tune_command.cpp calls questions_of_store().
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

void read(const shared_objects& objects, run& this_run, const leat::open_options& options) {
  auto in = leat::open(objects.text, options);
  std::array<char, line_size> line;
  while (const std::size_t n = in.read(line)) this_run.answer += n;
  in.close();
}

void gather(shared_objects& objects, run& this_run, const leat::access_options& access_options) {
  leat::records_options options;
  options.access = access_options;
  const auto values = integers::open(objects.visited, leat::mode::read, options);
  values.gather(objects.scene.drawn_positions, std::span(objects.scene.values));
  this_run.answer =
      std::accumulate(objects.scene.values.begin(), objects.scene.values.end(), std::uint64_t{0});
}

/// Returns sentences about the options that leat chooses by default for these objects.
std::string default_choice_of(shared_objects& objects) {
  const auto file = leat::file::open(objects.visited);
  std::vector<leat::byte_range> ranges;
  ranges.reserve(objects.scene.drawn_positions.size());
  for (const auto position : objects.scene.drawn_positions)
    ranges.push_back({std::uint64_t{position} * integer_size, integer_size});
  file.read_ranges(ranges, [](std::string_view, std::size_t) {});
  const auto plan = file.last_plan();
  return fmt::format(
      "By itself leat gathers {} positions of an object of {} MB with a gap of {}: {} requests "
      "read {} MB ({}). Streams begin with 256 KiB, and have up to 64 MiB under way in ranges of "
      "up to 8 MiB.",
      grouped(plan.positions), digits(static_cast<double>(file.size()) / 1e6),
      bytes(static_cast<std::int64_t>(plan.gap / kib * kib)).text, grouped(plan.requests),
      digits(static_cast<double>(plan.bytes) / 1e6), plan.why);
}

store_facts facts_of(shared_objects& objects) {
  store_facts found;
  found.first_byte = measure_speed(objects.visited).first_byte;
  for (std::size_t n = 1; n <= 32; n *= 2) {
    if (is_interrupted()) break;
    const auto speed = measure_parallel(objects.visited, n);
    found.steps.push_back({n, speed.requests, speed.bytes});
  }
  if (!is_interrupted()) found.default_choice = default_choice_of(objects);
  return found;
}

}  // namespace

store_questionnaire questions_of_store(const request& wanted) {
  const bool tiny = wanted.size == size::tiny;
  const auto objects = std::make_shared<shared_objects>();
  objects->text = wanted.store + "text";
  objects->visited = wanted.store + "integers";
  content text(block_of_lines, lines_block_size, tiny ? 1 : 13);
  content visited(block_of_integers, block_of_integers_size, tiny ? 16 : 1024);
  objects->text_size = text.size();
  objects->scene.integers = visited.size() / integer_size;
  objects->scene.count = tiny ? 50 : 1000;
  objects->scene.draw();
  for (const auto& [object, address] :
       {std::pair{&text, objects->text}, {&visited, objects->visited}}) {
    object->fill();
    upload(address, *object);
  }
  store_questionnaire made;
  if (is_interrupted()) return made;
  made.facts = facts_of(*objects);

  using leat::access_options, leat::open_options;
  auto& reading = made.questionnaire.questions.emplace_back(
      make_question("leat::open_options", "for reading objects", "buffer",
                    fmt::format("read {} MiB of an object", objects->text_size / mib),
                    size_candidates("buffer_size", &open_options::buffer_size,
                                    {256 * kib, mib, 4 * mib, 16 * mib}),
                    [objects](run& this_run, const open_options& options) {
                      read(*objects, this_run, options);
                    }));
  reading.experiment.check = [objects](run& this_run) {
    if (this_run.answer != objects->text_size)
      throw failure("read other bytes than the object has");
  };
  const auto add = [&](const char* name, candidates<access_options> tried) {
    auto& asked = made.questionnaire.questions.emplace_back(
        make_question("leat::access_options", "for batches of an object", name,
                      fmt::format("gather {} of {} integers of an object",
                                  grouped(objects->scene.count), grouped(objects->scene.integers)),
                      std::move(tried), [objects](run& this_run, const access_options& options) {
                        gather(*objects, this_run, options);
                      }));
    asked.experiment.check = [objects](run& this_run) {
      if (this_run.answer != objects->scene.sum)
        throw failure("found other values than the object has");
    };
  };
  add("gap", size_candidates("gap", &access_options::gap, {16 * kib, 128 * kib, mib, 8 * mib}));
  add("longest range",
      size_candidates("longest", &access_options::longest, {mib, 4 * mib, 16 * mib}));
  add("queue depth", size_candidates("depth", &access_options::depth, {4, 8, 16, 32, 64}));
  return made;
}

}  // namespace bench
