// `leat bench print` (E1): formatted output into a file. How much time do compiled formats and a
// good buffer size save?
#include <fmt/compile.h>
#include <fmt/format.h>
#include <fmt/os.h>
#include <leat/leat.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <iomanip>
#include <limits>
#include <memory>
#include <random>

#include "experiments/c_loops.h"
#include "experiments/peers.hpp"
#include "reporting/text.hpp"
#include "system/path_text.hpp"

namespace bench::experiment_print {

namespace {

constexpr std::size_t line_count = 1'000'000;
constexpr std::int64_t smallest_buffer = 1 << 10;
constexpr std::int64_t largest_buffer = 1 << 20;
constexpr std::size_t floor_piece_size = 256 << 10;  // leat's largest buffer for a file on a disk
constexpr std::size_t fmt_piece_size = 32 << 10;     // {fmt}'s default

/// The values of the lines, and the expected text.
struct input {
  std::size_t lines = line_count;
  const char* text = "test data";
  std::vector<int> first;
  std::vector<int> second;
  std::vector<double> third;
  std::string strings;
  std::string pairs;
  std::string rows;

  const std::string& expected(const setting& at) const {
    return at.has("workload", "ints") ? pairs : at.has("workload", "csv") ? rows : strings;
  }
};

void fill(input& in) {
  if (!in.first.empty()) return;
  std::mt19937_64 random(1);
  std::array<char, 64> line{};
  for (std::size_t i = 0; i < in.lines; ++i) {
    const int a = static_cast<int>(random() % 2'000'000) - 1'000'000;
    const int b = static_cast<int>(random() >> (33 + random() % 31));  // of any length
    const double c = static_cast<double>(random() % 2'000'000'000) / 1e6 - 1000;
    in.first.push_back(a);
    in.second.push_back(b);
    in.third.push_back(c);
    const auto add = [&](std::string& to, int size) {
      to.append(line.data(), static_cast<std::size_t>(size));
    };
    add(in.strings, std::snprintf(line.data(), line.size(), "%s\n", in.text));
    add(in.pairs, std::snprintf(line.data(), line.size(), "%d,%d\n", a, b));
    add(in.rows, std::snprintf(line.data(), line.size(), "%d,%d,%.3f\n", a, b, c));
  }
}

/// Calls `line` for each line, with one text, two numbers or three numbers.
template <class Line>
void each_line(const input& in, const run& this_run, Line line) {
  const char* text = hidden(in.text);
  const std::size_t lines = in.lines;
  const auto workload = this_run.setting["workload"].text;
  if (workload == "string") {
    for (std::size_t i = 0; i < lines; ++i) line(text);
  } else if (workload == "string_view") {
    const std::string_view view(text, hidden(std::string_view(in.text).size()));
    for (std::size_t i = 0; i < lines; ++i) line(view);
  } else if (workload == "ints") {
    for (std::size_t i = 0; i < lines; ++i) line(in.first[i], in.second[i]);
  } else {
    for (std::size_t i = 0; i < lines; ++i) line(in.first[i], in.second[i], in.third[i]);
  }
}

bool is_file(const setting& at) { return at.has("target", "file"); }

std::filesystem::path target(const run& this_run) {
  return is_file(this_run.setting) ? this_run.file
                                   : std::filesystem::path(this_run.setting["target"].text);
}

std::size_t buffer_size(const run& this_run, std::size_t usual) {
  return static_cast<std::size_t>(
      this_run.setting["buffer_size"].number.value_or(static_cast<std::int64_t>(usual)));
}

void leat_print(const input& in, run& this_run) {
  auto out = leat::create(target(this_run), {.buffer_size = buffer_size(this_run, 0)});
  each_line(in, this_run,
            overloaded{[&](auto text) { out.print("{}\n", text); },
                       [&](int a, int b) { out.print("{},{}\n", a, b); },
                       [&](int a, int b, double c) { out.print("{},{},{:.3f}\n", a, b, c); }});
  out.close();
}

void c_fprintf(const input& in, run& this_run) {
  c_file file(target(this_run));
  auto* f = file.get();
  each_line(in, this_run,
            overloaded{[&](const char* text) { std::fprintf(f, "%s\n", text); },
                       [&](std::string_view text) {
                         std::fprintf(f, "%.*s\n", static_cast<int>(text.size()), text.data());
                       },
                       [&](int a, int b) { std::fprintf(f, "%d,%d\n", a, b); },
                       [&](int a, int b, double c) { std::fprintf(f, "%d,%d,%.3f\n", a, b, c); }});
  file.close();
}

/// The loops of fprintf, compiled with <leat/stdio.h>.
void c_leat_stdio(const input& in, run& this_run) {
  const auto path = utf8_from_path(target(this_run));
  const auto workload = this_run.setting["workload"].text;
  int error;
  if (workload == "string")
    error = leat_loops.print_text(path.c_str(), hidden(in.text), in.lines);
  else if (workload == "ints")
    error = leat_loops.print_ints(path.c_str(), in.first.data(), in.second.data(), in.lines);
  else
    error = leat_loops.print_rows(path.c_str(), in.first.data(), in.second.data(), in.third.data(),
                                  in.lines);
  if (error != 0) fail("write", target(this_run), error);
}

void c_fputs_unlocked(const input& in, run& this_run) {
  c_file file(target(this_run));
  const char* text = hidden(in.text);
  for (std::size_t i = 0, lines = in.lines; i < lines; ++i) {
    put_text_unlocked(text, file.get());
    put_unlocked('\n', file.get());
  }
  file.close();
}

void cpp_ofstream(const input& in, run& this_run) {
  errno = 0;
  std::ofstream out(target(this_run), std::ios::binary);
  out << std::fixed << std::setprecision(3);
  each_line(in, this_run,
            overloaded{[&](auto text) { out << text << '\n'; },
                       [&](int a, int b) { out << a << ',' << b << '\n'; },
                       [&](int a, int b, double c) { out << a << ',' << b << ',' << c << '\n'; }});
  out.close();
  if (!out) fail("write", target(this_run), errno ? errno : EIO);
}

#if FMT_USE_FCNTL  // {fmt} has output_file()
void fmt_output_file(const input& in, run& this_run) {
  const auto size = buffer_size(this_run, fmt_piece_size);
  // The destructor of a failed stream writes again, and the second failure ends the program. So a
  // failed stream is not deleted.
  auto* out =
      new fmt::ostream(fmt::output_file(utf8_from_path(target(this_run)), fmt::buffer_size = size));
  each_line(in, this_run,
            overloaded{[&](auto text) { out->print("{}\n", text); },
                       [&](int a, int b) { out->print("{},{}\n", a, b); },
                       [&](int a, int b, double c) { out->print("{},{},{:.3f}\n", a, b, c); }});
  out->close();
  delete out;
}
#endif

void fmt_compiled_print(const input& in, run& this_run) {
  c_file file(target(this_run));
  auto* f = file.get();
  each_line(in, this_run,
            overloaded{[&](auto text) { fmt::print(f, FMT_COMPILE("{}\n"), text); },
                       [&](int a, int b) { fmt::print(f, FMT_COMPILE("{},{}\n"), a, b); },
                       [&](int a, int b, double c) {
                         fmt::print(f, FMT_COMPILE("{},{},{:.3f}\n"), a, b, c);
                       }});
  file.close();
}

/// {fmt} at its fastest: compiled formats into the program's own buffer.
void fmt_compiled_format_to(const input& in, run& this_run) {
  raw_file file(target(this_run));
  const std::size_t piece = buffer_size(this_run, fmt_piece_size);
  fmt::memory_buffer buffer;
  buffer.reserve(2 * piece);
  const auto to = fmt::appender(buffer);
  const auto flush_buffer = [&](std::size_t at_least) {
    if (buffer.size() < at_least) return;
    file.write({buffer.data(), buffer.size()});
    buffer.clear();
  };
  each_line(in, this_run,
            overloaded{[&](auto text) {
                         fmt::format_to(to, FMT_COMPILE("{}\n"), text);
                         flush_buffer(piece);
                       },
                       [&](int a, int b) {
                         fmt::format_to(to, FMT_COMPILE("{},{}\n"), a, b);
                         flush_buffer(piece);
                       },
                       [&](int a, int b, double c) {
                         fmt::format_to(to, FMT_COMPILE("{},{},{:.3f}\n"), a, b, c);
                         flush_buffer(piece);
                       }});
  flush_buffer(1);
  file.close();
}

/// The floor: the lines are ready, so only the kernel's time remains.
void write_ready_bytes(const input& in, run& this_run) {
  raw_file file(target(this_run));
  std::string_view bytes = in.expected(this_run.setting);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), floor_piece_size))) {
    file.write(bytes.substr(0, floor_piece_size));
  }
  file.close();
}

