// A dozen typical lines: what one of them costs with leat and with its peers. All write to
// /dev/null, so the kernel's share is small and equal. The values change from line to line, as
// those of real data do: with one value, the branch predictor would know every branch.
//
//   bench_print --benchmark_enable_random_interleaving=true --benchmark_repetitions=9
//       --benchmark_min_time=0.05 --benchmark_format=csv | bench/ratios      (one line)
//   bench_print --count 'csv/leat' 100000      prints 100000 lines for callgrind
#include <benchmark/benchmark.h>
#include <fmt/chrono.h>
#include <fmt/compile.h>
#include <fmt/os.h>
#include <leat/leat.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limits/limits.hpp"
#include "rows.hpp"

#ifdef LEAT_BENCH_FAST_IO
#  include <fast_io.h>
#  include <fast_io_device.h>
#endif
#ifdef LEAT_BENCH_ZMIJ
#  include <zmij.h>
#endif

const table columns;

namespace {

struct point {
  double x, y;
};
/// The same with a formatter by hand, as most code has it.
struct spot {
  double x, y;
};
enum class color { red, green, blue };
constexpr std::array<std::string_view, 3> color_names = {"red", "green", "blue"};

}  // namespace

template <>
struct fmt::formatter<point> : leat::formatted<"({:.2f}, {:.2f})", &point::x, &point::y> {};
template <>
struct fmt::formatter<spot> {
  constexpr auto parse(format_parse_context& context) { return context.begin(); }
  template <class Context>
  auto format(const spot& s, Context& context) const {
    return fmt::format_to(context.out(), FMT_COMPILE("({:.2f}, {:.2f})"), s.x, s.y);
  }
};
template <>
struct fmt::formatter<color> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(color c, Context& context) const {
    return fmt::formatter<std::string_view>::format(color_names[std::size_t(c)], context);
  }
};

