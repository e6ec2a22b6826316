// Threads that print whole lines into one stream. Real time per line, all threads together.
#include <benchmark/benchmark.h>
#include <leat/leat.hpp>

#include <cstdio>
#include <memory>

namespace {

struct closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

void fprintf_threads(benchmark::State& state) {
  static const std::unique_ptr<std::FILE, closer> log(std::fopen("/dev/null", "wb"));
  int line = 0;
  for (auto _ : state)
    std::fprintf(log.get(), "thread %d line %d %s\n", state.thread_index(), ++line, "message");
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(fprintf_threads)->Threads(1)->Threads(8)->UseRealTime();

void synchronized_threads(benchmark::State& state) {
  static leat::synchronized log(leat::create("/dev/null"));
  int line = 0;
  for (auto _ : state) log.print("thread {} line {} {}\n", state.thread_index(), ++line, "message");
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(synchronized_threads)->Threads(1)->Threads(8)->UseRealTime();

}  // namespace
