// A dozen typical lines: what one call of print costs, beside its peers. The streams write to
// /dev/null, so that the kernel's share is small and equal.
#include <benchmark/benchmark.h>
#include <fmt/compile.h>
#include <fmt/os.h>
#include <leat/leat.hpp>

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace {

// Values that the compiler can't know.
struct line {
  std::string_view text = "test data";
  const char* c_text = "test data";
  int x = 42, y = -123456;
  std::size_t size = 1234567890123;
  double real = 3.14159, large = 6.02214076e23;
};

template <class Write>
void run(benchmark::State& state, const Write& write) {
  line values;
  for (auto _ : state) {
    benchmark::DoNotOptimize(values);
    write(values);
  }
}

struct closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// One line in the languages of its three peers: leat's and {fmt}'s format, printf's, the
/// arguments.
#define LEAT_BENCH_LINE(name, format, c_format, ...)                                      \
  void leat_##name(benchmark::State& state) {                                             \
    auto out = leat::create("/dev/null");                                                 \
    run(state, [&](const line& v) { out.print(format, __VA_ARGS__); });                   \
  }                                                                                       \
  BENCHMARK(leat_##name);                                                                 \
  void fmt_##name(benchmark::State& state) {                                              \
    auto out = fmt::output_file("/dev/null");                                             \
    run(state, [&](const line& v) { out.print(format, __VA_ARGS__); });                   \
  }                                                                                       \
  BENCHMARK(fmt_##name);                                                                  \
  void fmt_compiled_##name(benchmark::State& state) {                                     \
    char memory[512];                                                                     \
    run(state, [&](const line& v) {                                                       \
      benchmark::DoNotOptimize(fmt::format_to(memory, FMT_COMPILE(format), __VA_ARGS__)); \
    });                                                                                   \
  }                                                                                       \
  BENCHMARK(fmt_compiled_##name);                                                         \
  void fprintf_##name(benchmark::State& state) {                                          \
    const std::unique_ptr<std::FILE, closer> out(std::fopen("/dev/null", "wb"));          \
    run(state, [&](const line& v) { std::fprintf(out.get(), c_format, __VA_ARGS__); });   \
  }                                                                                       \
  BENCHMARK(fprintf_##name)

LEAT_BENCH_LINE(c_string, "{}\n", "%s\n", v.c_text);
LEAT_BENCH_LINE(integer, "{}\n", "%d\n", v.x);
LEAT_BENCH_LINE(two_integers, "{},{}\n", "%d,%d\n", v.x, v.y);
LEAT_BENCH_LINE(size, "{} bytes\n", "%zu bytes\n", v.size);
LEAT_BENCH_LINE(hexadecimal, "{:#x}\n", "%#x\n", v.x);
LEAT_BENCH_LINE(padded, "{:8}|\n", "%8d|\n", v.y);
LEAT_BENCH_LINE(shortest, "{}\n", "%.17g\n", v.real);
LEAT_BENCH_LINE(fixed, "{:.3f}\n", "%.3f\n", v.real);
LEAT_BENCH_LINE(scientific, "{:e}\n", "%e\n", v.large);
LEAT_BENCH_LINE(csv, "{},{},{:.3f}\n", "%d,%d,%.3f\n", v.x, v.y, v.real);
LEAT_BENCH_LINE(log, "{}: request {} took {} ms\n", "%s: request %d took %d ms\n", v.c_text, v.x,
                v.y);
LEAT_BENCH_LINE(json, "{{\"name\": \"{}\", \"x\": {}}}\n", "{\"name\": \"%s\", \"x\": %d}\n",
                v.c_text, v.x);

}  // namespace
