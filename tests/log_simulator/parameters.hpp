// The parameters of a run, chosen by its seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "log_simulator/writer.hpp"

namespace logs {

/// The random numbers of a run.
class choices {
 public:
  explicit choices(std::uint64_t seed) : random_(seed) {}
  std::uint64_t next() { return random_(); }
  std::size_t below(std::size_t n) { return next() % n; }
  /// Returns true in one of `n` cases; 0: never.
  bool rarely(std::size_t n) { return n != 0 && below(n) == 0; }
  template <class Value, std::size_t N>
  Value one_of(const Value (&all)[N]) {
    return all[below(N)];
  }

 private:
  std::mt19937_64 random_;
};

struct parameters {
  plan work;
  /// The most processes at a time, and the number of processes that will still be started.
  std::size_t most_processes = 1, processes_left = 1;
  /// About every n-th step the machine chooses the running thread anew.
  std::size_t switches = 1;
  std::size_t kills = 0, tools = 0, disks = 0, jumps = 0;  // about every n-th step; 0: never
  /// The longest step, in nanoseconds.
  std::int64_t tick = 1000;
  std::string zone;        ///< the time zone
  std::int64_t ahead = 0;  ///< see virtual_clock

  parameters(choices& random, const std::string& log);

 private:
  void choose_rotation(choices& random);
};

}  // namespace logs
