// Numbers out of text: leat's function and reader.parse, beside std::from_chars and strtod.
#include <benchmark/benchmark.h>
#include <leat/memory.hpp>

#include <charconv>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "limits/parse.hpp"
#include "parse/number.hpp"

namespace {

constexpr int count = 10000;

/// Lines of numbers. `kind` is 0 for mixed integers, 1 for prices, 2 for shortest doubles, 3 for
/// doubles of 17 digits.
std::string lines(int kind) {
  std::mt19937_64 random(1);
  std::string text;
  for (int i = 0; i != count; ++i) {
    char line[64];
    char* end = line + sizeof line;
    if (kind == 0) {
      end = std::to_chars(line, end, random() >> (1 + random() % 63)).ptr;
    } else if (kind == 1) {
      end = std::to_chars(line, end, static_cast<double>(random() % 100000) / 100,
                          std::chars_format::fixed, 2)
                .ptr;
    } else if (kind == 2) {
      end = std::to_chars(line, end, i * 1.1).ptr;
    } else {
      end = std::to_chars(line, end, static_cast<double>(random()) * 0x1p-64 + 0x1p-60,
                          std::chars_format::scientific, 16)
                .ptr;
    }
    text.append(line, end) += '\n';
  }
  return text;
}

template <class Number, class Parse>
void measure(benchmark::State& state, int kind, Parse parse) {
  const std::string text = lines(kind);
  for (auto _ : state) {
    Number sum = 0;
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at != end; ++at) {
      Number value = 0;
      at = parse(at, end, value);
      sum += value;
    }
    benchmark::DoNotOptimize(sum);
  }
  state.counters["each"] = benchmark::Counter(
      count, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <class Number>
void own(benchmark::State& state, int kind) {
  measure<Number>(state, kind, [](const char* at, const char* end, Number& value) {
    return leat::detail::parse_number(at, end, value).ptr;
  });
}
template <class Number>
void standard(benchmark::State& state, int kind) {
  measure<Number>(state, kind, [](const char* at, const char* end, Number& value) {
    return std::from_chars(at, end, value).ptr;
  });
}
void with_strtod(benchmark::State& state, int kind) {
  measure<double>(state, kind, [](const char* at, const char*, double& value) {
    char* stop = nullptr;
    value = std::strtod(at, &stop);
    return static_cast<const char*>(stop);
  });
}
template <class Number>
void with_reader(benchmark::State& state, int kind) {
  const std::string text = lines(kind);
  for (auto _ : state) {
    leat::memory_reader in(text);
    Number sum = 0;
    while (const auto value = in.parse<Number>()) sum += *value;
    benchmark::DoNotOptimize(sum);
  }
  state.counters["each"] = benchmark::Counter(
      count, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// By hand: see limits/parse.cpp.
template <class Number>
void by_hand(benchmark::State& state, int kind) {
  const std::string padding(64, ' ');
  const std::string text = lines(kind), padded = padding + text + padding;
  const std::string_view numbers(padded.data() + padding.size(), text.size());
  const auto sum = [&] {
    if constexpr (std::is_integral_v<Number>)
      return limits::sum_integers(numbers);
    else
      return limits::sum_decimals(numbers);
  };
  Number right = 0;
  leat::memory_reader in(text);
  while (const auto value = in.parse<Number>()) right += *value;
  if (!limits::can_sum() || sum() != right) {
    state.SkipWithError(limits::can_sum() ? "another sum" : "this processor has no such limit");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(sum());
  state.counters["each"] = benchmark::Counter(
      count, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

constexpr auto integer_limit = by_hand<unsigned long>;
constexpr auto double_limit = by_hand<double>;
constexpr auto own_integer = own<unsigned long>;
constexpr auto own_double = own<double>;
constexpr auto standard_integer = standard<unsigned long>;
constexpr auto standard_double = standard<double>;
constexpr auto reader_integer = with_reader<unsigned long>;
constexpr auto reader_double = with_reader<double>;

BENCHMARK_CAPTURE(own_integer, integers, 0);
BENCHMARK_CAPTURE(standard_integer, integers, 0);
BENCHMARK_CAPTURE(reader_integer, integers, 0);
BENCHMARK_CAPTURE(integer_limit, integers, 0);
BENCHMARK_CAPTURE(double_limit, prices, 1);
#define LEAT_DOUBLES(name, kind)                  \
  BENCHMARK_CAPTURE(own_double, name, kind);      \
  BENCHMARK_CAPTURE(standard_double, name, kind); \
  BENCHMARK_CAPTURE(with_strtod, name, kind);     \
  BENCHMARK_CAPTURE(reader_double, name, kind)
LEAT_DOUBLES(prices, 1);
LEAT_DOUBLES(shortest, 2);
LEAT_DOUBLES(random_17_digits, 3);

}  // namespace
