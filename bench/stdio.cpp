// The same C loops with libc's <stdio.h> and with <leat/stdio.h>: medians of interleaved rounds, as
// Markdown.
//
//   bench_stdio [DIR [ROUNDS [ROW]]]
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/c_loops.h"
#include "limits/c.hpp"

namespace {

using seconds = std::chrono::duration<double>;

struct row {
  const char* name;
  double wanted;  // the ratio that the project promises
  std::function<int(const c_loops&)> work;
  const std::uint64_t* sum = nullptr;  // of what the work has read
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The seconds of one run; 0 if there is no such loop. As published, the file of the last run is
/// removed outside of the clock.
double timed(const row& r, const c_loops& loops, const std::string& out) {
  std::remove(out.c_str());
  const auto start = std::chrono::steady_clock::now();
  const int error = r.work(loops);
  if (error == ENOTSUP) return 0;
  if (error != 0) throw std::runtime_error(std::strerror(error));
  return seconds(std::chrono::steady_clock::now() - start).count();
}

void fill_file(const std::string& path, std::size_t bytes, const std::function<int(char*)>& line) {
  std::FILE* const f = std::fopen(path.c_str(), "wb");
  if (f == nullptr) throw std::runtime_error("cannot write '" + path + "'");
  // Large writes leave large pieces in the system's cache, which are read faster.
  std::setvbuf(f, nullptr, _IOFBF, 1 << 20);
  char text[128];
  for (std::size_t done = 0; done < bytes;) {
    const auto size = static_cast<std::size_t>(line(text));
    std::fwrite(text, 1, size, f);
    done += size;
  }
  std::fclose(f);
}

constexpr std::size_t lines = 1'000'000;

/// What the loops print and where they go in a file.
struct input {
  std::vector<int> first, second;
  std::vector<double> bits, prices;
  std::vector<std::uint32_t> drawn, sorted;  // places
  std::vector<char> memory = std::vector<char>(65536);
  std::uint64_t sum = 0;
  std::int64_t signed_sum = 0;
};

constexpr std::uint32_t integers = 1U << 26;

input make_input(std::mt19937_64& random) {
  constexpr std::size_t places = 100'000;
  input made;
  for (std::size_t i = 0; i != lines; ++i) {
    made.first.push_back(static_cast<int>(random() % 2'000'000) - 1'000'000);
    made.second.push_back(static_cast<int>(random() >> (33 + random() % 31)));
    double any = 0;
    do {
      any = std::bit_cast<double>(random());
    } while (std::isnan(any));
    made.bits.push_back(any);
    made.prices.push_back(static_cast<double>(random() % 1'000'000) / 100);
  }
  for (std::size_t i = 0; i != places; ++i)
    made.drawn.push_back(static_cast<std::uint32_t>(random() % integers));
  made.sorted = made.drawn;
  std::sort(made.sorted.begin(), made.sorted.end());
  return made;
}

/// The files of the loops.
struct paths {
  explicit paths(const std::string& folder)
      : out(folder + "/leat-stdio-out"),
        text(folder + "/leat-stdio-text"),
        numbers(folder + "/leat-stdio-numbers"),
        large_numbers(folder + "/leat-stdio-large-numbers"),
        binary(folder + "/leat-stdio-binary") {}
  std::string out, text, numbers, large_numbers, binary;
};

void make_files(const paths& at, std::mt19937_64& random) {
  fill_file(at.text, std::size_t{1} << 28, [&](char* to) {
    const auto size = 20 + random() % 80;
    std::memset(to, static_cast<int>('a' + random() % 26), size);
    to[size - 1] = '\n';
    return static_cast<int>(size);
  });
  fill_file(at.numbers, 100'000'000, [&](char* to) {
    return std::snprintf(to, 32, "%d\n", static_cast<int>(random() >> (33 + random() % 31)));
  });
  fill_file(at.large_numbers, 100'000'000, [&](char* to) {
    return std::snprintf(to, 32, "%d\n", static_cast<int>(random() >> 33));
  });
  fill_file(at.binary, std::size_t{integers} * 4, [&](char* to) {
    for (int i = 0; i != 16; ++i) {
      const auto value = static_cast<std::uint32_t>(random() % 1000 + 1);
      std::memcpy(to + 4 * i, &value, 4);
    }
    return 64;
  });
}

std::vector<row> rows_that_print(input& in, const paths& at) {
  const char* const out = at.out.c_str();
  return {
      {"E1 fprintf \"%s\\n\"", 4,
       [=](const c_loops& w) { return w.print_text(out, "test data", lines); }},
      {"fprintf \"%d,%d\\n\"", 3,
       [=, &in](const c_loops& w) {
         return w.print_ints(out, in.first.data(), in.second.data(), lines);
       }},
      {"fprintf \"%.17g\\n\", bits", 5,
       [=, &in](const c_loops& w) { return w.print_17_digits(out, in.bits.data(), lines); }},
      {"fprintf \"%.3f\\n\", prices", 2.5,
       [=, &in](const c_loops& w) { return w.print_3_decimals(out, in.prices.data(), lines); }},
      {"E2 fprintf \"a\"", 5, [=](const c_loops& w) { return w.print_a(out, 10 << 20, 0); }},
      {"E2 fprintf \"a\", fflush each", 0.9,
       [=](const c_loops& w) { return w.print_a(out, 1 << 18, 1); }},
      {"E3 fmemopen, buffered", 8,
       [&in](const c_loops& w) {
         return w.fill_memory(in.memory.data(), in.memory.size(), 256, 1);
       }},
      {"E3 fmemopen, unbuffered", 8,
       [&in](const c_loops& w) {
         return w.fill_memory(in.memory.data(), in.memory.size(), 256, 0);
       }},
      {"fputc", 3, [=](const c_loops& w) { return w.put_bytes(out, 10 << 20); }},
      {"putc_unlocked", 1, [=](const c_loops& w) { return w.put_bytes_unlocked(out, 10 << 20); }},
  };
}

std::vector<row> rows_that_read(input& in, const paths& at) {
  const char *const text = at.text.c_str(), *const numbers = at.numbers.c_str(),
                    *const large_numbers = at.large_numbers.c_str();
  return {
      {"fgetc", 3, [=, &in](const c_loops& w) { return w.get_bytes(numbers, &in.sum); }, &in.sum},
      {"getc_unlocked", 1,
       [=, &in](const c_loops& w) { return w.get_bytes_unlocked(numbers, &in.sum); }, &in.sum},
      {"fgets", 2, [=, &in](const c_loops& w) { return w.lines_by_fgets(text, &in.sum); }, &in.sum},
      {"getline", 1.5, [=, &in](const c_loops& w) { return w.lines_by_getline(text, &in.sum); },
       &in.sum},
      {"fscanf \"%d\", 31 random bits", 5,
       [=, &in](const c_loops& w) { return w.sum_ints(large_numbers, &in.signed_sum); }},
      {"fscanf \"%d\", any length", 5,
       [=, &in](const c_loops& w) { return w.sum_ints(numbers, &in.signed_sum); }},
  };
}

std::vector<row> rows_at_random_places(const input& in, const paths& at) {
  const auto visits_of = [&at](const std::vector<std::uint32_t>& where, const char* mode,
                               int buffered, int whence) {
    return c_visits{
        at.binary.c_str(), mode, where.data(), where.size(), buffered, whence, whence, 0, nullptr};
  };
  const auto read = [=](const std::vector<std::uint32_t>& where, int buffered, int whence) {
    return [=, visits = visits_of(where, "rb", buffered, whence)](const c_loops& with) mutable {
      return with.read_at(&visits);
    };
  };
  const auto update = [=](const std::vector<std::uint32_t>& where, int buffered, int whence) {
    return [=, visits = visits_of(where, "rb+", buffered, whence)](const c_loops& with) mutable {
      return with.update_at(&visits);
    };
  };
  return {{"E4 read, as drawn, SET", 1.5, read(in.drawn, 1, SEEK_SET)},
          {"E4 read, as drawn, CUR", 1.5, read(in.drawn, 1, SEEK_CUR)},
          {"E4 read, as drawn, SET, unbuffered", 1.5, read(in.drawn, 0, SEEK_SET)},
          {"E4 read, sorted, SET", 1.5, read(in.sorted, 1, SEEK_SET)},
          {"E4 update, as drawn, SET", 1.5, update(in.drawn, 1, SEEK_SET)},
          {"E4 update, as drawn, SET, unbuffered", 1.5, update(in.drawn, 0, SEEK_SET)}};
}

/// Prints the medians of a row. The first round warms up, and compares what has been read.
void measure(const row& r, int rounds, const std::string& out) {
  std::vector<double> libc, leat, limit;
  for (int round = 0; round <= rounds; ++round) {
    const double by_libc = timed(r, libc_loops, out);
    const std::uint64_t right = r.sum != nullptr ? *r.sum : 0;
    const double by_leat = timed(r, leat_loops, out);
    const bool is_same = r.sum == nullptr || *r.sum == right;
    const double by_hand = timed(r, limits::loops, out);
    if (!is_same || (r.sum != nullptr && *r.sum != right))
      throw std::runtime_error(std::string(r.name) + ": another sum");
    if (round == 0) continue;
    libc.push_back(by_libc);
    leat.push_back(by_leat);
    limit.push_back(by_hand);
  }
  fmt::print("| {} | {:.2f} ms | {:.2f} ms | {:.1f} | {} |", r.name, 1e3 * median(libc),
             1e3 * median(leat), median(libc) / median(leat), r.wanted);
  if (const double least = median(limit); least > 0)
    fmt::print(" {:.2f} ms | {:.2f} |\n", 1e3 * least, median(leat) / least);
  else
    fmt::print(" | |\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  const paths at(argc > 1 ? argv[1] : "/tmp");
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
  const char* const only = argc > 3 ? argv[3] : "";
  std::mt19937_64 random(1);
  input in = make_input(random);
  make_files(at, random);
  fmt::print(
      "| loop | libc | leat | ratio | promised | limit | leat's multiple of it |\n"
      "|---|---|---|---|---|---|---|\n");
  for (const auto& rows :
       {rows_that_print(in, at), rows_that_read(in, at), rows_at_random_places(in, at)}) {
    for (const row& r : rows)
      if (std::strstr(r.name, only) != nullptr) measure(r, rounds, at.out);
  }
  for (const auto& path : {at.out, at.text, at.numbers, at.large_numbers, at.binary})
    std::remove(path.c_str());
  return 0;
} catch (const std::exception& e) {
  fmt::print(stderr, "bench_stdio: {}\n", e.what());
  return 1;
}
