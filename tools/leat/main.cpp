// The command `leat`: its arguments and its exit codes.
#include <fmt/format.h>
#include <leat/leat.h>
#include <leat/leat.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <sstream>
#include <string>

#include "bench_command.hpp"
#include "classic_commands.hpp"
#include "command.hpp"
#include "completion.hpp"
#include "measuring/scratch_objects.hpp"
#include "remote_command.hpp"
#include "system/system.hpp"
#include "tune_command.hpp"

namespace {

constexpr int exit_failure = 1;
constexpr int exit_usage = 2;

// The help text fits 80 columns.
constexpr auto exit_codes =
    "Exit codes: 0 success; 1 a failed run, or a folder or file that leat cannot use;\n"
    "2 bad usage; 3 bench --compare found something slower;\n"
    "130 interrupted (leat still prints the results so far).\n"
    "cat, head, tail, wc and cp have the exit codes of GNU's commands,\n"
    "find has those of grep.";

CLI::Option* add_device(CLI::App& command, std::optional<leat::simulated_disk>& disk,
                        std::string* store, const char* description) {
  const auto take = [&disk, store](const std::string& name) {
    if (store != nullptr && bench::is_store(name))
      *store = name;
    else
      disk = bench::devices().at(name);
  };
  const auto check = [store](const std::string& name) {
    return store != nullptr && bench::is_store(name) ? bench::has_stores ? "" : bench::no_stores
                                                     : CLI::IsMember(bench::devices())(name);
  };
  return command.add_option_function<std::string>("--device", take, description)->check(check);
}

void add_rounds(CLI::App& command, std::optional<int>& rounds, int fewest) {
  command.add_option("--rounds", rounds, "Run each variant N times, without a time limit")
      ->option_text("N")
      ->check(CLI::Range(fewest, 10000));
}

void declare_tune(CLI::App& app, bench::tune_options& options, std::function<int()>& run) {
  auto* tune = app.add_subcommand("tune", "Find the best options for a disk or object storage");
  tune->callback([&] { run = [&] { return bench::tune_command(options); }; });
  tune->footer(exit_codes);
  tune->add_option("DIR", options.dir,
                   "An existing folder on the disk;\nor object storage: s3://BUCKET/PREFIX")
      ->option_text("DIR [.]");
  add_device(*tune, options.disk, nullptr, "Simulate a disk")
      ->option_text("real|hdd|ssd|nvme|nfs|s3 [real]");
  add_rounds(*tune, options.rounds, 3);
  tune->add_option("--json", options.json, "Also write all results to FILE")->option_text("FILE");
  tune->add_option("--html", options.html, "Also write all results as a page to FILE")
      ->option_text("FILE");
}

void declare_bench(CLI::App& app, bench::bench_options& options, std::function<int()>& run) {
  auto* bench = app.add_subcommand("bench", "Compare leat with other libraries on this machine");
  bench->callback([&] { run = [&] { return bench::bench_command(options); }; });
  bench->footer(exit_codes);
  bench->add_option("EXPERIMENT", options.experiments, "What to measure; none: all experiments");
  bench->add_option("--dir", options.dirs, "Create files in DIR, which must exist; repeatable")
      ->option_text("DIR [.]")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  bench
      ->add_option_function<std::string>(
          "--size",
          [&](const std::string& name) {
            options.size = name == "tiny"    ? bench::size::tiny
                           : name == "quick" ? bench::size::quick
                                             : bench::size::published;
          },
          "Amount of work. With published, random-read\ntakes about 20 minutes, random-update "
          "about 30")
      ->option_text("quick|published [quick]")
      ->check(CLI::IsMember({"tiny", "quick", "published"}));  // tiny is for tests
  add_device(*bench, options.disk, &options.store,
             "Simulate a disk, for the random-* experiments;\n"
             "or object storage, s3://BUCKET/PREFIX,\nfor four experiments")
      ->option_text("real|hdd|ssd|nvme|nfs|s3|s3://... [real]");
  add_rounds(*bench, options.rounds, 1);
  bench->add_option("--json", options.json, "Also write all results to FILE")->option_text("FILE");
  bench->add_option("--submit", options.submit, "Also write figures for publication to FILE")
      ->option_text("FILE");
  bench->add_option("--html", options.html, "Also write a page with charts to FILE")
      ->option_text("FILE");
  bench->add_option("--png", options.png, "Also write each chart to DIR")->option_text("DIR");
  bench->add_option("--svg", options.svg, "Also write SVG charts, light and dark, to DIR")
      ->option_text("DIR");
  bench->add_option("--compare", options.compare, "Run nothing; compare two files of --json")
      ->option_text("OLD NEW")
      ->expected(2);
  bench->add_flag("--profile", options.profile,
                  "Show the costliest functions of the experiment\nmemory (needs perf)");
  bench->add_option("--only", options.only)->group("");  // used by --profile
  bench->add_flag("--list", options.list, "List the experiments; run none");
}

#if defined(LEAT_REMOTE)
void declare_remote(CLI::App& app, bench::remote_options& options, std::function<int()>& run) {
  auto* remote = app.add_subcommand("remote", "Manage objects in object storage");
  remote->require_subcommand(1);
  remote->footer(
      "Endpoint and credentials come from AWS_ENDPOINT_URL, AWS_REGION,\n"
      "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and ~/.aws.");
  const auto declare = [&](const char* name, const char* description, const char* address,
                           int (*command)(const bench::remote_options&)) {
    auto* one = remote->add_subcommand(name, description);
    one->add_option("ADDRESS", options.address, address)->required()->option_text(" ");
    one->callback(
        [&run, &options, command] { run = [&options, command] { return command(options); }; });
    return one;
  };
  declare("list", "Print size, time and address of objects", "s3://BUCKET/PREFIX",
          bench::list_objects);
  declare("remove", "Remove an object", "s3://BUCKET/KEY", bench::remove_object);
  auto* old = declare("abort-old", "Abort incomplete uploads", "s3://BUCKET/PREFIX",
                      bench::abort_old_uploads);
  old->add_option("--days", options.older_than, "Only uploads that began at least N days ago")
      ->option_text("N [7]")
      ->check(CLI::Range(0.0, 36'500.0));  // times of the clock overflow after 292 years
  old->add_flag("--dry-run", options.dry_run, "Print the uploads; abort none");
}
#endif

void declare_completion(CLI::App& app, std::string& shell, std::function<int()>& run) {
  auto* one = app.add_subcommand("completion", "Print a script that completes arguments");
  one->add_option("SHELL", shell, "bash, zsh or fish")
      ->required()
      ->option_text(" ")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  one->callback([&] {
    run = [&] {
      bench::show(bench::completion(app, shell));
      return 0;
    };
  });
}

/// Returns the message for wrong arguments. CLI11 reports only that a command is missing, even if
/// the arguments contain an unknown command.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  const auto* last = &app;  // the last recognized command
  while (!last->get_subcommands().empty()) last = last->get_subcommands().front();
  const bool has_commands = last->get_require_subcommand_min() != 0;
  if (!has_commands || !dynamic_cast<const CLI::RequiredError*>(&error)) return error.what();
  const auto strays = last->remaining();
  if (strays.empty()) return "a command is missing";
  const auto* kind = strays.front().starts_with('-') ? "option" : "command";
  return fmt::format("there is no {} '{}'", kind, strays.front());
}

int report(std::string_view message, int code) {
  leat::err.println("leat: {}", leat::detail::escaped(message));
  return code;
}

/// Usage lines say FILE... instead of CLI11's number of files.
class formatter final : public CLI::Formatter {
  std::string make_option_usage(const CLI::Option* option) const override {
    if (option->get_expected_max() < CLI::detail::expected_max_vector_size - 1)
      return CLI::Formatter::make_option_usage(option);
    return '[' + option->get_name(true) + "...]";
  }
};

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Small commands for files, and measurements of leat.", "leat");
  app.set_version_flag("--version", std::string("leat ") + leat_version());
  app.require_subcommand(1);
  app.allow_windows_style_options(false);  // paths begin with a slash, too
  app.footer(exit_codes);
  app.formatter(std::make_shared<formatter>());
  bench::bench_options to_bench;
  bench::tune_options to_tune;
  auto arguments = bench::arguments_of(argc, argv);
  to_bench.command = arguments;
  to_tune.command = to_bench.command;
  std::function<int()> run;  // the chosen command
  bench::declare_classics(app, run);
  declare_bench(app, to_bench, run);
  declare_tune(app, to_tune, run);
#if defined(LEAT_REMOTE)
  bench::remote_options to_remote;
  declare_remote(app, to_remote, run);
#endif
  std::string shell;
  declare_completion(app, shell, run);
  try {
    bench::expand_line_count(arguments);
    arguments.erase(arguments.begin());
    std::ranges::reverse(arguments);  // the parser takes arguments in reverse
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      std::ostringstream text;
      app.exit(error, text, text);
      bench::show(text.str());
      return 0;
    }
    const auto chosen = app.get_subcommands();
    const auto help = chosen.empty() ? std::string("leat --help")
                                     : fmt::format("leat {} --help", chosen.front()->get_name());
    const int code = chosen.empty()
                         ? exit_usage
                         : bench::usage_exit_code(chosen.front()->get_name(), exit_usage);
    report(usage_message(app, error), code);
    leat::err.println("Try: {}", help);
    return code;
  }
  return run();
} catch (const bench::usage_error& error) {
  return report(error.what(), exit_usage);
} catch (const std::exception& error) {
  return report(error.what(), exit_failure);
}
