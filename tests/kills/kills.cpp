// Kills processes that write files with leat, at random moments and at system calls. Compares the
// files with what the processes' calls had promised.
//
//   BUILD/tests/kills [--kills N] [--seed N] [--only SCENARIO] [--broken]
//
// --kills: the number of kills (default 1000). A third of the kills hits processes that append
// lines to one file together. --only: a scenario of scenarios.cpp, such as "append process", or
// "several" for the processes that append to one file. --broken: promises are recorded before the
// calls, so that violations must be found. Exit status 1: a violation; with --broken, a scenario
// without a violation.
#include <leat/leat.hpp>

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "kills/lines.hpp"
#include "kills/victim.hpp"

namespace leat_kills {

namespace {

/// The name, for --only and in messages, of the scenario in which several processes append to one
/// file.
constexpr const char* group_scenario = "several";

struct settings {
  std::size_t kills = 1000;
  std::uint64_t seed = 1;
  std::string only;
};

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Writes to the file after a kill. Returns what is wrong, or an empty text. The written text must
/// follow the file's content, or replace the content if the scenario replaces files. No leftover of
/// the killed writer may remain.
std::string check_next_writer(const std::string& folder, const std::string& name) {
  const std::string path = folder + "/file";
  const std::string found = read(path);
  const bool replaces = name.starts_with("replace");
  auto next = replaces ? leat::replace(path) : leat::append(path);
  next.write("next");
  next.close();
  if (read(path) != (replaces ? "next" : found + "next"))
    return "the next writer finds other bytes";
  for (const auto& one : std::filesystem::directory_iterator(folder)) {
    if (one.path().filename() != "file") return "left behind: " + one.path().filename().string();
  }
  return {};
}

/// Recovers a journal, appends a record, and then replaces the file by the concatenation of the
/// recovered records. Returns what is wrong with the journal, or an empty text.
std::string flatten_journal(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  const auto records = [&] {
    auto in = leat::journal_reader::open(path);
    std::string all;
    for (const auto& record : in) all += record.bytes;
    if (in.damage().ranges != 0) throw std::runtime_error("a killed writer has left damage");
    return all;
  };
  try {
    const std::string before = records();
    leat::journal::recover(path);
    const std::string found = records();
    if (found != before) return "recover changes records";
    auto next = leat::journal::open(path);
    next.append("next");
    next.close();
    if (records() != found + "next") return "the next writer finds other records";
    std::ofstream(path, std::ios::binary | std::ios::trunc) << found;
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

/// In every second round, victims die at a system call: at one of the first 199 stops, in an order
/// that reaches late stops in few rounds. In the other rounds victims die at a random moment.
kill_time choose_kill_time(std::mt19937_64& random, std::size_t round) {
  kill_time when;
  if (round % 2 == 0) {
    when.stops = 1 + round / 2 * 37 % 199;
  } else {
    when.events = random() % 60;
    when.microseconds = static_cast<unsigned>(random() % 3 == 0 ? random() % 300 : 0);
  }
  return when;
}

/// Runs one victim and kills it. Recovers the file of a journal, and of a scenario with durability
/// `process`. Adds the number of kills to `kills`. Returns the violation, or an empty text.
std::string run_and_check(const scenario& tested, report_log& reports, const std::string& folder,
                          std::uint64_t seed, const kill_time& when, std::size_t& kills) {
  const std::string path = folder + "/file";
  remove_files_beside(path);
  reports.clear();
  const bool is_journal = tested.name.starts_with("journal");
  std::string initial_content;
  if (seed % 2 == 0 && !is_journal) initial_content = "what was there before\n";
  victim v(reports, path, initial_content, seed);
  if (!initial_content.empty()) {
    std::ofstream(path, std::ios::binary) << initial_content;
    v.begin_change(initial_content);
    v.add_promise();
  } else if (tested.name.starts_with("append") || tested.name.starts_with("update") ||
             tested.name.starts_with("c-append") || is_journal) {
    v.begin_change("");
  }
  if (!run_and_kill([&] { tested.run(v); }, reports, when)) return "the victim ended by itself";
  ++kills;
  // Pending bytes in a sidecar are replayed by the next writer, or by leat::recover().
  std::error_code ec;
  if (tested.name.ends_with("process")) {
    kills += kill_recoveries(path, seed);
    leat::recover(path, ec);
  }
  if (ec && ec != std::errc::no_such_file_or_directory) return "recover: " + ec.message();
  if (is_journal) {
    if (const std::string complaint = flatten_journal(path); !complaint.empty()) return complaint;
  }
  const auto history = reports.to_history(tested.name, "file");
  const std::string complaint = history.violation(folder, reports.events());
  return complaint.empty() ? check_next_writer(folder, tested.name) : complaint;
}

settings parse(int argc, char** argv) {
  settings how;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--broken") {
      promise_early = true;
      continue;
    }
    const char* const value = ++i < argc ? argv[i] : "";
    if (word == "--kills")
      how.kills = std::strtoull(value, nullptr, 10);
    else if (word == "--seed")
      how.seed = std::strtoull(value, nullptr, 10);
    else if (word == "--only")
      how.only = value;
    else
      throw std::invalid_argument("unknown option " + std::string(word));
  }
  const auto& all = every_scenario();
  if (!how.only.empty() && how.only != group_scenario &&
      std::ranges::none_of(all, [&](const scenario& one) { return one.name == how.only; }))
    throw std::invalid_argument("no scenario is called " + how.only);
  return how;
}

class kill_run {
 public:
  explicit kill_run(settings how) : how_(std::move(how)), random_(how_.seed) {}

