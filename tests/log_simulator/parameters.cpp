// Chooses the parameters of a run of the log simulator.
#include "log_simulator/parameters.hpp"

#include <chrono>
#include <fstream>
#include <sstream>
#include <vector>

#include "log_simulator/clock.hpp"

namespace logs {

using leat::durability;

namespace {

/// UTC, and all time zones in the system's tzdata.zi, if this file exists.
const std::vector<std::string>& all_zones() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names{"UTC"};
    std::ifstream list("/usr/share/zoneinfo/tzdata.zi");
    for (std::string line; std::getline(list, line);) {
      std::istringstream words(line);
      std::string kind, first, second;
      words >> kind >> first >> second;
      if (kind == "Z") names.push_back(first);
      if (kind == "L") names.push_back(second);
    }
    return names;
  }();
  return all;
}

}  // namespace

parameters::parameters(random_choices& random, const std::string& log) {
  workload.path = log;
  workload.rotates = random.one_in(2);
  workload.options.durability = random.one_in(2) ? durability::process : durability::none;
  workload.options.flush = random.one_of({leat::flush_when::full, leat::flush_when::full,
                                          leat::flush_when::line, leat::flush_when::call});
  if (random.one_in(2)) workload.options.buffer_size = 64 + random.below(2000);
  workload.options.background = random.one_in(6);
  if (random.one_in(6))
    workload.options.flush_interval = std::chrono::milliseconds(1 + random.below(50));
  workload.largest_line = random.one_in(4) ? 3000 : random.one_in(20) ? 300'000 : 200;
  workload.has_threads = random.one_in(4);
  workload.calls = 5 + random.below(30);
  if (workload.rotates) choose_rotation(random);
  most_processes = 1 + random.below(4);
  processes_left = most_processes + random.below(5);
  switch_period = random.one_of<std::size_t>({1, 3, 20, 200});
  kill_period = random.one_of<std::size_t>({0, 100, 400, 2000});
  tool_change_period = random.one_of<std::size_t>({0, 100, 400, 2000});
  full_disk_period = random.one_in(4) ? 500 : 0;
  clock_jump_period = random.one_of<std::size_t>({0, 0, 100, 1000});
  max_step_time = random.one_of<std::int64_t>({1000, 50'000, 2'000'000});
  const auto& zones = all_zones();
  time_zone = zones[random.below(zones.size())];
  // The wall clock starts at a time from 1970 to 2037.
  realtime_offset = static_cast<std::int64_t>(random.below(2'145'000'000)) * second;
}

void parameters::choose_rotation(random_choices& random) {
  auto& options = workload.options;
  options.size = random.one_in(3) ? 0 : 50 + random.below(random.one_in(2) ? 300 : 5000);
  options.every = std::chrono::seconds(random.one_of({0, 0, 1, 60, 3600, 86400, 604800}));
  options.local_time = random.one_in(2);
  options.keep = random.one_in(2) ? 0 : 1 + random.below(4);
  options.names = random.one_in(2) ? leat::old_names::times : leat::old_names::numbers;
  if (random.one_in(3)) options.compression = leat::compression::gzip;
  options.level = 1;
}

}  // namespace logs