// Lines of a string_view go to the null device, where only formatting takes time. All other lines
// go to a file. The size of the buffer is an axis only for the published lines ("string").
bool has_own_buffer(const setting& at) {
  return is_file(at) != at.has("workload", "string_view") && at["buffer_size"].is_default();
}
bool has_any_buffer(const setting& at) {
  return has_own_buffer(at) || (is_file(at) && at.has("workload", "string"));
}
bool has_file(const setting& at) { return has_own_buffer(at) && is_file(at); }
bool has_strings(const setting& at) { return has_file(at) && at.has("workload", "string"); }

load load_of(const input& in, const setting& at) {
  const auto& workload = at["workload"].text;
  const auto* line = workload == "ints"          ? R"("{},{}\n" with two ints)"
                     : workload == "csv"         ? R"("{},{},{:.3f}\n" with two ints and a double)"
                     : workload == "string_view" ? R"("{}\n" with a string_view)"
                                                 : R"("{}\n" with a C string)";
  const auto size = in.expected(at).size();
  return {
      fmt::format("{}: {} lines, {:.1f} MB into {}", line, grouped(in.lines),
                  static_cast<double>(size) / 1e6, is_file(at) ? "a new file" : at["target"].text),
      size, in.lines, is_file(at) ? "" : "line"};
}

