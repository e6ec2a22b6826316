// The same C loops with libc's <stdio.h> and with <leat/stdio.h>: medians of interleaved rounds, as
// Markdown.
//
//   bench_stdio [DIR [ROUNDS [ROW]]]
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/c_loops.h"

namespace {

using seconds = std::chrono::duration<double>;

struct row {
  const char* name;
  double wanted;  // the ratio that the project promises
  std::function<int(const c_loops&)> work;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// As published: what the last run wrote is removed outside of the clock.
double timed(const row& r, const c_loops& loops, const std::string& out) {
  std::remove(out.c_str());
  const auto start = std::chrono::steady_clock::now();
  if (const int error = r.work(loops)) throw std::runtime_error(std::strerror(error));
  return seconds(std::chrono::steady_clock::now() - start).count();
}

void fill_file(const std::string& path, std::size_t bytes, const std::function<int(char*)>& line) {
  std::FILE* const f = std::fopen(path.c_str(), "wb");
  if (f == nullptr) throw std::runtime_error("cannot write '" + path + "'");
  // What is written in large pieces lies in large pieces in the system's cache.
  std::setvbuf(f, nullptr, _IOFBF, 1 << 20);
  char text[128];
  for (std::size_t done = 0; done < bytes;) {
    const auto size = static_cast<std::size_t>(line(text));
    std::fwrite(text, 1, size, f);
    done += size;
  }
  std::fclose(f);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : "/tmp";
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
  const char* const only = argc > 3 ? argv[3] : "";
  constexpr std::size_t lines = 1'000'000;
  constexpr std::size_t text_size = std::size_t{1} << 28;
  constexpr std::uint32_t integers = 1U << 26;
  constexpr std::size_t places = 100'000;

  std::mt19937_64 random(1);
  std::vector<int> first(lines), second(lines);
  std::vector<double> bits(lines), prices(lines);
  for (std::size_t i = 0; i != lines; ++i) {
    first[i] = static_cast<int>(random() % 2'000'000) - 1'000'000;
    second[i] = static_cast<int>(random() >> (33 + random() % 31));
    do {
      const std::uint64_t any = random();
      std::memcpy(&bits[i], &any, sizeof any);
    } while (!(bits[i] == bits[i]));
    prices[i] = static_cast<double>(random() % 1'000'000) / 100;
  }
  std::vector<std::uint32_t> drawn(places);
  for (auto& place : drawn) place = static_cast<std::uint32_t>(random() % integers);
  std::vector<std::uint32_t> sorted = drawn;
  std::sort(sorted.begin(), sorted.end());

  const std::string out = folder + "/leat-stdio-out";
  const std::string text = folder + "/leat-stdio-text";
  const std::string numbers = folder + "/leat-stdio-numbers";
  const std::string large_numbers = folder + "/leat-stdio-large-numbers";
  const std::string binary = folder + "/leat-stdio-binary";
  fill_file(text, text_size, [&](char* to) {
    const auto size = 20 + random() % 80;
    std::memset(to, static_cast<int>('a' + random() % 26), size);
    to[size - 1] = '\n';
    return static_cast<int>(size);
  });
  fill_file(numbers, 100'000'000, [&](char* to) {
    return std::snprintf(to, 32, "%d\n", static_cast<int>(random() >> (33 + random() % 31)));
  });
  fill_file(large_numbers, 100'000'000, [&](char* to) {
    return std::snprintf(to, 32, "%d\n", static_cast<int>(random() >> 33));
  });
  fill_file(binary, std::size_t{integers} * 4, [&](char* to) {
    for (int i = 0; i != 16; ++i) {
      const auto value = static_cast<std::uint32_t>(random() % 1000 + 1);
      std::memcpy(to + 4 * i, &value, 4);
    }
    return 64;
  });

  std::vector<char> memory(65536);
  std::uint64_t sum = 0;
  std::int64_t signed_sum = 0;
  const auto visit = [&](const std::vector<std::uint32_t>& where, const char* mode, int buffered,
                         int whence, int back) {
    return c_visits{binary.c_str(), mode, where.data(), where.size(), buffered, whence, back, 0};
  };
  const auto read = [&](const std::vector<std::uint32_t>& where, int buffered, int whence) {
    return [=, &where](const c_loops& with) {
      c_visits visits = visit(where, "rb", buffered, whence, SEEK_SET);
      return with.read_at(&visits);
    };
  };
  const auto update = [&](const std::vector<std::uint32_t>& where, int buffered, int whence) {
    return [=, &where](const c_loops& with) {
      c_visits visits = visit(where, "rb+", buffered, whence, whence);
      return with.update_at(&visits);
    };
  };
  const std::vector<row> rows{
      {"E1 fprintf \"%s\\n\"", 4,
       [&](const c_loops& w) { return w.print_text(out.c_str(), "test data", lines); }},
      {"fprintf \"%d,%d\\n\"", 3,
       [&](const c_loops& w) {
         return w.print_ints(out.c_str(), first.data(), second.data(), lines);
       }},
      {"fprintf \"%.17g\\n\", bits", 5,
       [&](const c_loops& w) { return w.print_17_digits(out.c_str(), bits.data(), lines); }},
      {"fprintf \"%.3f\\n\", prices", 2.5,
       [&](const c_loops& w) { return w.print_3_decimals(out.c_str(), prices.data(), lines); }},
      {"E2 fprintf \"a\"", 5,
       [&](const c_loops& w) { return w.print_a(out.c_str(), 10 << 20, 0); }},
      {"E2 fprintf \"a\", fflush each", 0.9,
       [&](const c_loops& w) { return w.print_a(out.c_str(), 1 << 18, 1); }},
      {"E3 fmemopen, buffered", 8,
       [&](const c_loops& w) { return w.fill_memory(memory.data(), memory.size(), 256, 1); }},
      {"E3 fmemopen, unbuffered", 8,
       [&](const c_loops& w) { return w.fill_memory(memory.data(), memory.size(), 256, 0); }},
      {"fputc", 3, [&](const c_loops& w) { return w.put_bytes(out.c_str(), 10 << 20); }},
      {"putc_unlocked", 1,
       [&](const c_loops& w) { return w.put_bytes_unlocked(out.c_str(), 10 << 20); }},
      {"fgetc", 3, [&](const c_loops& w) { return w.get_bytes(numbers.c_str(), &sum); }},
      {"getc_unlocked", 1,
       [&](const c_loops& w) { return w.get_bytes_unlocked(numbers.c_str(), &sum); }},
      {"fgets", 2, [&](const c_loops& w) { return w.lines_by_fgets(text.c_str(), &sum); }},
      {"getline", 1.5, [&](const c_loops& w) { return w.lines_by_getline(text.c_str(), &sum); }},
      {"E4 read, as drawn, SET", 1.5, read(drawn, 1, SEEK_SET)},
      {"E4 read, as drawn, CUR", 1.5, read(drawn, 1, SEEK_CUR)},
      {"E4 read, as drawn, SET, unbuffered", 1.5, read(drawn, 0, SEEK_SET)},
      {"E4 read, sorted, SET", 1.5, read(sorted, 1, SEEK_SET)},
      {"E4 update, as drawn, SET", 1.5, update(drawn, 1, SEEK_SET)},
      {"E4 update, as drawn, SET, unbuffered", 1.5, update(drawn, 0, SEEK_SET)},
      {"fscanf \"%d\", 31 random bits", 5,
       [&](const c_loops& w) { return w.sum_ints(large_numbers.c_str(), &signed_sum); }},
      {"fscanf \"%d\", any length", 5,
       [&](const c_loops& w) { return w.sum_ints(numbers.c_str(), &signed_sum); }},
  };

  fmt::print("| loop | libc | leat | ratio | promised |\n|---|---|---|---|---|\n");
  for (const row& r : rows) {
    if (std::strstr(r.name, only) == nullptr) continue;
    std::vector<double> libc, leat;
    for (int round = 0; round <= rounds; ++round) {
      const double by_libc = timed(r, libc_loops, out);
      const double by_leat = timed(r, leat_loops, out);
      if (round == 0) continue;
      libc.push_back(by_libc);
      leat.push_back(by_leat);
    }
    fmt::print("| {} | {:.2f} ms | {:.2f} ms | {:.1f} | {} |\n", r.name, 1e3 * median(libc),
               1e3 * median(leat), median(libc) / median(leat), r.wanted);
    std::fflush(stdout);
  }
  for (const auto& path : {out, text, numbers, large_numbers, binary}) std::remove(path.c_str());
  return 0;
} catch (const std::exception& e) {
  fmt::print(stderr, "bench_stdio: {}\n", e.what());
  return 1;
}
