// Runs the operations of leat, each with faults of the system calls and allocations that it makes.
// See usage().
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/allocations.hpp"
#include "sweep/calls.hpp"
#include "sweep/runner.hpp"

namespace {

using namespace sweep;

void usage() {
  std::puts(
      "usage: sweep [--sample N | --all] [--seed N] [--scenario NAME] [--faults LIST]\n"
      "\n"
      "Runs each scenario, an operation of leat, once without faults. Then runs it again for each\n"
      "error of each system call that it has made, and for each allocation. The call or the\n"
      "allocation fails once, or from then on. After each run, the promises of leat are checked.\n"
      "Ends with status 1 if a promise does not hold, and with 77 where ptrace is refused.\n"
      "\n"
      "  --sample N       this many of these runs, chosen by the seed (default: 2000)\n"
      "  --all            all of these runs, and all pairs of faults of the shortest scenarios\n"
      "  --pairs N        only pairs of faults, of the N shortest scenarios (with --all: of 40)\n"
      "  --seed N         repeat the choice of an earlier run, which printed N\n"
      "  --scenario NAME  only this scenario\n"
      "  --faults LIST    only these faults, as a violation prints them: 12:EIO,14:1,a5+\n"
      "  --list           print the names of the scenarios, and the calls that each makes");
}

struct settings {
  std::size_t sample = 2000;
  std::size_t pairs = 0;  // how many scenarios get pairs of faults
  bool singles = true, list = false;
  std::uint64_t seed = 0;
  std::string scenario, faults;
};

struct statistics {
  std::size_t runs = 0, call_faults = 0, allocation_faults = 0, pairs = 0, violations = 0;
};

/// A scenario and what it does without faults
struct subject {
  scenario of;
  std::vector<long> calls;
  std::size_t allocations = 0;
  std::ptrdiff_t kept = 0;
};

/// One run of the sample
struct choice {
  const subject* of;
  plan faults;
};

class sweeper {
 public:
  explicit sweeper(bool traces) : runner_(traces) {}

  statistics counts;

  /// Returns nothing if the scenario fails without faults.
  std::optional<subject> look(const scenario& one) {
    subject it{one, {}, 0, 0};
    const result done = run(it, {}, 1 << 30);
    if (!done.violations.empty()) return {};
    it.calls = done.calls.calls;
    it.allocations = done.allocations;
    it.kept = done.kept;
    return it;
  }

  result run(const subject& of, const plan& faults, std::ptrdiff_t kept) {
    result done = runner_.run(of.of, faults, kept);
    ++counts.runs;
    counts.call_faults += done.calls.hit;
    counts.allocation_faults += faults.allocation != plan::none;
    if (done.violations.empty()) return done;
    ++counts.violations;
    std::string where;
    for (const auto& one : faults.calls) where += ' ' + name_of(one.call);
    std::printf("VIOLATION: --scenario '%s' --faults '%s' (%s ): %s\n", of.of.name,
                faults.text().c_str(), where.c_str(), done.violations.c_str());
    std::fflush(stdout);
    return done;
  }

  /// Tries each fault, combined with each fault of the calls that follow the first fault.
  void run_pairs(const subject& of) {
    for (std::size_t i = 0; i != of.calls.size(); ++i) {
      for (const auto& first : faults_of(of.calls[i], i)) {
        const result one = run(of, {{first}, plan::none, false}, of.kept);
        const auto& calls = one.calls.calls;
        for (std::size_t j = i + 1; j < calls.size(); ++j) {
          for (const auto& second : faults_of(calls[j], j)) {
            run(of, {{first, second}, plan::none, false}, of.kept);
            ++counts.pairs;
          }
        }
      }
    }
  }

 private:
  runner runner_;
};

std::vector<choice> single_faults(const subject& of) {
  std::vector<choice> all;
  for (std::size_t i = 0; i != of.calls.size(); ++i) {
    for (auto fault : faults_of(of.calls[i], i)) {
      all.push_back({&of, {{fault}, plan::none, false}});
      // After errors that mean "not now", leat tries again for as long as they last. So these
      // errors occur only once.
      const bool passes = fault.error == EINTR || fault.error == EAGAIN || fault.error == EBUSY;
      fault.onwards = fault.error != 0 && !passes;
      const auto later = std::find(of.calls.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                   of.calls.end(), fault.call);
      if (fault.onwards && later != of.calls.end())
        all.push_back({&of, {{fault}, plan::none, false}});
    }
  }
  for (std::size_t i = 0; allocations_can_fail() && i != of.allocations; ++i)
    for (const bool onwards : {false, true}) all.push_back({&of, {{}, i, onwards}});
  return all;
}

/// Parses the value of --faults, for a scenario with these calls.
plan parse_faults(const std::string& text, const std::vector<long>& calls) {
  plan faults;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string one = text.substr(at, end - at);
    at = end + 1;
    if (one.starts_with('a')) {
      faults.allocation = std::strtoull(one.c_str() + 1, nullptr, 10);
      faults.onwards = one.ends_with('+');
      continue;
    }
    char* rest;
    call_fault fault{std::strtoull(one.c_str(), &rest, 10), any_call, 0};
    // After the first fault, the calls may differ from those of the run without faults. So the
    // other faults are for any call.
    if (faults.calls.empty() && fault.at < calls.size()) fault.call = calls[fault.at];
    std::string what = *rest == ':' ? rest + 1 : "";
    fault.onwards = what.ends_with('+');
    if (fault.onwards) what.pop_back();
    for (int error = 1; error != 134; ++error)
      if (!what.empty() && what == name_of_error(error)) fault.error = error;
    if (fault.error == 0) fault.most = std::strtoull(what.c_str(), nullptr, 10);
    faults.calls.push_back(fault);
  }
  return faults;
}

