// What a logging program does: a time, a level, a text and three numbers in each line. Real time
// per line, all threads together.
#include <benchmark/benchmark.h>
#include <leat/leat.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace {

std::string folder() {
  const char* const wanted = std::getenv("TMPDIR");
  return std::string(wanted != nullptr ? wanted : "/tmp") + "/leat-bench-logs";
}

void clock_alone(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(std::chrono::system_clock::now());
}
BENCHMARK(clock_alone);

template <class Now>
void stamped(benchmark::State& state, Now now) {
  std::vector<char> memory(1 << 16);
  leat::memory_writer out(memory);
  for (auto _ : state) {
    if (memory.size() - out.view().size() < 64) out.clear();
    out.println("{}", now());
  }
}
BENCHMARK_CAPTURE(stamped, now, leat::now);
BENCHMARK_CAPTURE(stamped, local_now, leat::local_now);

template <class Open>
void lines(benchmark::State& state, Open open) {
  static leat::synchronized* log;
  if (state.thread_index() == 0) {
    std::filesystem::create_directories(folder());
    log = new leat::synchronized(open(folder() + "/app.log"));
  }
  int line = 0;
  for (auto _ : state) {
    ++line;
    log->println("{} {} request {} of {} took {} ms", leat::now(), "info", line, 1000 + line % 7,
                 line * 0.25);
  }
  state.SetItemsProcessed(state.iterations());
  if (state.thread_index() != 0) return;
  delete log;
  std::filesystem::remove_all(folder());
}

constexpr auto append = [](const std::string& path) { return leat::append(path); };
constexpr auto append_process = [](const std::string& path) {
  return leat::append(path, {.durability = leat::durability::process});
};
constexpr auto append_line = [](const std::string& path) {
  return leat::append(path, {.flush = leat::flush_when::line});
};
constexpr auto append_background = [](const std::string& path) {
  return leat::append(path, {.background = true});
};
constexpr auto rotating = [](const std::string& path) {
  return leat::rotating(path, {.size = 64 << 20, .keep = 3});
};
constexpr auto rotating_process = [](const std::string& path) {
  return leat::rotating(path,
                        {.size = 64 << 20, .keep = 3, .durability = leat::durability::process});
};
constexpr auto rotating_line = [](const std::string& path) {
  return leat::rotating(path, {.size = 64 << 20, .keep = 3, .flush = leat::flush_when::line});
};
#define ROW(how) BENCHMARK_CAPTURE(lines, how, how)->Threads(1)->Threads(2)->UseRealTime()
ROW(append);
ROW(append_background);
ROW(append_process);
ROW(append_line);
ROW(rotating);
ROW(rotating_process);
ROW(rotating_line);

}  // namespace
