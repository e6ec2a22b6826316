// Several threads write whole lines to one log.
#include <leat/leat.hpp>

#include <thread>
#include <vector>

int main() try {
  auto log = leat::synchronized(leat::append("events.log"));
  std::vector<std::thread> workers;
  for (int worker = 0; worker != 4; ++worker)
    workers.emplace_back([&log, worker] {
      for (int line = 0; line != 1000; ++line) log.println("worker {} line {}", worker, line);
    });
  for (auto& worker : workers) worker.join();
  log.close();
} catch (const leat::io_error& error) {
  leat::err.println("shared_log: {}", error.what());
  return 1;
}
