// The command `leat`: its arguments and its exit codes.
#include <fmt/format.h>
#include <leat/leat.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "bench_command.hpp"

namespace {

constexpr int exit_failure = 1;
constexpr int exit_usage = 2;

constexpr auto exit_codes =
    "Exit codes: 0 success, 1 a run that failed, 2 bad usage, 130 interrupted (the tables of what\n"
    "was measured are printed all the same).";

void declare_bench(CLI::App& app, bench::bench_options& options) {
  auto* bench = app.add_subcommand("bench", "Measure leat beside its peers on this machine");
  bench->footer(exit_codes);
  bench->add_option("EXPERIMENT", options.experiments, "What to measure; without one, everything");
  bench->add_option("--dir", options.dirs, "Put the files into a private folder in DIR; repeatable")
      ->option_text("DIR [.]")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  bench
      ->add_option_function<std::string>(
          "--size",
          [&](const std::string& name) {
            options.how_much = name == "quick" ? bench::size::quick : bench::size::published;
          },
          "How much work: quick, or as published")
      ->option_text("quick|published [quick]")
      ->check(CLI::IsMember({"quick", "published"}));
  bench->add_option("--rounds", options.rounds, "So many repetitions, whatever time they take")
      ->option_text("N")
      ->check(CLI::Range(1, 10000));
  bench->add_option("--json", options.json, "Write all results to FILE, too")->option_text("FILE");
  bench->add_flag("--list", options.list, "List the experiments, run none");
}

int report(std::string_view message, int code) {
  fmt::print(stderr, "leat: {}\n", message);
  return code;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Streams for files, measured.", "leat");
  app.set_version_flag("--version", std::string("leat ") + leat_version());
  app.require_subcommand(1);
  app.footer(exit_codes);
  bench::bench_options options;
  options.command.assign(argv, argv + argc);
  declare_bench(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return report(fmt::format("{}\nTry: leat --help", error.what()), exit_usage);
  }
  return bench::bench_command(options);
} catch (const bench::usage_error& error) {
  return report(error.what(), exit_usage);
} catch (const std::exception& error) {
  return report(error.what(), exit_failure);
}