std::vector<finding> findings(const outcome& result) {
  std::vector<finding> found;
  const std::pair<std::string, value> strings{"workload", {"string", {}}};
  const auto base = result.median("fprintf", {strings});
  const auto compiled = result.median("{fmt} compiled, own buffer", {strings});
  const auto ours = result.median("leat", {strings});
  if (base && compiled && ours) {
    const double ratio = *base / *compiled;
    found.push_back(check_claim(
        fmt::format("leat writes these lines {} as fast as fprintf, and {{fmt}} compiled into its "
                    "own buffer {}",
                    times(*base / *ours), times(ratio)),
        "{fmt} is 5 to 9 times as fast as fprintf, as published", ratio >= 5));
  }
  constexpr double never = std::numeric_limits<double>::infinity();
  double best_up_to_128_kib = never, best_of_all = never;
  for (const auto& size : doubling(smallest_buffer, largest_buffer)) {
    const auto time = result.median("leat", {strings, {"buffer_size", size}});
    if (!time) return found;
    best_of_all = std::min(best_of_all, *time);
    if (size.number <= 128 << 10) best_up_to_128_kib = std::min(best_up_to_128_kib, *time);
  }
  const double gain = best_up_to_128_kib / best_of_all - 1;
  found.push_back(check_claim(
      fmt::format("a buffer above 128 KiB saves leat {} of the time at most", percent(gain)),
      "a larger buffer hardly helps", gain < 0.1));
  return found;
}

std::vector<variant> variants(const std::shared_ptr<input>& in) {
  const auto work = work_maker<const input>(in);
  std::vector<variant> all{
      {"fprintf", role::baseline, work(c_fprintf), has_own_buffer},
      {"std::ofstream", role::peer, work(cpp_ofstream), has_file},
#if FMT_USE_FCNTL
      {"{fmt} output_file", role::peer, work(fmt_output_file), has_any_buffer},
#endif
      {"{fmt} compiled, FILE", role::peer, work(fmt_compiled_print), has_file},
      {"{fmt} compiled, own buffer", role::peer, work(fmt_compiled_format_to), has_any_buffer},
      {"leat", role::leat, work(leat_print), has_any_buffer},
      {"leat/stdio.h fprintf", role::leat, work(c_leat_stdio), has_file},
      {fmt::format("{} of ready lines", write_call), role::floor, work(write_ready_bytes),
       has_file}};
  if (has_unlocked_blocks)
    all.push_back({"fputs_unlocked", role::peer, work(c_fputs_unlocked), has_strings});
  return all;
}

