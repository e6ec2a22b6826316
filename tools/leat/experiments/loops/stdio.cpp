// `leat bench loops/stdio`: C loops with libc's <stdio.h>, with <leat/stdio.h> and by hand. The
// experiments print, small-writes, memory, random-read and random-update have more loops with
// <leat/stdio.h>, but no loop by hand.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "experiments/c_loops.h"
#include "experiments/loops/limits/limits.hpp"
#include "experiments/loops/loops.hpp"
#include "experiments/peers.hpp"
#include "system/path_text.hpp"

namespace bench::loops_stdio {

namespace {

using namespace std::literals;
using work = std::function<int(const c_loops&, run&, const char* path)>;

/// Adds a loop over the file with the name `file`: with leat, with libc, and by hand if `limited`.
void add(loops& all, const std::string& row, const char* file, const work& call, bool limited) {
  const auto with = [&](const char* variant, const c_loops& functions) {
    all.add(row, variant, [call, file, &functions](run& this_run) {
      const auto path = this_run.folder / file;
      if (const int error = call(functions, this_run, utf8_from_path(path).c_str()))
        fail("use", path, error);
    });
  };
  with("leat", leat_loops);
  with("libc", libc_loops);
  if (limited) with("by hand", limits::c_limits);
}

/// Makes a file of at least `size` bytes.
template <class Line>
void make_lines(const std::filesystem::path& path, std::size_t size, const Line& add_line) {
  std::string text;
  while (text.size() < size) add_line(text);
  make_file(path, text);
}

experiment make(const request& wanted) {
  const auto share = [is_tiny = wanted.size == size::tiny](std::size_t count) {
    return is_tiny ? count / 256 : count;
  };
  struct input {
    std::vector<double> bits, prices;
    std::string text;
    std::vector<const char*> lines;  // in `text`
  };
  const auto input_data = std::make_shared<input>();
  const std::size_t lines = share(1'000'000), flushed = share(200'000), bytes = share(10 << 20),
                    file = share(100'000'000);
  loops all(wanted, lines);
  add(
      all, "fprintf %.17g, bits", "out",
      [=](auto& functions, run&, auto path) {
        return functions.print_17_digits(path, input_data->bits.data(), lines);
      },
      false);
  add(
      all, "fprintf %.3f, prices", "out",
      [=](auto& functions, run&, auto path) {
        return functions.print_3_decimals(path, input_data->prices.data(), lines);
      },
      false);
  add(
      all, "fputc", "out",
      [=](auto& functions, run&, auto path) { return functions.put_bytes(path, bytes); }, true);
  add(
      all, "putc_unlocked", "out",
      [=](auto& functions, run&, auto path) { return functions.put_bytes_unlocked(path, bytes); },
      true);
  const auto add_lines = [&](const char* row, int mode, bool by_bytes) {
    add(
        all, row, "out",
        [=](auto& functions, run&, auto path) {
          return functions.put_lines(path, input_data->lines.data(), input_data->lines.size(), mode,
                                     by_bytes);
        },
        false);
  };
  add_lines("fputs, line-buffered", _IOLBF, false);
  add_lines("fputc, line-buffered", _IOLBF, true);
  add_lines("fputs, unbuffered", _IONBF, false);
  add(
      all, "fgetc", "numbers",
      [](auto& functions, run& this_run, auto path) {
        return functions.get_bytes(path, &this_run.answer);
      },
      false);
  add(
      all, "getc_unlocked", "numbers",
      [](auto& functions, run& this_run, auto path) {
        return functions.get_bytes_unlocked(path, &this_run.answer);
      },
      false);
  add(
      all, "fgets", "text",
      [](auto& functions, run& this_run, auto path) {
        return functions.lines_by_fgets(path, &this_run.answer);
      },
      limits::has_avx512());
  add(
      all, "getline", "text",
      [](auto& functions, run& this_run, auto path) {
        return functions.lines_by_getline(path, &this_run.answer);
      },
      limits::has_avx512());
  const work scan = [](auto& functions, run& this_run, auto path) {
    std::int64_t sum = 0;
    const int error = functions.sum_ints(path, &sum);
    this_run.answer = static_cast<std::uint64_t>(sum);
    return error;
  };
  add(all, "fscanf %d, 31 random bits", "large_numbers", scan, false);
  add(all, "fscanf %d, any length", "numbers", scan, false);

  auto experiment =
      all.make_experiment("stdio", "unchanged C programs, compiled with <leat/stdio.h>", "call");
  experiment.load = [=](const setting& at) {
    const std::string& row = at["loop"].text;
    if (row.starts_with("fprintf")) return load{row, lines, lines, "call"};
    if (row.find("buffered") != std::string::npos) return load{row, flushed, flushed, "line"};
    return load{row,
                row.starts_with("fgets") || row == "getline" ? share(1 << 28)
                : row.find("put") != std::string::npos       ? bytes
                                                             : file,
                1, ""};
  };
  experiment.space = 600'000'000;
  experiment.prepare = [=](const std::filesystem::path& folder) {
    std::mt19937_64 random(1);
    const auto any_int = [&] { return static_cast<int>(random() >> (33 + random() % 31)); };
    while (input_data->bits.size() != lines) {
      const auto any = std::bit_cast<double>(random());
      if (std::isnan(any)) continue;
      input_data->bits.push_back(any);
      input_data->prices.push_back(static_cast<double>(random() % 1'000'000) / 100);
    }
    input_data->text.clear();
    input_data->lines.clear();
    std::vector<std::size_t> begins;
    while (begins.size() != flushed) {
      begins.push_back(input_data->text.size());
      input_data->text.append(random() % 80, static_cast<char>('a' + random() % 26)) += "\n\0"sv;
    }
    for (const std::size_t begin : begins)
      input_data->lines.push_back(input_data->text.data() + begin);
    make_lines(folder / "text", share(1 << 28), [&](std::string& to) {
      const auto size = 19 + random() % 80;
      to.append(size, static_cast<char>('a' + random() % 26)) += '\n';
    });
    make_lines(folder / "numbers", file,
               [&](std::string& to) { to += fmt::format("{}\n", any_int()); });
    make_lines(folder / "large_numbers", file,
               [&](std::string& to) { to += fmt::format("{}\n", random() >> 33); });
  };
  experiment.before = [](run& this_run) { std::filesystem::remove(this_run.folder / "out"); };
  experiment.check = [first_answers =
                          std::make_shared<std::map<std::string, std::uint64_t>>()](run& this_run) {
    const auto right =
        first_answers->emplace(this_run.setting["loop"].text, this_run.answer).first->second;
    if (right != this_run.answer)
      throw failure("the result differs from the result of the first variant");
  };
  return experiment;
}

const registration stdio(108, make);

}  // namespace

}  // namespace bench::loops_stdio
