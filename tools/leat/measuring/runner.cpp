// The loop over rounds and variants. bench_command.cpp and tune_command.cpp call run_experiment().
#include "measuring/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "measuring/statistics.hpp"

namespace bench {

namespace {

constexpr int most_repetitions = 30;
constexpr int fewest_repetitions = 5;
constexpr int fewest_if_slow = 3;
constexpr double slow_seconds = 0.5;  // a longer repetition is slow

/// A variant in one setting, and its results.
struct contender {
  const bench::variant* variant;
  measurement result;
  double cost = 0;  // seconds of a repetition, including untimed parts
  int planned = 0;

  /// True if the variant runs in this round. The planned repetitions are spread evenly over the
  /// rounds.
  bool is_due(int round, int rounds) const {
    return (round + 1) * planned / rounds != round * planned / rounds;
  }
};

std::vector<contender> all_contenders(const experiment& experiment) {
  std::vector<contender> all;
  for (const auto& at : all_settings(experiment.factors)) {
    for (const auto& variant : experiment.variants) {
      if (variant.applies && !variant.applies(at)) continue;
      all.push_back({&variant, {variant.name, variant.role, at, experiment.load(at), {}, {}}});
    }
  }
  return all;
}

void require_space(const experiment& experiment, const std::filesystem::path& folder) {
  std::error_code error;
  const auto free = std::filesystem::space(folder, error).available;
  if (error || free >= experiment.space) return;
  throw failure(fmt::format("{} needs {:.0f} MB in '{}', but {:.0f} MB are free", experiment.name,
                            static_cast<double>(experiment.space) / 1e6,
                            folder.parent_path().string(), static_cast<double>(free) / 1e6));
}

class runner {
 public:
  runner(const experiment& experiment, const std::filesystem::path& folder,
         const run_options& options)
      : experiment_(experiment), folder_(folder), options_(options) {}

  outcome run() {
    options_.report({experiment_.name});
    if (experiment_.prepare) experiment_.prepare(folder_);
    contenders_ = all_contenders(experiment_);
    const bool complete = warm_up() && all_rounds() && time_operations();
    outcome result{experiment_.factors, {}, complete};
    for (auto& one : contenders_) {
      if (!one.result.wall.empty()) result.measurements.push_back(std::move(one.result));
    }
    return result;
  }

 private:
  bool warm_up() {
    const double budget = options_.budget * experiment_.time_share;
    const auto count = static_cast<double>(contenders_.size());
    double round_seconds = 0;  // for one repetition of each variant
    for (auto& one : contenders_) {
      if (options_.is_stopped()) return false;
      options_.report({experiment_.name});
      const double start = options_.clocks.wall();
      repeat(one, true);
      one.cost = options_.clocks.wall() - start;
      round_seconds += one.cost;
      one.planned = options_.rounds.value_or(repetitions(one.cost, budget / count));
    }
    if (experiment_.equal_rounds && !options_.rounds) {
      for (auto& one : contenders_) one.planned = repetitions(round_seconds, budget);
    }
    return true;
  }

  bool all_rounds() {
    int rounds = 0;
    double seconds_left = 0;
    for (const auto& one : contenders_) {
      rounds = std::max(rounds, one.planned);
      seconds_left += one.planned * one.cost;
    }
    std::mt19937_64 random(options_.seed);
    std::vector<contender*> order;
    order.reserve(contenders_.size());
    for (auto& one : contenders_) order.push_back(&one);
    for (int round = 0; round < rounds; ++round) {
      shuffle(order, random);
      for (auto* one : order) {
        if (!one->is_due(round, rounds)) continue;
        if (options_.is_stopped()) return false;
        options_.report({experiment_.name, round + 1, rounds, seconds_left});
        const auto [wall, cpu] = repeat(*one, false);
        one->result.wall.push_back(wall);
        one->result.cpu.push_back(cpu);
        seconds_left -= one->cost;
      }
    }
    return true;
  }

  /// Times single operations in one pass, for each variant that has `operation_times`.
  bool time_operations() {
    for (auto& one : contenders_) {
      if (!one.variant->operation_times) continue;
      if (options_.is_stopped()) return false;
      bench::run this_run{one.result.setting, folder_, folder_ / "out"};
      if (experiment_.before) experiment_.before(this_run);
      one.result.per_operation = distribution_of(one.variant->operation_times(this_run));
      if (experiment_.after) experiment_.after(this_run);
    }
    return true;
  }

  // std::shuffle is not used: its order for a seed depends on the standard library.
  static void shuffle(std::vector<contender*>& order, std::mt19937_64& random) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  }

  struct sample {
    double wall;
    double cpu;
  };

  sample repeat(contender& repeated, bool is_warm_up) try {
    bench::run this_run{repeated.result.setting, folder_, folder_ / "out"};
    this_run.is_warm_up = is_warm_up;
    if (experiment_.before) experiment_.before(this_run);
    const double cpu = options_.clocks.cpu();
    const double wall = options_.clocks.wall();
    repeated.variant->work(this_run);
    const double wall_taken = this_run.reported_seconds.value_or(options_.clocks.wall() - wall);
    const double cpu_taken = options_.clocks.cpu() - cpu;
    if (experiment_.after) experiment_.after(this_run);
    if (this_run.bytes_read) repeated.result.bytes_read = this_run.bytes_read;
    if (this_run.bytes_written) repeated.result.bytes_written = this_run.bytes_written;
    if (this_run.requests) repeated.result.requests = this_run.requests;
    if (this_run.dollars) repeated.result.dollars = this_run.dollars;
    if (is_warm_up && experiment_.check) experiment_.check(this_run);
    return {wall_taken, cpu_taken};
  } catch (const std::exception& error) {
    throw failure(
        fmt::format("{}: {}: {}", experiment_.name, repeated.variant->name, error.what()));
  }

  const experiment& experiment_;
  const std::filesystem::path& folder_;
  const run_options& options_;
  std::vector<contender> contenders_;
};

}  // namespace

std::vector<setting> all_settings(const std::vector<factor>& factors) {
  std::vector<setting> settings(1);
  for (const auto& factor : factors) {
    std::vector<setting> longer;
    for (const auto& so_far : settings) {
      for (const auto& value : factor.values) longer.emplace_back(so_far).set(factor.name, value);
    }
    settings = std::move(longer);
  }
  return settings;
}

int repetitions(double seconds, double budget) {
  const int fewest = seconds > slow_seconds ? fewest_if_slow : fewest_repetitions;
  if (seconds * most_repetitions <= budget) return most_repetitions;
  return std::max(fewest, static_cast<int>(budget / seconds));
}

outcome run_experiment(const experiment& experiment, const std::filesystem::path& folder,
                       const run_options& options) {
  require_space(experiment, folder);
  return runner(experiment, folder, options).run();
}

}  // namespace bench
