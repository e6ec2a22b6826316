// Bytes into 64 KiB of memory, again and again, by a stream and by hand: a check for room and a
// copy, with the cursor in a register and with the cursor in memory.
//
//   bench_memory --benchmark_enable_random_interleaving=true --benchmark_repetitions=9
//       --benchmark_min_time=0.05 --benchmark_format=csv | bench/ratios
#include <benchmark/benchmark.h>
#include <leat/memory.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

constexpr std::size_t area_size = 1 << 16;
alignas(64) std::array<char, area_size> area;

std::string_view bytes_of(const std::uint32_t& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

template <class Value>
constexpr std::size_t count = area_size / sizeof(Value);

/// Calls put(value) until the memory is full.
template <class Value, class Put>
void fill(Put put) {
  for (std::size_t i = 0; i != count<Value>; ++i) put(static_cast<Value>(i));
}

/// `round` fills the memory once. What it left there is compared.
template <class Value, class Round>
void run(benchmark::State& state, Round round) {
  area.fill(0);
  round();
  std::size_t at = 0;
  fill<Value>([&](Value value) {
    if (std::memcmp(&area[at], &value, sizeof value) != 0) state.SkipWithError("other bytes");
    at += sizeof value;
  });
  while (state.KeepRunningBatch(count<Value>)) round();
}

template <class Writer, class Value>
void write_to(Writer& to, Value value) {
  if constexpr (sizeof value == 1)
    to.put(value);
  else
    to.write(bytes_of(value));
}

template <class Value>
void leat_stream(benchmark::State& state) {
  leat::memory_writer out{std::span<char>(area)};
  run<Value>(state, [&] {
    out.clear();
    fill<Value>([&](Value value) { write_to(out, value); });
  });
}

/// A function that knows no more than that it is a stream.
template <class Value>
void leat_any_stream(benchmark::State& state) {
  leat::memory_writer out{std::span<char>(area)};
  leat::writer& any = out;
  run<Value>(state, [&] {
    out.clear();
    fill<Value>([&](Value value) { write_to(any, value); });
  });
}

template <class Value>
void in_register(benchmark::State& state) {
  const char* end = area.data() + area_size;
  benchmark::DoNotOptimize(end);
  run<Value>(state, [&] {
    char* next = area.data();
    fill<Value>([&](Value value) {
      if (static_cast<std::size_t>(end - next) < sizeof value) [[unlikely]]
        std::abort();
      std::memcpy(next, &value, sizeof value);
      next += sizeof value;
      asm volatile("" : "+r"(next)::"memory");  // else compilers make one wide store of several
    });
  });
}

template <class Value>
void in_memory(benchmark::State& state) {
  struct window {
    char* next;
    char* end;
  } one{area.data(), area.data() + area_size};
  window* w = &one;
  benchmark::DoNotOptimize(w);
  run<Value>(state, [&] {
    w->next = area.data();
    fill<Value>([&](Value value) {
      char* const to = w->next;
      if (static_cast<std::size_t>(w->end - to) < sizeof value) [[unlikely]]
        std::abort();
      w->next = to + sizeof value;
      std::memcpy(to, &value, sizeof value);
    });
    benchmark::ClobberMemory();
  });
}

template <class Value>
void libc(benchmark::State& state) {
  std::FILE* const out = fmemopen(area.data(), area.size(), "w");
  if (out == nullptr) {
    state.SkipWithError("fmemopen");
    return;
  }
  std::setbuf(out, nullptr);  // fills `area` at once
  run<Value>(state, [&] {
    std::rewind(out);
    fill<Value>([&](Value value) { std::fwrite(&value, sizeof value, 1, out); });
  });
  std::fclose(out);
}

#define LEAT_ROWS(name, value)                                                  \
  const bool name##_added = [] {                                                \
    benchmark::RegisterBenchmark(#name "/leat", leat_stream<value>);            \
    benchmark::RegisterBenchmark(#name "/leat_writer", leat_any_stream<value>); \
    benchmark::RegisterBenchmark(#name "/in_register", in_register<value>);     \
    benchmark::RegisterBenchmark(#name "/in_memory", in_memory<value>);         \
    if (sizeof(value) != 1) /* it adds a NUL */                                 \
      benchmark::RegisterBenchmark(#name "/fmemopen", libc<value>);             \
    return true;                                                                \
  }()

LEAT_ROWS(four_bytes, std::uint32_t);
LEAT_ROWS(one_byte, char);

}  // namespace
