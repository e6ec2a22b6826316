#include "tune_command.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "command.hpp"
#include "measuring/interrupt.hpp"
#include "measuring/runner.hpp"
#include "measuring/scratch_folder.hpp"
#include "reporting/terminal.hpp"
#include "reporting/text.hpp"
#include "system/path_text.hpp"
#include "system/system.hpp"
#include "tuning/answers.hpp"
#include "tuning/questions.hpp"

namespace bench {

namespace {

constexpr double budget = 55;  // seconds for all questions; the files take a few more

}  // namespace

int tune_command(const tune_options& options) {
  ignore_broken_output();
  require_writable({options.json, options.html});
  catch_interrupts();
  const auto dir = path_from(options.dir);
  scratch_folder folder(dir);

  run_options how;
  tuning all;
  all.on = new_session(options.command, options.disk);
  all.dir = text_of(std::filesystem::canonical(dir));
  all.disk = volume_of(dir);
  all.on.size = "quick";
  all.on.seed = how.seed;
  const auto on = standard_page();
  show(heading(all.on, on));

  const request wanted{options.how_much, options.disk, folder.space()};
  progress_line line;
  line.show({"making files"}, "");
  const auto asked = questions(wanted, folder.path());
  all.notes = asked.notes;

  how.rounds = options.rounds;
  how.budget = budget / static_cast<double>(asked.all.size());
  how.stopped = is_interrupted;
  std::size_t number = 0;  // of the question that is asked
  how.report = [&](const progress& now) {
    line.show(now, fmt::format("{}/{}", number, asked.all.size()));
  };
  for (const auto& one : asked.all) {
    ++number;
    const auto given = run_experiment(one.tries, folder.path(), how);
    line.clear();
    all.on.complete = given.complete;
    if (!given.complete) break;
    all.answers.push_back(answer_of(one, given));
    show(answer_text(all.answers.back(), on));
  }
  for (const auto& note : all.notes) show(wrapped("Not asked: " + note, on.width));
  if (!all.answers.empty()) show(recommendation_text(recommended(all.answers), on));
  if (!options.json.empty()) write_file(options.json, json_report(all));
  if (!options.html.empty()) write_file(options.html, html_report(all));
  return all.on.complete ? 0 : exit_interrupted;
}

}  // namespace bench
