// The rows that the loops of print.cpp and their limits write. print.cpp and limits/limits.hpp
// include this file.
#pragma once

#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace bench::rows {

using milliseconds_since_1970 = std::chrono::sys_time<std::chrono::milliseconds>;

struct row {
  std::string_view text;
  const char* c_text;
  std::string_view any_text;  // 3 to 42 characters
  const char* any_c_text;
  const char* word;    // 1 to 12 characters
  int few, other;      // four digits
  int any, any_other;  // any number of digits
  std::int64_t large;
  std::uint64_t wide;  // any number of digits, like `large`
  double bits, step, thousandth, price;
  milliseconds_since_1970 time;
};

// More rows than branch predictors learn. Each field has its own array, so that a line loads only
// the fields that it prints.
constexpr std::size_t row_count = 1 << 18;

template <class Make>
auto column(const Make& make) {
  std::mt19937_64 random(1);
  std::vector<decltype(make(random, std::size_t{}))> made;
  made.reserve(row_count);
  for (std::size_t i = 0; i != row_count; ++i) made.push_back(make(random, i));
  return made;
}

struct table {
  std::vector<std::string_view> text =
      column([](auto&, auto) { return std::string_view("test data"); });
  std::vector<std::string> any_text =
      column([](auto& random, auto) { return std::string(3 + random() % 40, 'x'); });
  std::vector<std::string> word =
      column([](auto& random, auto) { return std::string(1 + random() % 12, 'x'); });
  std::vector<int> few = column([](auto& random, auto) { return int(1000 + random() % 9000); });
  std::vector<int> any =
      column([](auto& random, auto) { return int(random() >> (33 + random() % 31)); });
  std::vector<std::int64_t> large =
      column([](auto& random, auto) { return std::int64_t(random() >> (1 + random() % 63)); });
  std::vector<std::uint64_t> wide =
      column([](auto& random, auto) { return random() >> random() % 64; });
  std::vector<double> bits = column([](auto& random, auto) {
    for (;;)
      if (const auto value = std::bit_cast<double>(random()); std::isfinite(value)) return value;
  });
  std::vector<double> step = column([](auto&, auto i) { return double(i) * 1.1; });
  std::vector<double> thousandth = column([](auto&, auto i) { return double(i) * 0.001; });
  std::vector<double> price =
      column([](auto& random, auto) { return double(random() % 1'000'000) / 100; });
  std::vector<milliseconds_since_1970> time = column([](auto&, auto i) {
    return milliseconds_since_1970(std::chrono::milliseconds(1'795'253'239'000 + i / 4));
  });
};

/// Returns the columns, which the first call makes. Defined in print.cpp.
const table& all_columns();

[[gnu::always_inline]] inline row row_at(const table& columns, std::size_t i) {
  const std::size_t other = (i + row_count / 2) % row_count;
  return {columns.text[i],         columns.text[i].data(),
          columns.any_text[i],     columns.any_text[i].c_str(),
          columns.word[i].c_str(), columns.few[i],
          columns.few[other],      columns.any[i],
          -columns.any[other],     columns.large[i],
          columns.wide[i],         columns.bits[i],
          columns.step[i],         columns.thousandth[i],
          columns.price[i],        columns.time[i]};
}

/// Calls `write` for `lines` rows.
template <class Write>
void each_row(std::size_t lines, const Write& write) {
  const table& columns = all_columns();
  static std::size_t first = 0;  // each call continues after the rows of the previous call
  std::size_t next = first;      // a copy stays in a register
  for (std::size_t n = lines; n != 0; --n) write(row_at(columns, next++ % row_count));
  first = next;
}

}  // namespace bench::rows