settings parse(int count, char** arguments) {
  settings how;
  how.seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch() /
                                        std::chrono::seconds(1));
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    const bool has_value = i + 1 < count;
    if (name == "--all") {
      how.sample = ~std::size_t{0};
      how.pairs = 40;
    } else if (name == "--pairs" && has_value) {
      how.singles = false;
      how.pairs = std::strtoull(arguments[++i], nullptr, 10);
    } else if (name == "--list") {
      how.list = true;
    } else if (name == "--sample" && has_value) {
      how.sample = std::strtoull(arguments[++i], nullptr, 10);
    } else if (name == "--seed" && has_value) {
      how.seed = std::strtoull(arguments[++i], nullptr, 10);
    } else if (name == "--scenario" && has_value) {
      how.scenario = arguments[++i];
    } else if (name == "--faults" && has_value) {
      how.faults = arguments[++i];
    } else {
      usage();
      std::exit(name == "--help" ? 0 : 2);
    }
  }
  return how;
}

std::vector<scenario> chosen_scenarios(const std::string& name) {
  std::vector<scenario> all;
  for (auto& some : {writing_scenarios(), sidecar_scenarios(), log_scenarios(), reading_scenarios(),
                     random_scenarios(), c_scenarios(), c_file_scenarios()})
    for (const auto& one : some)
      if (name.empty() || name == one.name) all.push_back(one);
  return all;
}

void print(const subject& of) {
  std::printf("%s: %zu allocations, %zu calls:", of.of.name, of.allocations, of.calls.size());
  for (const long call : of.calls) std::printf(" %s", name_of(call).c_str());
  std::putchar('\n');
}

void sweep_singles(sweeper& with, const std::vector<subject>& subjects, const settings& how) {
  std::vector<choice> choices;
  for (const auto& one : subjects) {
    const auto faults = single_faults(one);
    choices.insert(choices.end(), faults.begin(), faults.end());
  }
  const std::size_t all = choices.size();
  std::shuffle(choices.begin(), choices.end(), std::mt19937_64(how.seed));
  choices.resize(std::min(choices.size(), how.sample));
  std::printf("sweep: %zu scenarios, %zu of %zu single faults, seed %llu\n", subjects.size(),
              choices.size(), all, static_cast<unsigned long long>(how.seed));
  for (const auto& one : choices) with.run(*one.of, one.faults, one.of->kept);
}

void sweep_pairs(sweeper& with, std::vector<subject> subjects, std::size_t most) {
  std::erase_if(subjects, [](const subject& one) { return one.calls.size() < 2; });
  std::ranges::sort(subjects, {}, [](const subject& one) {
    return std::pair(one.calls.size(), std::string_view(one.of.name));
  });
  subjects.resize(std::min(subjects.size(), most));
  for (const auto& one : subjects) with.run_pairs(one);
}

}  // namespace

int main(int count, char** arguments) {
  const settings how = parse(count, arguments);
  std::string why;
  const bool traces = can_trace(why);
  if (!traces) std::printf("sweep: no system call fails: %s\n", why.c_str());
  if (!traces && !allocations_can_fail()) return 77;

  sweeper with(traces);
  std::vector<subject> subjects;
  for (const auto& one : chosen_scenarios(how.scenario))
    if (auto seen = with.look(one)) subjects.push_back(std::move(*seen));
  if (subjects.empty() && with.counts.violations == 0) {
    std::fprintf(stderr, "sweep: there is no scenario '%s'\n", how.scenario.c_str());
    return 2;
  }
  if (how.list) {
    for (const auto& one : subjects) print(one);
  } else if (!how.faults.empty()) {
    for (const auto& one : subjects) with.run(one, parse_faults(how.faults, one.calls), one.kept);
  } else {
    if (how.singles) sweep_singles(with, subjects, how);
    if (how.pairs != 0) sweep_pairs(with, subjects, how.pairs);
  }
  const statistics& counts = with.counts;
  std::printf(
      "sweep: %zu runs of %zu scenarios: %zu faults of system calls, %zu of allocations, "
      "%zu pairs; %zu violations\n",
      counts.runs, subjects.size(), counts.call_faults, counts.allocation_faults, counts.pairs,
      counts.violations);
  if (counts.violations != 0) return 1;
  return traces ? 0 : 77;
}
