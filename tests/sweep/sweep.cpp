// Runs the operations of leat with faults of the system calls and allocations of each operation.
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
      "usage: sweep [--sample N | --all | --pairs N] [--seed N] [--scenario NAME]\n"
      "             [--faults LIST | --list]\n"
      "\n"
      "Runs each scenario, an operation of leat, once without faults. Then runs the scenario\n"
      "again for each fault of each system call of the first run, and for each allocation. A\n"
      "fault of a call is an error, or a transfer of fewer bytes. The call or the allocation\n"
      "fails once, or from then on. After each run, the promises of leat are checked. If a\n"
      "promise does not hold, ends with status 1. If ptrace is refused, only allocations fail,\n"
      "and the status is 77 instead of 0.\n"
      "\n"
      "  --sample N       this many of these runs, chosen by the seed (default: 2000)\n"
      "  --all            all of these runs, and all pairs of faults of the 40 shortest\n"
      "                   scenarios\n"
      "  --pairs N        only pairs of faults, of the N shortest scenarios\n"
      "  --seed N         repeat the choice of an earlier run, which printed N\n"
      "  --scenario NAME  only this scenario\n"
      "  --faults LIST    only these faults, as a violation prints them: 12:EIO,14:1,a5+\n"
      "  --list           print the names of the scenarios, and the calls that each makes");
}

struct settings {
  std::size_t sample = 2000;
  std::size_t pairs = 0;  // number of scenarios that run with pairs of faults
  bool singles = true, list = false;
  std::uint64_t seed = 0;
  std::string scenario, faults;
};

struct statistics {
  std::size_t runs = 0, call_faults = 0, allocation_faults = 0, pairs = 0, violations = 0;
};

/// A scenario, and its calls and allocations in a run without faults.
struct baseline {
  scenario tested;
  std::vector<long> calls;
  std::size_t allocations = 0;
  std::ptrdiff_t unfreed = 0;
};

/// One run of the sample.
struct sample_run {
  const baseline* base;
  fault_plan faults;
};

class sweeper {
 public:
  explicit sweeper(bool traces) : runner_(traces) {}

  statistics counts;

  /// Runs the scenario without faults. Returns nothing if a promise does not hold.
  std::optional<baseline> run_without_faults(const scenario& tested) {
    baseline base{tested, {}, 0, 0};
    const result run_result = run(base, {}, 1 << 30);
    if (!run_result.violations.empty()) return {};
    base.calls = run_result.calls.calls;
    base.allocations = run_result.allocations;
    base.unfreed = run_result.unfreed;
    return base;
  }

  /// Runs the scenario with these faults, counts the run, and prints the broken promises.
  result run(const baseline& base, const fault_plan& faults, std::ptrdiff_t allowed_unfreed) {
    result run_result = runner_.run(base.tested, faults, allowed_unfreed);
    ++counts.runs;
    counts.call_faults += run_result.calls.faults_hit;
    counts.allocation_faults += faults.allocation != fault_plan::none;
    if (run_result.violations.empty()) return run_result;
    ++counts.violations;
    std::string where;
    for (const auto& fault : faults.calls) where += ' ' + name_of(fault.call);
    std::printf("VIOLATION: --scenario '%s' --faults '%s' (%s ): %s\n", base.tested.name,
                faults.text().c_str(), where.c_str(), run_result.violations.c_str());
    std::fflush(stdout);
    return run_result;
  }

  /// Tries each fault, combined with each fault of the calls that follow the first fault.
  void run_pairs(const baseline& base) {
    for (std::size_t i = 0; i != base.calls.size(); ++i) {
      for (const auto& first : faults_of(base.calls[i], i)) {
        const result first_run = run(base, {{first}, fault_plan::none, false}, base.unfreed);
        const auto& calls = first_run.calls.calls;
        for (std::size_t j = i + 1; j < calls.size(); ++j) {
          for (const auto& second : faults_of(calls[j], j)) {
            run(base, {{first, second}, fault_plan::none, false}, base.unfreed);
            ++counts.pairs;
          }
        }
      }
    }
  }

 private:
  runner runner_;
};

/// Returns the runs with a single fault. For each fault of a call: a run with only this fault and,
/// if the fault is a lasting error, a run in which all later calls of this kind fail, too. For each
/// allocation: the same two runs.
std::vector<sample_run> single_faults(const baseline& base) {
  std::vector<sample_run> all;
  for (std::size_t i = 0; i != base.calls.size(); ++i) {
    for (auto fault : faults_of(base.calls[i], i)) {
      all.push_back({&base, {{fault}, fault_plan::none, false}});
      // After errors that mean "not now", leat may repeat the call until the call succeeds. So
      // these errors occur only once.
      const bool is_transient =
          fault.error == EINTR || fault.error == EAGAIN || fault.error == EBUSY;
      fault.onwards = fault.error != 0 && !is_transient;
      const auto later = std::find(base.calls.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                   base.calls.end(), fault.call);
      if (fault.onwards && later != base.calls.end())
        all.push_back({&base, {{fault}, fault_plan::none, false}});
    }
  }
  for (std::size_t i = 0; allocations_can_fail() && i != base.allocations; ++i)
    for (const bool onwards : {false, true}) all.push_back({&base, {{}, i, onwards}});
  return all;
}

