// A large file of CSV: what formatting costs, what the kernel costs, and how much of the two the
// options `background` and `preallocate` save. Prints medians of interleaved rounds, as Markdown.
//
//   bench_csv_file [DIR [GIB [ROUNDS]]]
#include <fmt/core.h>
#include <leat/leat.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using seconds = std::chrono::duration<double>;

struct row {
  int number;
  std::int64_t large;
  double price;
};

std::vector<row> any_rows() {
  std::mt19937_64 random(1);
  std::vector<row> rows(1 << 16);
  for (auto& r : rows)
    r = {static_cast<int>(random() >> (33 + random() % 31)),
         static_cast<std::int64_t>(random() >> (1 + random() % 63)),
         static_cast<double>(random() % 1'000'000) / 100};
  return rows;
}

void write_lines(leat::writer& out, std::size_t count) {
  static const std::vector<row> rows = any_rows();
  const std::chrono::sys_seconds start{std::chrono::seconds(1'795'253'239)};
  constexpr std::string_view text = "test data";
  for (std::size_t i = 0; i != count; ++i) {
    const row& r = rows[i % rows.size()];
    out.print("{},{},{},{},{}\n", r.number, r.large, r.price, text,
              start + std::chrono::seconds(i / 1000));
  }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string path = std::string(argc > 1 ? argv[1] : "/tmp") + "/leat-csv";
  const double gib = argc > 2 ? std::atof(argv[2]) : 1;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 7;
  const auto total = static_cast<std::uint64_t>(gib * (1U << 30));

  leat::string_writer sample;
  constexpr std::size_t sample_lines = 1 << 16;
  write_lines(sample, sample_lines);
  sample.flush();
  const std::string lines = sample.take();
  const std::size_t count = static_cast<std::size_t>(total) / (lines.size() / sample_lines);
  const std::string_view ready = std::string_view(lines).substr(0, 256 << 10);

  const auto print_to = [&](const std::string& file, const leat::create_options& how) {
    auto out = leat::create(file, how);
    write_lines(out, count);
    out.close();
  };
  const std::array<std::pair<std::string_view, std::function<void()>>, 6> variants{{
      {"formatting to /dev/null", [&] { print_to("/dev/null", {}); }},
      {"`write` of ready bytes",
       [&] {  // each piece is larger than the window and goes past it
         auto out = leat::create(path, {.buffer_size = 4096});
         for (std::uint64_t n = 0; n < total; n += ready.size()) out.write(ready);
         out.close();
       }},
      {"leat", [&] { print_to(path, {}); }},
      {"`background`", [&] { print_to(path, {.background = true}); }},
      {"`preallocate`", [&] { print_to(path, {.preallocate = total}); }},
      {"both", [&] { print_to(path, {.background = true, .preallocate = total}); }},
  }};
  std::array<std::vector<double>, variants.size()> times;
  for (int round = 0; round != rounds; ++round)
    for (std::size_t i = 0; i != variants.size(); ++i) {
      std::filesystem::remove(path);
      const auto start = std::chrono::steady_clock::now();
      variants[i].second();
      times[i].push_back(seconds(std::chrono::steady_clock::now() - start).count());
    }
  std::filesystem::remove(path);

  const double sum = median(times[0]) + median(times[1]);
  fmt::print("| | s | at best | of the sum of the first two |\n|---|---:|---:|---:|\n");
  for (std::size_t i = 0; i != variants.size(); ++i)
    fmt::print("| {} | {:.3f} | {:.3f} | {:.2f} |\n", variants[i].first, median(times[i]),
               *std::min_element(times[i].begin(), times[i].end()), median(times[i]) / sum);
} catch (const std::exception& error) {
  fmt::print(stderr, "bench_csv_file: {}\n", error.what());
  return 1;
}