std::vector<published_table> published_tables() {
  return {{"{fmt}'s author, 2020, ms: {fmt}'s compiled print by the size of its buffer",
           {"buffer", "macOS", "macOS, CPU", "Linux"},
           {{"fprintf", "101.1", "100.8", "40.1"},
            {"1 KiB", "47.0", "46.6", "–"},
            {"2 KiB", "34.7", "34.6", "–"},
            {"4 KiB", "29.5", "29.2", "–"},
            {"8 KiB", "19.9", "19.8", "7.66"},
            {"16 KiB", "17.6", "15.7", "7.33"},
            {"32 KiB", "12.8", "12.7", "7.15"},
            {"64 KiB", "17.6", "12.3", "7.20"},
            {"128 KiB", "17.2", "11.0", "7.02"},
            {"256 KiB", "10.8", "10.7", "7.05"},
            {"512 KiB", "16.6", "10.8", "7.03"},
            {"1 MiB", "16.6", "10.7", "7.03"}}}};
}

experiment make_print(const request& wanted) {
  auto in = std::make_shared<input>();
  if (wanted.size == size::tiny) in->lines = line_count / 20;
  std::vector<value> sizes{{}};
  std::ranges::copy(doubling(smallest_buffer, largest_buffer), std::back_inserter(sizes));
  const auto to_file = [](const char* workload) {
    return choices{{"workload", {workload, {}}}, {"target", {"file", {}}}};
  };
  return {
      .name = "print",
      .title = "formatted output",
      .published =
          "the lines with a C string took fprintf 40.1 ms and {fmt}'s compiled print 7.66 "
          "with 8 KiB, 7.02 with 128 KiB (Linux); 101.1 and 47.0 with 1 KiB, 12.8 with 32 "
          "KiB, 10.8 with 256 KiB (macOS); by the {fmt} library's author, 2020.",
      .published_id = "E1",
      .cached =
          "Files are written to the page cache. The system decides when it writes the files to "
          "the disk. Removing a file is not timed.",
      .factors = {{"workload",
                   {{"string", {}}, {"ints", {}}, {"csv", {}}, {"string_view", {}}},
                   layout::table},
                  {"target", {{"file", {}}, {null_device, {}}}, layout::table},
                  {"buffer_size", sizes, layout::axis}},
      .variants = variants(in),
      .load = [in](const setting& at) { return load_of(*in, at); },
      .space = 40'000'000,
      .time_share = 0.5,
      .prepare = [in](const std::filesystem::path&) { fill(*in); },
      .before = [](run& this_run) { std::filesystem::remove(this_run.file); },
      .after =
          [in](run& this_run) {
            if (is_file(this_run.setting))
              require_size(this_run.file, in->expected(this_run.setting).size());
          },
      .check =
          [in](run& this_run) {
            if (is_file(this_run.setting))
              require_content(this_run.file, in->expected(this_run.setting));
          },
      .findings = findings,
      .published_tables = published_tables(),
      .charts = {{.title = "1,000,000 lines of \"{}\\n\" to a file, by the size of the buffer",
                  .where = to_file("string"),
                  .axis = "buffer_size"},
                 {.title = "1,000,000 lines of two ints and a double to a file",
                  .where = to_file("csv")}},
      .headline = {{.work = "1,000,000 lines of text to a file",
                    .ours = "leat",
                    .ours_at = to_file("string"),
                    .theirs = "fprintf",
                    .theirs_at = to_file("string")}},
  };
}

const registration print(1, make_print);

}  // namespace

}  // namespace bench::experiment_print
