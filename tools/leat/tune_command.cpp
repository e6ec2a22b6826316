// `leat tune`: runs the questions and writes the answers.
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
struct measured_place {
  std::optional<scratch_folder> folder;
#if defined(LEAT_REMOTE)
  std::optional<scratch_objects> objects;
#endif
  questionnaire asked;

  std::filesystem::path path() const { return folder ? folder->path() : ""; }
};

void tell_of_folder(const std::string& name, tuning& all, measured_place& in) {
  const auto dir = path_from_utf8(name);
  in.folder.emplace(dir);
  all.dir = utf8_from_path(std::filesystem::canonical(dir));
  all.disk = volume_of(dir);
}

void tell_of_store([[maybe_unused]] const std::string& address, [[maybe_unused]] tuning& all,
                   [[maybe_unused]] measured_place& in) {
#if defined(LEAT_REMOTE)
  in.objects.emplace(address);
  all.dir = address;
  all.disk = volume_of_store();
#endif
}

void make_questions(const tune_options& options, tuning& all, measured_place& in) {
  request wanted{.size = options.size, .disk = options.disk};
  if (in.folder) {
    wanted.free_space = in.folder->free_space();
    in.asked = questions(wanted, in.path());
    return;
  }
#if defined(LEAT_REMOTE)
  if (!in.objects) return;
  wanted.store = in.objects->address();
  auto made = questions_of_store(wanted);
  if (!made.facts.steps.empty()) all.store = std::move(made.facts);
  in.asked = std::move(made.asked);
#endif
  all.session.complete = !is_interrupted();
}

}  // namespace

int tune_command(const tune_options& options) {
  const bool in_store = is_store(options.dir);
  if (in_store && !has_stores) throw usage_error(no_stores);
  if (in_store && options.disk) throw usage_error("--device simulates a disk under a folder");
  ignore_broken_output();
  require_writable({options.json, options.html});
  catch_interrupts();

  run_options how;
  tuning all;
  measured_place in;
  all.session = new_session(options.command, options.disk, in_store ? options.dir : "");
  in_store ? tell_of_store(options.dir, all, in) : tell_of_folder(options.dir, all, in);
  all.session.size = "quick";
  all.session.seed = how.seed;
  const auto on = standard_page();
  show(heading(all.session, on));

  progress_line line;
  line.show({in_store ? "making objects" : "making files"}, "");
  make_questions(options, all, in);
  const auto& asked = in.asked;
  all.notes = asked.notes;
  if (all.store) {
    line.clear();
    show(facts_text(*all.store, on));
  }

  how.rounds = options.rounds;
  how.budget = budget / static_cast<double>(asked.all.size());
  how.is_stopped = is_interrupted;
  std::size_t number = 0;  // of the current question
  how.report = [&](const progress& now) {
    line.show(now, fmt::format("{}/{}", number, asked.all.size()));
  };
  for (const auto& one : asked.all) {
    ++number;
    const auto given = run_experiment(one.tries, in.path(), how);
    line.clear();
    all.session.complete = given.complete;
    if (!given.complete) break;
    all.answers.push_back(answer_of(one, given));
    show(answer_text(all.answers.back(), on));
  }
  for (const auto& note : all.notes) show(wrapped("Not asked: " + note, on.width));
  if (!all.answers.empty()) show(recommendation_text(recommended(all.answers), on));
  if (!options.json.empty()) write_file(options.json, json_report(all));
  if (!options.html.empty()) write_file(options.html, html_report(all));
  return all.session.complete ? 0 : exit_interrupted;
}

}  // namespace bench
