// Reading CSV: counting delimiters, rows, and the sums of three columns, beside what every machine
// has. Lengths and magnitudes are random, since that is what data is.
#include <benchmark/benchmark.h>
#include <leat/leat.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <sstream>
#include <string>
#include <string_view>

namespace {

/// 64 MiB of seven columns: an int, an int64, a text, a double, and three more. Every second text
/// of the sixth column is in quotes if they are asked for.
std::string make(bool quotes) {
  constexpr std::size_t size = 64 << 20;
  std::mt19937_64 random(7);
  std::string text;
  text.reserve(size + 1000);
  const auto number = [&](auto value) {
    char digits[32];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr) += ',';
  };
  const auto letters = [&](std::size_t count) {
    for (; count != 0; --count) text += static_cast<char>('a' + random() % 26);
  };
  while (text.size() < size) {
    number(static_cast<std::int32_t>(random() >> 33 >> random() % 31));
    const auto large = static_cast<std::int64_t>(random() >> 1 >> random() % 60);
    number(random() % 2 == 0 ? large : -large);
    letters(3 + random() % 12);
    text += ',';
    if (const auto bits = random(); bits % 3 == 0)
      number(static_cast<double>(bits >> 11) * 0x1p-53);
    else
      number(static_cast<double>(bits % 10'000'000) / (bits % 3 == 1 ? 100 : 1000));
    letters(3 + random() % 15);
    text += ',';
    const bool quoted = quotes && random() % 2 == 0;
    if (quoted) text += '"';
    letters(random() % 16);
    if (quoted) text += random() % 8 == 0 ? "\"\",\n\"" : "\"";
    text += ',';
    number(static_cast<int>(random() % 100));
    text.back() = '\n';
  }
  return text;
}

const std::string& plain() {
  static const std::string text = make(false);
  return text;
}
const std::string& quoted() {
  static const std::string text = make(true);
  return text;
}

struct sums {
  std::uint64_t rows = 0;
  std::int64_t first = 0;
  std::uint64_t second = 0;
  double third = 0;

  void add(std::string_view a, std::string_view b, std::string_view c) {
    ++rows;
    first += leat::parse<int>(a).value;
    second += static_cast<std::uint64_t>(leat::parse<std::int64_t>(b).value);
    third += leat::parse<double>(c).value;
  }
};

template <class Task>
void measure(benchmark::State& state, const std::string& text, Task task) {
  for (auto _ : state) {
    auto result = task(text);
    benchmark::DoNotOptimize(result);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void copy(benchmark::State& state) {
  std::string to(plain().size(), '\0');
  measure(state, plain(), [&](const std::string& text) {
    std::memcpy(to.data(), text.data(), text.size());
    return to.back();
  });
}
void count_delimiters(benchmark::State& state) {
  measure(state, plain(), [](const std::string& text) { return leat::count(text, ','); });
}
void count_by_std(benchmark::State& state) {
  measure(state, plain(), [](const std::string& text) { return std::ranges::count(text, ','); });
}
void count_fields(benchmark::State& state, bool quotes) {
  measure(state, quotes ? quoted() : plain(), [=](const std::string& text) {
    leat::memory_reader in(text);
    std::size_t fields = 0;
    for (const leat::row& row : in.rows({.quotes = quotes})) fields += row.size();
    return fields;
  });
}
void sum_rows(benchmark::State& state, bool quotes) {
  measure(state, quotes ? quoted() : plain(), [=](const std::string& text) {
    leat::memory_reader in(text);
    sums all;
    for (const leat::row& row : in.rows({.quotes = quotes})) all.add(row[0], row[1], row[3]);
    return all;
  });
}
void sum_lines_and_fields(benchmark::State& state) {
  measure(state, plain(), [](const std::string& text) {
    leat::memory_reader in(text);
    sums all;
    for (std::string_view line : in.lines()) {
      auto field = leat::fields(line).begin();
      const std::string_view first = *field++;
      const std::string_view second = *field++;
      all.add(first, second, *++field);
    }
    return all;
  });
}
/// With memchr for each field.
void sum_by_from_chars(benchmark::State& state) {
  measure(state, plain(), [](const std::string& text) {
    sums all;
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto behind = [&](char c) {
      at = static_cast<const char*>(std::memchr(at, c, static_cast<std::size_t>(end - at))) + 1;
    };
    while (at != end) {
      int a = 0;
      std::int64_t b = 0;
      double c = 0;
      std::from_chars(at, end, a);
      behind(',');
      std::from_chars(at, end, b);
      behind(',');
      behind(',');
      std::from_chars(at, end, c);
      behind('\n');
      ++all.rows;
      all.first += a;
      all.second += static_cast<std::uint64_t>(b);
      all.third += c;
    }
    return all;
  });
}
void sum_by_getline(benchmark::State& state) {
  measure(state, plain(), [](const std::string& text) {
    sums all;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      char* at = line.data();
      ++all.rows;
      all.first += std::strtol(at, &at, 10);
      all.second += static_cast<std::uint64_t>(std::strtoll(at + 1, &at, 10));
      all.third += std::strtod(std::strchr(at + 1, ',') + 1, nullptr);
    }
    return all;
  });
}

BENCHMARK(copy);
BENCHMARK(count_delimiters);
BENCHMARK(count_by_std);
BENCHMARK_CAPTURE(count_fields, plain, false);
BENCHMARK_CAPTURE(count_fields, quotes, true);
BENCHMARK_CAPTURE(sum_rows, plain, false);
BENCHMARK_CAPTURE(sum_rows, quotes, true);
BENCHMARK(sum_lines_and_fields);
BENCHMARK(sum_by_from_chars);
BENCHMARK(sum_by_getline);

}  // namespace