namespace {

/// Writes this many lines.
using work = std::function<void(std::size_t lines)>;
std::vector<std::pair<std::string, work>> all;

struct closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

template <class Print>
void with_leat(const std::string& line, const Print& print) {
  all.emplace_back(line + "/leat", [=](std::size_t lines) {
    static auto out = leat::create("/dev/null");
    each_row(lines, [&](const row& v) { print(out, v); });
  });
}

template <class Print>
void with_fmt(const std::string& line, const Print& print) {
  all.emplace_back(line + "/fmt", [=](std::size_t lines) {
    static auto out = fmt::output_file("/dev/null");
    each_row(lines, [&](const row& v) { print(out, v); });
  });
}

template <class Print>
void with_compiled_fmt(const std::string& line, const Print& print) {
  all.emplace_back(line + "/fmt_compiled", [=](std::size_t lines) {
    each_row(lines, [&](const row& v) {
      std::array<char, 512> memory;
      benchmark::DoNotOptimize(print(memory.data(), v));
    });
  });
}

template <class Print>
void with_stdio(const std::string& line, const Print& print) {
  all.emplace_back(line + "/fprintf", [=](std::size_t lines) {
    static const std::unique_ptr<std::FILE, closer> out(std::fopen("/dev/null", "wb"));
    each_row(lines, [&](const row& v) { print(out.get(), v); });
  });
}

#ifdef LEAT_BENCH_FAST_IO
template <class Print>
void with_fast_io(const std::string& line, const Print& print) {
  all.emplace_back(line + "/fast_io", [=](std::size_t lines) {
    static fast_io::obuf_file out("/dev/null");
    each_row(lines, [&](const row& v) { print(out, v); });
  });
}
// fast_io has no format strings: it gets literals and arguments.
#  define LEAT_FAST_IO(line, ...) \
    with_fast_io(line, [](auto& out, const row& v) { fast_io::io::print(out, __VA_ARGS__); })
#else
#  define LEAT_FAST_IO(line, ...) static_cast<void>(0)
#endif

// It only makes the text of a number: it gets memory that fills up and begins again.
template <class Value>
void with_zmij([[maybe_unused]] const std::string& line, [[maybe_unused]] const Value& value) {
#ifdef LEAT_BENCH_ZMIJ
  all.emplace_back(line + "/zmij", [=](std::size_t lines) {
    static std::array<char, 1 << 16> memory;
    char* to = memory.data();
    each_row(lines, [&](const row& v) {
      if (memory.data() + memory.size() - to < 64) to = memory.data();
      to = zmij::detail::write(to, value(v));
      *to++ = '\n';
    });
    benchmark::DoNotOptimize(memory);
  });
#endif
}

/// One line for all peers: a format of leat and {fmt}, a format of printf, and the arguments.
#define LEAT_LINE(line, format, c_format, ...)                                      \
  with_leat(line, [](auto& out, const row& v) { out.print(format, __VA_ARGS__); }); \
  with_fmt(line, [](auto& out, const row& v) { out.print(format, __VA_ARGS__); });  \
  with_compiled_fmt(line, [](char* to, const row& v) {                              \
    return fmt::format_to(to, FMT_COMPILE(format), __VA_ARGS__);                    \
  });                                                                               \
  with_stdio(line, [](auto* out, const row& v) { std::fprintf(out, c_format, __VA_ARGS__); })

void add_texts() {
  LEAT_LINE("c_string", "{}\n", "%s\n", v.c_text);
  LEAT_FAST_IO("c_string", fast_io::mnp::os_c_str(v.c_text), "\n");

  LEAT_LINE("c_string_of_any_length", "{}\n", "%s\n", v.any_c_text);
  LEAT_FAST_IO("c_string_of_any_length", fast_io::mnp::os_c_str(v.any_c_text), "\n");
  with_leat("text_of_any_length", [](auto& out, const row& v) { out.print("{}\n", v.any_text); });
  with_compiled_fmt("text_of_any_length", [](char* to, const row& v) {
    return fmt::format_to(to, FMT_COMPILE("{}\n"), v.any_text);
  });
  LEAT_FAST_IO("text_of_any_length", v.any_text, "\n");

  const auto text = [](auto& out, const row& v) { out.print("{}\n", v.text); };
  with_leat("text", text);
  with_fmt("text", text);
  with_stdio("text", [](auto* out, const row& v) { std::fprintf(out, "%.9s\n", v.text.data()); });
  LEAT_FAST_IO("text", v.text, "\n");
}

void add_numbers() {
  LEAT_LINE("two_ints", "The answer is {}, and {}.\n", "The answer is %d, and %d.\n", v.few,
            v.other);
  LEAT_FAST_IO("two_ints", "The answer is ", v.few, ", and ", v.other, ".\n");

  LEAT_LINE("two_ints_of_any_length", "The answer is {}, and {}.\n", "The answer is %d, and %d.\n",
            v.any, v.any_other);
  LEAT_FAST_IO("two_ints_of_any_length", "The answer is ", v.any, ", and ", v.any_other, ".\n");

  LEAT_LINE("pair_of_ints_of_any_length", "{},{}\n", "%d,%d\n", v.any, v.any_other);
  LEAT_FAST_IO("pair_of_ints_of_any_length", v.any, ",", v.any_other, "\n");

  LEAT_LINE("hexadecimal", "{:#x}\n", "%#x\n", v.few);
  LEAT_FAST_IO("hexadecimal", fast_io::mnp::hex0x(v.few), "\n");

  LEAT_LINE("one_long_of_any_length", "{}\n", "%llu\n", static_cast<unsigned long long>(v.wide));
  LEAT_FAST_IO("one_long_of_any_length", v.wide, "\n");
  LEAT_LINE("hexadecimal_of_any_length", "{:x}\n", "%llx\n",
            static_cast<unsigned long long>(v.wide));
  LEAT_FAST_IO("hexadecimal_of_any_length", fast_io::mnp::hex(v.wide), "\n");

  LEAT_LINE("padded", "{:8}|\n", "%8d|\n", v.any);

  LEAT_LINE("double_bits", "{}\n", "%.17g\n", v.bits);
  LEAT_FAST_IO("double_bits", v.bits, "\n");
  LEAT_LINE("double_step", "{}\n", "%.17g\n", v.step);
  LEAT_FAST_IO("double_step", v.step, "\n");
  LEAT_LINE("double_thousandth", "{}\n", "%.17g\n", v.thousandth);
  LEAT_FAST_IO("double_thousandth", v.thousandth, "\n");
  with_zmij("double_bits", [](const row& v) { return v.bits; });
  with_zmij("double_thousandth", [](const row& v) { return v.thousandth; });
  LEAT_LINE("double_price", "{}\n", "%.17g\n", v.price);
  LEAT_FAST_IO("double_price", v.price, "\n");

  LEAT_LINE("fixed", "{:.3f}\n", "%.3f\n", v.step);
  LEAT_LINE("two_decimals", "{:.2f}\n", "%.2f\n", v.price);
  LEAT_LINE("table", "{:>10} {:<8} {:08.3f}\n", "%10d %-8s %08.3f\n", v.any, v.word, v.price);
  LEAT_LINE("seventeen_digits", "{:.17g}\n", "%.17g\n", v.bits);
}

void add_records() {
  // fprintf has no dates: it gets a ready text.
  const auto csv = [](auto& out, const row& v) {
    out.print("{},{},{},{},{:%FT%T}\n", v.any, v.large, v.price, v.text,
              std::chrono::floor<std::chrono::seconds>(v.time));
  };
  with_leat("csv", [](auto& out, const row& v) {
    out.print("{},{},{},{},{}\n", v.any, v.large, v.price, v.text,
              std::chrono::floor<std::chrono::seconds>(v.time));
  });
  with_fmt("csv", csv);
  with_stdio("csv", [](auto* out, const row& v) {
    std::fprintf(out, "%d,%lld,%.17g,%s,%s\n", v.any, static_cast<long long>(v.large), v.price,
                 v.c_text, "2026-11-21T09:27:19Z");
  });
#ifdef LEAT_BENCH_FAST_IO
  with_fast_io("csv", [](auto& out, const row& v) {
    const auto seconds = v.time.time_since_epoch().count() / 1000;
    fast_io::io::print(out, v.any, ",", v.large, ",", v.price, ",", v.text, ",",
                       fast_io::unix_timestamp{seconds}, "\n");
  });
#endif

  LEAT_LINE("log", "{}: request {} took {} ms\n", "%s: request %d took %d ms\n", v.c_text, v.any,
            v.few);
  LEAT_FAST_IO("log", fast_io::mnp::os_c_str(v.c_text), ": request ", v.any, " took ", v.few,
               " ms\n");
  LEAT_LINE("json", "{{\"name\": \"{}\", \"x\": {}}}\n", "{\"name\": \"%s\", \"x\": %d}\n",
            v.c_text, v.any);
  LEAT_FAST_IO("json", "{\"name\": \"", fast_io::mnp::os_c_str(v.c_text), "\", \"x\": ", v.any,
               "}\n");
}

/// Types of the program; `spot` is the peer of `point`.
void add_own_types() {
  with_leat("own_type_in_one_line", [](auto& out, const row& v) {
    out.print("{} at {}\n", point{v.price, v.step}, v.any);
  });
  with_fmt("own_type_in_one_line",
           [](auto& out, const row& v) { out.print("{} at {}\n", spot{v.price, v.step}, v.any); });
  with_compiled_fmt("own_type_in_one_line", [](char* to, const row& v) {
    return fmt::format_to(to, FMT_COMPILE("{} at {}\n"), spot{v.price, v.step}, v.any);
  });
  const auto own = [](auto& out, const row& v) {
    out.print("{:>8} {}\n", static_cast<color>(v.few % 3), v.any);
  };
  with_leat("own_formatter", own);
  with_fmt("own_formatter", own);
  with_compiled_fmt("own_formatter", [](char* to, const row& v) {
    return fmt::format_to(to, FMT_COMPILE("{:>8} {}\n"), static_cast<color>(v.few % 3), v.any);
  });
}

/// Three and four values that each take a few nanoseconds.
void add_small_values() {
  LEAT_LINE("three_digits", "{} {} {}\n", "%d %d %d\n", v.few % 10, v.few / 100 % 10, v.other % 10);
  LEAT_LINE("four_ints_of_any_length", "{} {} {} {}\n", "%d %d %d %d\n", v.any, v.few, v.any_other,
            v.other);
  LEAT_LINE("char_and_bool", "{},{}\n", "%c,%d\n", static_cast<char>('a' + v.few % 26),
            v.any % 2 == 0);
  LEAT_LINE("text_cut_to_ten", "{:.10}\n", "%.10s\n", v.any_c_text);
}

/// As standard output: a stream that threads may share, while there is one.
void add_shared_streams() {
  const auto print = [](auto& out, const row& v) { out.println("{}", v.any); };
  with_leat("shared_stream", print);
  all.emplace_back("shared_stream/synchronized", [=](std::size_t lines) {
    static leat::synchronized out(leat::create("/dev/null"));
    each_row(lines, [&](const row& v) { print(out, v); });
  });
  with_stdio("shared_stream", [](auto* out, const row& v) { std::fprintf(out, "%d\n", v.any); });
}

void add_times() {
  const auto time = [](auto& out, const row& v) { out.print("{} started\n", v.time); };
  with_leat("time", time);
  with_fmt("time", time);
  const auto calendar = [](auto& out, const row& v) {
    out.print("{:%Y-%m-%dT%H:%M:%S}\n", std::chrono::floor<std::chrono::seconds>(v.time));
  };
  with_leat("calendar", calendar);
  with_fmt("calendar", calendar);
  with_compiled_fmt("calendar", [](char* to, const row& v) {
    return fmt::format_to(to, FMT_COMPILE("{:%Y-%m-%dT%H:%M:%S}\n"),
                          std::chrono::floor<std::chrono::seconds>(v.time));
  });
#ifdef LEAT_BENCH_FAST_IO
  with_fast_io("time", [](auto& out, const row& v) {
    const auto count = v.time.time_since_epoch().count();
    const auto part = static_cast<std::uint_least64_t>(count % 1000) *
                      (fast_io::uint_least64_subseconds_per_second / 1000);
    fast_io::io::print(out, fast_io::unix_timestamp{count / 1000, part}, " started\n");
  });
#endif
}

/// The limits, and a ready line with as many bytes as the line of CSV.
void add_limits() {
  with_leat("copy_of_44_bytes", [](auto& out, const row&) {
    static const std::string line(44, 'x');
    const char* bytes = line.data();
    benchmark::DoNotOptimize(bytes);
    out.write(std::string_view(bytes, line.size()));
  });
  for (const auto& limits : {limits::of_texts(), limits::of_numbers()})
    for (const limits::limit& one : limits)
      all.emplace_back(one.line + std::string("/limit"), one.write);
}

/// What a line of `row` is, by {fmt}.
std::string expected(std::string_view line, const row& v) {
  if (line == "text_of_any_length") return fmt::format("{}\n", v.any_text);
  if (line == "c_string_of_any_length") return fmt::format("{}\n", v.any_c_text);
  if (line == "pair_of_ints_of_any_length") return fmt::format("{},{}\n", v.any, v.any_other);
  if (line == "one_long_of_any_length") return fmt::format("{}\n", v.wide);
  if (line == "hexadecimal_of_any_length") return fmt::format("{:x}\n", v.wide);
  if (line == "two_decimals") return fmt::format("{:.2f}\n", v.price);
  return fmt::format("{:>10} {:<8} {:08.3f}\n", v.any, v.word, v.price);
}

/// A loop that writes something else is no limit.
bool are_right() {
  for (const auto& limits : {limits::of_texts(), limits::of_numbers()}) {
    for (const limits::limit& one : limits) {
      for (std::size_t i = 0; i != row_count; ++i) {
        std::array<char, limits::line_room> memory;
        const char* const end = one.put(memory.data(), row_at(i));
        const std::string_view made(memory.data(), static_cast<std::size_t>(end - memory.data()));
        if (const std::string right = expected(one.line, row_at(i)); made != right) {
          fmt::print(stderr, "bench_print: the limit of {} writes {} instead of {}", one.line, made,
                     right);
          return false;
        }
      }
    }
  }
  return true;
}

constexpr std::size_t batch = 1024;

void run(benchmark::State& state, const work& write) {
  write(row_count);  // warms the caches up and opens the streams
  while (state.KeepRunningBatch(batch)) write(batch);
}

}  // namespace

int main(int argc, char** argv) {
  for (const auto add : {add_texts, add_numbers, add_records, add_times, add_own_types,
                         add_small_values, add_shared_streams, add_limits})
    add();
  if (argc == 4 && std::string_view(argv[1]) == "--count") {
    for (const auto& [name, write] : all) {
      if (name != argv[2]) continue;
      write(std::strtoull(argv[3], nullptr, 10));
      return 0;
    }
    fmt::print(stderr, "bench_print: there is no '{}'\n", argv[2]);
    return 2;
  }
  if (!are_right()) return 1;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const auto& [name, write] : all)
    benchmark::RegisterBenchmark(name.c_str(),
                                 [&write = write](auto& state) { run(state, write); });
  benchmark::RunSpecifiedBenchmarks();
}
