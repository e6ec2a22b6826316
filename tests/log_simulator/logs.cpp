// A simulator of logs. Several processes write to one log. Only one thread runs at a time, up to
// its next system call. A seed decides which process runs, when a process is killed, what other
// tools do to the files, when the disk is full, and how time passes.
//
//   BUILD/tests/logs [--steps N] [--from N] [--seed N] [--broken]
//
// --steps: the number of steps after which no new run begins. --from: the first seed. --seed: only
// the run with this seed; prints the run's schedule. --broken: records promises before the calls,
// so that violations must be found. Exit status 1: a violation, or with --broken no violation; 77:
// the system refuses ptrace or seccomp filters.
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "log_simulator/machine.hpp"
#include "log_simulator/run.hpp"
#include "support/shared_memory.hpp"

namespace logs {

namespace {

struct settings {
  std::uint64_t steps = 100'000;
  std::uint64_t first_seed = 1;
  bool is_single = false;
};

settings parse(int argc, char** argv) {
  settings options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--broken") {
      promise_early = true;
      continue;
    }
    const char* const value = ++i < argc ? argv[i] : "";
    if (word == "--steps")
      options.steps = std::strtoull(value, nullptr, 10);
    else if (word == "--from")
      options.first_seed = std::strtoull(value, nullptr, 10);
    else if (word == "--seed") {
      options.first_seed = std::strtoull(value, nullptr, 10);
      options.is_single = true;
    } else
      throw std::invalid_argument("unknown option " + std::string(word));
  }
  return options;
}

/// After this time, the alarm ends the run with an error. So a run also ends if a call blocks and
/// the machine does not simulate the call.
void set_alarm(int seconds) {
  itimerval when{};
  when.it_value.tv_sec = seconds;
  ::setitimer(ITIMER_REAL, &when, nullptr);
}

/// Threads that alternate are faster on one processor.
void stay_on_this_processor() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(std::max(::sched_getcpu(), 0)), &one);
  ::sched_setaffinity(0, sizeof one, &one);
}

/// The sum of all runs
struct tally {
  std::uint64_t steps = 0, runs = 0, kills = 0, changes = 0, lines = 0, longest_call = 0,
                violations = 0;

  void add(const outcome& one) {
    ++runs;
    steps += one.steps;
    kills += one.kills;
    changes += one.changes;
    lines += one.lines;
    longest_call = std::max(longest_call, one.longest_call);
    if (!one.violation.empty()) ++violations;
  }
};

/// Makes a run in a child process. The child begins with the same memory each time, so a run is
/// the same when it is repeated alone. If the child fails, throws std::runtime_error.
void run_in_child(const std::string& folder, std::uint64_t seed, bool shows_schedule, tally& all) {
  const pid_t child = ::fork();
  if (child == 0) {
    set_alarm(100);
    const outcome one = run_once(folder + "/run", seed);
    all.add(one);
    if (shows_schedule)
      for (const std::string& step : one.schedule) std::printf("%s\n", step.c_str());
    if (!one.violation.empty()) std::printf("seed %" PRIu64 ": %s\n", seed, one.violation.c_str());
    std::fflush(stdout);
    ::_exit(0);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child || status != 0)
    throw std::runtime_error("the run with seed " + std::to_string(seed) + " ends with status " +
                             std::to_string(status));
}

int run_all(const settings& options, const std::string& folder) {
  tally& all = leat_test::shared_with_children<tally>();
  const std::uint64_t most_violations = promise_early ? 1 : 10;
  for (std::uint64_t seed = options.first_seed;
       all.steps < options.steps && all.violations < most_violations; ++seed) {
    run_in_child(folder, seed, options.is_single, all);
    if (options.is_single) break;
  }
  std::printf("logs: %" PRIu64 " steps in %" PRIu64 " runs, %" PRIu64 " kills, %" PRIu64
              " changes by tools, %" PRIu64 " lines, at most %" PRIu64 " steps for a call, %" PRIu64
              " violations\n",
              all.steps, all.runs, all.kills, all.changes, all.lines, all.longest_call,
              all.violations);
  return (all.violations != 0) == promise_early ? 0 : 1;
}

}  // namespace

}  // namespace logs

int main(int argc, char** argv) {
  using namespace logs;
  const settings options = parse(argc, argv);
  std::string why;
  if (!can_trace(why)) {
    std::printf("logs: skipped, because %s\n", why.c_str());
    return 77;
  }
  struct sigaction ends_waiting{};
  ends_waiting.sa_handler = [](int) {};
  ::sigaction(SIGALRM, &ends_waiting, nullptr);
  stay_on_this_processor();
  std::string folder = std::filesystem::temp_directory_path() / "leat-logs-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return 2;
  const int status = run_all(options, folder);
  std::filesystem::remove_all(folder);
  return status;
}
