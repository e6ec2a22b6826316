// The parameters of a run of the log simulator, chosen by the seed of the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "log_simulator/writer.hpp"

namespace logs {

/// The random numbers of a run.
class random_choices {
 public:
  explicit random_choices(std::uint64_t seed) : random_(seed) {}
  std::uint64_t next() { return random_(); }
  std::size_t below(std::size_t n) { return next() % n; }
  /// Returns true in one of `n` cases. If `n` is 0, returns false.
  bool one_in(std::size_t n) { return n != 0 && below(n) == 0; }
  template <class Value, std::size_t N>
  Value one_of(const Value (&all)[N]) {
    return all[below(N)];
  }

 private:
  std::mt19937_64 random_;
};

struct parameters {
  log_plan workload;
  /// The most processes at a time, and the number of processes that will still be started.
  std::size_t most_processes = 1, processes_left = 1;
  /// About every n-th step, the next thread is chosen at random. At the other steps, if the thread
  /// does not wait, the same thread continues.
  std::size_t switch_period = 1;
  /// The periods of four faults: a process is killed, a tool changes the log's files, the disk
  /// becomes full or has space again, and the clock is set. A fault happens about every n-th step;
  /// with 0, never.
  std::size_t kill_period = 0, tool_change_period = 0, full_disk_period = 0, clock_jump_period = 0;
  /// The longest step, in nanoseconds.
  std::int64_t max_step_time = 1000;
  std::string time_zone;
  std::int64_t realtime_offset = 0;  ///< see virtual_clock

  parameters(random_choices& random, const std::string& log);

 private:
  void choose_rotation(random_choices& random);
};

}  // namespace logs