/// Parses the value of --faults, for a scenario with these calls.
fault_plan parse_faults(const std::string& text, const std::vector<long>& calls) {
  fault_plan faults;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string fault_text = text.substr(at, end - at);
    at = end + 1;
    if (fault_text.starts_with('a')) {
      faults.allocation = std::strtoull(fault_text.c_str() + 1, nullptr, 10);
      faults.onwards = fault_text.ends_with('+');
      continue;
    }
    char* rest;
    call_fault fault{std::strtoull(fault_text.c_str(), &rest, 10), any_call, 0};
    // After the first fault, the calls may differ from those of the run without faults. So the
    // later faults are for any call.
    if (faults.calls.empty() && fault.at < calls.size()) fault.call = calls[fault.at];
    std::string effect = *rest == ':' ? rest + 1 : "";
    fault.onwards = effect.ends_with('+');
    if (fault.onwards) effect.pop_back();
    for (int error = 1; error != 134; ++error)
      if (!effect.empty() && effect == name_of_error(error)) fault.error = error;
    if (fault.error == 0) fault.max_bytes = std::strtoull(effect.c_str(), nullptr, 10);
    faults.calls.push_back(fault);
  }
  return faults;
}

settings parse(int count, char** arguments) {
  settings options;
  options.seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch() /
                                            std::chrono::seconds(1));
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    const bool has_value = i + 1 < count;
    if (name == "--all") {
      options.sample = ~std::size_t{0};
      options.pairs = 40;
    } else if (name == "--pairs" && has_value) {
      options.singles = false;
      options.pairs = std::strtoull(arguments[++i], nullptr, 10);
    } else if (name == "--list") {
      options.list = true;
    } else if (name == "--sample" && has_value) {
      options.sample = std::strtoull(arguments[++i], nullptr, 10);
    } else if (name == "--seed" && has_value) {
      options.seed = std::strtoull(arguments[++i], nullptr, 10);
    } else if (name == "--scenario" && has_value) {
      options.scenario = arguments[++i];
    } else if (name == "--faults" && has_value) {
      options.faults = arguments[++i];
    } else {
      usage();
      std::exit(name == "--help" ? 0 : 2);
    }
  }
  return options;
}

std::vector<scenario> chosen_scenarios(const std::string& name) {
  std::vector<scenario> all;
  for (auto& group : {writing_scenarios(), sidecar_scenarios(), log_scenarios(),
                      reading_scenarios(), random_scenarios(), c_scenarios(), c_file_scenarios()})
    for (const auto& tested : group)
      if (name.empty() || name == tested.name) all.push_back(tested);
  return all;
}

void print(const baseline& base) {
  std::printf("%s: %zu allocations, %zu calls:", base.tested.name, base.allocations,
              base.calls.size());
  for (const long call : base.calls) std::printf(" %s", name_of(call).c_str());
  std::putchar('\n');
}

void sweep_singles(sweeper& executor, const std::vector<baseline>& baselines,
                   const settings& options) {
  std::vector<sample_run> sample;
  for (const auto& base : baselines) {
    const auto faults = single_faults(base);
    sample.insert(sample.end(), faults.begin(), faults.end());
  }
  const std::size_t all = sample.size();
  std::shuffle(sample.begin(), sample.end(), std::mt19937_64(options.seed));
  sample.resize(std::min(sample.size(), options.sample));
  std::printf("sweep: %zu scenarios, %zu of %zu single faults, seed %llu\n", baselines.size(),
              sample.size(), all, static_cast<unsigned long long>(options.seed));
  for (const auto& chosen : sample) executor.run(*chosen.base, chosen.faults, chosen.base->unfreed);
}

void sweep_pairs(sweeper& executor, std::vector<baseline> baselines, std::size_t most) {
  std::erase_if(baselines, [](const baseline& base) { return base.calls.size() < 2; });
  std::ranges::sort(baselines, {}, [](const baseline& base) {
    return std::pair(base.calls.size(), std::string_view(base.tested.name));
  });
  baselines.resize(std::min(baselines.size(), most));
  for (const auto& base : baselines) executor.run_pairs(base);
}

}  // namespace

int main(int count, char** arguments) {
  const settings options = parse(count, arguments);
  std::string why;
  const bool traces = can_trace(why);
  if (!traces) std::printf("sweep: without faults of system calls, because %s\n", why.c_str());
  if (!traces && !allocations_can_fail()) return 77;

  sweeper executor(traces);
  std::vector<baseline> baselines;
  for (const auto& tested : chosen_scenarios(options.scenario))
    if (auto base = executor.run_without_faults(tested)) baselines.push_back(std::move(*base));
  if (baselines.empty() && executor.counts.violations == 0) {
    std::fprintf(stderr, "sweep: there is no scenario '%s'\n", options.scenario.c_str());
    return 2;
  }
  if (options.list) {
    for (const auto& base : baselines) print(base);
  } else if (!options.faults.empty()) {
    for (const auto& base : baselines)
      executor.run(base, parse_faults(options.faults, base.calls), base.unfreed);
  } else {
    if (options.singles) sweep_singles(executor, baselines, options);
    if (options.pairs != 0) sweep_pairs(executor, baselines, options.pairs);
  }
  const statistics& counts = executor.counts;
  std::printf(
      "sweep: %zu runs of %zu scenarios: %zu faults of system calls, %zu of allocations, "
      "%zu pairs; %zu violations\n",
      counts.runs, baselines.size(), counts.call_faults, counts.allocation_faults, counts.pairs,
      counts.violations);
  if (counts.violations != 0) return 1;
  return traces ? 0 : 77;
}