  /// Runs the chosen scenarios in turn, until there are at least `kills` kills.
  void kill_single_writers(const std::string& folder, std::size_t kills) {
    report_log reports;
    for (std::size_t round = 0; kills_ < kills; ++round) {
      for (const scenario& one : every_scenario()) {
        if (!how_.only.empty() && one.name != how_.only) continue;
        const std::uint64_t seed = random_();
        const kill_time when = choose_kill_time(random_, round);
        record_violation(one.name, seed, when,
                         run_and_check(one, reports, folder, seed, when, kills_));
      }
    }
  }

  /// Runs groups of writers until there are at least `kills` kills, including the kills of single
  /// writers.
  void kill_groups_of_writers(const std::string& folder, std::size_t kills) {
    while (kills_ < kills) {
      const std::uint64_t seed = random_();
      record_violation(group_scenario, seed, {},
                       kill_writers_of_lines(folder + "/file", seed, kills_));
    }
  }

  std::size_t kills() const { return kills_; }
  std::size_t violations() const { return violations_; }
  const std::set<std::string>& violated_scenarios() const { return violated_scenarios_; }

 private:
  void record_violation(const std::string& name, std::uint64_t seed, const kill_time& when,
                        const std::string& complaint) {
    if (complaint.empty()) return;
    violated_scenarios_.insert(name);
    if (++violations_ > 10 || promise_early) return;
    std::printf("%s: seed %llu, killed at stop %llu (or after %llu events and %u us): %s\n",
                name.c_str(), static_cast<unsigned long long>(seed),
                static_cast<unsigned long long>(when.stops),
                static_cast<unsigned long long>(when.events), when.microseconds, complaint.c_str());
  }

  settings how_;
  std::mt19937_64 random_;
  std::size_t kills_ = 0;
  std::size_t violations_ = 0;
  std::set<std::string> violated_scenarios_;
};

}  // namespace

}  // namespace leat_kills

int main(int argc, char** argv) {
  using namespace leat_kills;
  const settings how = parse(argc, argv);
  std::string folder = std::filesystem::temp_directory_path() / "leat-kills-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return 2;
  kill_run trials(how);
  const bool only_groups = how.only == group_scenario;
  if (!only_groups) trials.kill_single_writers(folder, how.kills - how.kills / 3);
  const std::size_t alone = trials.kills();
  if (how.only.empty() || only_groups) trials.kill_groups_of_writers(folder, how.kills);
  std::filesystem::remove_all(folder);
  std::printf(
      "kills: %zu of single writers, %zu of several that append to one file, "
      "%zu violations\n",
      alone, trials.kills() - alone, trials.violations());
  if (!promise_early) return trials.violations() != 0 ? 1 : 0;
  const std::size_t all = how.only.empty() ? every_scenario().size() + 1 : 1;
  std::printf("kills: violations were found in %zu of %zu scenarios\n",
              trials.violated_scenarios().size(), all);
  return trials.violated_scenarios().size() == all ? 0 : 1;
}
