// `leat tune`: runs the questions and writes the answers. main.cpp calls tune_command().
#include "tune_command.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "command.hpp"
#include "measuring/interrupt.hpp"
#include "measuring/runner.hpp"
#include "measuring/scratch_folder.hpp"
#include "measuring/scratch_objects.hpp"
#include "reporting/terminal.hpp"
#include "reporting/text.hpp"
#include "system/path_text.hpp"
#include "system/system.hpp"
#include "tuning/answers.hpp"
#include "tuning/questions.hpp"
#if defined(LEAT_REMOTE)
#  include "tuning/store/store_questions.hpp"
#endif

namespace bench {

namespace {

constexpr double budget = 55;  // seconds for all questions, without the time for making the files

/// The folder of the files or the prefix of the objects, and the questions about the disk or store.
struct scratch_location {
  std::optional<scratch_folder> folder;
#if defined(LEAT_REMOTE)
  std::optional<scratch_objects> objects;
#endif
  bench::questionnaire questionnaire;

  std::filesystem::path path() const { return folder ? folder->path() : ""; }
};

void prepare_folder(const std::string& name, tuning& all, scratch_location& location) {
  const auto dir = path_from_utf8(name);
  location.folder.emplace(dir);
  all.dir = utf8_from_path(std::filesystem::canonical(dir));
  all.disk = volume_of(dir);
}

void prepare_store([[maybe_unused]] const std::string& address, [[maybe_unused]] tuning& all,
                   [[maybe_unused]] scratch_location& location) {
#if defined(LEAT_REMOTE)
  location.objects.emplace(address);
  all.dir = address;
  all.disk = volume_of_store();
#endif
}

void make_questions(const tune_options& options, tuning& all, scratch_location& location) {
  request wanted{.size = options.size, .disk = options.disk};
  if (location.folder) {
    wanted.free_space = location.folder->free_space();
    location.questionnaire = questions(wanted, location.path());
    return;
  }
#if defined(LEAT_REMOTE)
  if (!location.objects) return;
  wanted.store = location.objects->address();
  auto made = questions_of_store(wanted);
  if (!made.facts.steps.empty()) all.store = std::move(made.facts);
  location.questionnaire = std::move(made.questionnaire);
#endif
  all.session.complete = !is_interrupted();
}

}  // namespace

int tune_command(const tune_options& options) {
  const bool uses_store = is_store(options.dir);
  if (uses_store && !has_stores) throw usage_error(no_stores);
  if (uses_store && options.disk)
    throw usage_error("--device works with folders only: it simulates a disk");
  ignore_broken_output();
  require_writable({options.json, options.html});
  catch_interrupts();

  run_options runner_options;
  tuning all;
  scratch_location location;
  all.session = new_session(options.command, options.disk, uses_store ? options.dir : "");
  uses_store ? prepare_store(options.dir, all, location)
             : prepare_folder(options.dir, all, location);
  all.session.size = "quick";
  all.session.seed = runner_options.seed;
  const auto page = standard_page();
  show(heading(all.session, page));

  progress_line line;
  line.show({uses_store ? "making objects" : "making files"}, "");
  make_questions(options, all, location);
  const auto& questionnaire = location.questionnaire;
  all.notes = questionnaire.notes;
  if (all.store) {
    line.clear();
    show(facts_text(*all.store, page));
  }

  runner_options.rounds = options.rounds;
  runner_options.budget = budget / static_cast<double>(questionnaire.questions.size());
  runner_options.is_stopped = is_interrupted;
  std::size_t number = 0;  // number of the current question
  runner_options.report = [&](const progress& now) {
    line.show(now, fmt::format("{}/{}", number, questionnaire.questions.size()));
  };
  for (const auto& one : questionnaire.questions) {
    ++number;
    const auto given = run_experiment(one.experiment, location.path(), runner_options);
    line.clear();
    all.session.complete = given.complete;
    if (!given.complete) break;
    all.answers.push_back(answer_of(one, given));
    show(answer_text(all.answers.back(), page));
  }
  for (const auto& note : all.notes) show(wrapped("Not asked: " + note, page.width));
  if (!all.answers.empty()) show(recommendation_text(recommend(all.answers), page));
  if (!options.json.empty()) write_file(options.json, json_report(all));
  if (!options.html.empty()) write_file(options.html, html_report(all));
  return all.session.complete ? 0 : exit_interrupted;
}

}  // namespace bench
