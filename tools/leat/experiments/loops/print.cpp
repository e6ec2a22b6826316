// `leat bench loops/print`, `loops/print-values` and `loops/print-others`: prints typical lines
// with leat and with its peers. Streams write to /dev/null, so the kernel's share is small and
// equal. FMT_COMPILE and zmij only write into memory. The values change from line to line as in
// real data: with a constant value, the branch predictor would know every branch.
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

#include "experiments/loops/limits/limits.hpp"
#include "experiments/loops/loops.hpp"
#include "experiments/loops/rows.hpp"
#include "experiments/peers.hpp"
#include "system/failure.hpp"
#include "system/platform.hpp"

#ifdef LEAT_BENCH_FAST_IO
#  include <fast_io.h>
#  include <fast_io_device.h>
#endif
#ifdef LEAT_BENCH_ZMIJ
#  include <zmij.h>
#endif

namespace bench {

const rows::table& rows::all_columns() {
  static const table made;
  return made;
}

namespace loops_print {

namespace {

struct point {
  double x, y;
};
/// A point with a handwritten formatter, as in most code.
struct spot {
  double x, y;
};
enum class color { red, green, blue };
constexpr std::array<std::string_view, 3> color_names = {"red", "green", "blue"};

}  // namespace

}  // namespace loops_print

}  // namespace bench

namespace own = bench::loops_print;

template <>
struct fmt::formatter<own::point>
    : leat::formatted<"({:.2f}, {:.2f})", &own::point::x, &own::point::y> {};
template <>
struct fmt::formatter<own::spot> {
  constexpr auto parse(format_parse_context& context) { return context.begin(); }
  template <class Context>
  auto format(const own::spot& s, Context& context) const {
    return fmt::format_to(context.out(), FMT_COMPILE("({:.2f}, {:.2f})"), s.x, s.y);
  }
};
template <>
struct fmt::formatter<own::color> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(own::color c, Context& context) const {
    return fmt::formatter<std::string_view>::format(own::color_names[std::size_t(c)], context);
  }
};

namespace bench::loops_print {

namespace {

using rows::all_columns, rows::each_row, rows::row, rows::row_at, rows::row_count;

struct closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

template <class Print>
void with_leat(loops& all, const std::string& line, const Print& print) {
  all.add(line, "leat", [=, lines = all.count()](run&) {
    static auto out = leat::create(null_device);
    each_row(lines, [&](const row& v) { print(out, v); });
  });
}

template <class Print>
void with_fmt(loops& all, const std::string& line, const Print& print) {
  all.add(line, "fmt::output_file", [=, lines = all.count()](run&) {
    static auto out = fmt::output_file(null_device);
    each_row(lines, [&](const row& v) { print(out, v); });
  });
}

template <class Print>
void with_compiled_fmt(loops& all, const std::string& line, const Print& print) {
  all.add(line, "FMT_COMPILE", [=, lines = all.count()](run&) {
    each_row(lines, [&](const row& v) {
      std::array<char, 512> memory;
      use(print(memory.data(), v));
    });
  });
}

template <class Print>
void with_stdio(loops& all, const std::string& line, const Print& print) {
  all.add(line, "fprintf", [=, lines = all.count()](run&) {
    static const std::unique_ptr<std::FILE, closer> out(std::fopen(null_device, "wb"));
    each_row(lines, [&](const row& v) { print(out.get(), v); });
  });
}

#ifdef LEAT_BENCH_FAST_IO
template <class Print>
void with_fast_io(loops& all, const std::string& line, const Print& print) {
  all.add(line, "fast_io", [=, lines = all.count()](run&) {
    static fast_io::obuf_file out(null_device);
    each_row(lines, [&](const row& v) { print(out, v); });
  });
}
// fast_io has no format strings: it gets literals and arguments.
#  define LEAT_FAST_IO(line, ...) \
    with_fast_io(all, line, [](auto& out, const row& v) { fast_io::io::print(out, __VA_ARGS__); })
#else
#  define LEAT_FAST_IO(line, ...) static_cast<void>(0)
#endif

// zmij only converts a number to text, into memory that is filled repeatedly.
template <class Value>
void with_zmij([[maybe_unused]] loops& all, [[maybe_unused]] const std::string& line,
               [[maybe_unused]] const Value& value) {
#ifdef LEAT_BENCH_ZMIJ
  all.add(line, "zmij", [=, lines = all.count()](run&) {
    static std::array<char, 1 << 16> memory;
    char* to = memory.data();
    each_row(lines, [&](const row& v) {
      if (memory.data() + memory.size() - to < 64) to = memory.data();
      to = zmij::detail::write(to, value(v));
      *to++ = '\n';
    });
    use(memory);
  });
#endif
}

/// Adds a line for leat and {fmt}: a format and the arguments.
#define LEAT_FORMAT(line, format, ...)                                                   \
  with_leat(all, line, [](auto& out, const row& v) { out.print(format, __VA_ARGS__); }); \
  with_fmt(all, line, [](auto& out, const row& v) { out.print(format, __VA_ARGS__); });  \
  with_compiled_fmt(all, line, [](char* to, const row& v) {                              \
    return fmt::format_to(to, FMT_COMPILE(format), __VA_ARGS__);                         \
  })
#define LEAT_PRINTF(line, ...) \
  with_stdio(all, line, [](auto* out, const row& v) { std::fprintf(out, __VA_ARGS__); })
/// Adds a line for leat, {fmt} and stdio: a format, a printf format and the arguments.
#define LEAT_LINE(line, format, c_format, ...) \
  LEAT_FORMAT(line, format, __VA_ARGS__);      \
  LEAT_PRINTF(line, c_format, __VA_ARGS__)

auto seconds_of(const row& v) { return std::chrono::floor<std::chrono::seconds>(v.time); }

void add_texts(loops& all) {
  LEAT_LINE("c_string", "{}\n", "%s\n", v.c_text);
  LEAT_FAST_IO("c_string", fast_io::mnp::os_c_str(v.c_text), "\n");
  LEAT_FORMAT("text", "{}\n", v.text);
  LEAT_PRINTF("text", "%.9s\n", v.text.data());
  LEAT_FAST_IO("text", v.text, "\n");
}

void add_numbers(loops& all) {
  LEAT_LINE("two_ints", "The answer is {}, and {}.\n", "The answer is %d, and %d.\n", v.few,
            v.other);
  LEAT_FAST_IO("two_ints", "The answer is ", v.few, ", and ", v.other, ".\n");
  LEAT_LINE("two_ints_of_any_length", "The answer is {}, and {}.\n", "The answer is %d, and %d.\n",
            v.any, v.any_other);
  LEAT_FAST_IO("two_ints_of_any_length", "The answer is ", v.any, ", and ", v.any_other, ".\n");
  LEAT_LINE("hexadecimal", "{:#x}\n", "%#x\n", v.few);
  LEAT_FAST_IO("hexadecimal", fast_io::mnp::hex0x(v.few), "\n");
  LEAT_LINE("padded", "{:8}|\n", "%8d|\n", v.any);
  LEAT_LINE("double_step", "{}\n", "%.17g\n", v.step);
  LEAT_FAST_IO("double_step", v.step, "\n");
  LEAT_LINE("double_price", "{}\n", "%.17g\n", v.price);
  LEAT_FAST_IO("double_price", v.price, "\n");
  LEAT_LINE("fixed", "{:.3f}\n", "%.3f\n", v.step);
  LEAT_LINE("seventeen_digits", "{:.17g}\n", "%.17g\n", v.bits);
}

void add_values(loops& all) {
  LEAT_LINE("c_string_of_any_length", "{}\n", "%s\n", v.any_c_text);
  LEAT_FAST_IO("c_string_of_any_length", fast_io::mnp::os_c_str(v.any_c_text), "\n");
  LEAT_FORMAT("text_of_any_length", "{}\n", v.any_text);
  LEAT_FAST_IO("text_of_any_length", v.any_text, "\n");
  LEAT_LINE("pair_of_ints_of_any_length", "{},{}\n", "%d,%d\n", v.any, v.any_other);
  LEAT_FAST_IO("pair_of_ints_of_any_length", v.any, ",", v.any_other, "\n");
  LEAT_LINE("one_long_of_any_length", "{}\n", "%llu\n", static_cast<unsigned long long>(v.wide));
  LEAT_FAST_IO("one_long_of_any_length", v.wide, "\n");
  LEAT_LINE("hexadecimal_of_any_length", "{:x}\n", "%llx\n",
            static_cast<unsigned long long>(v.wide));
  LEAT_FAST_IO("hexadecimal_of_any_length", fast_io::mnp::hex(v.wide), "\n");
  LEAT_LINE("two_decimals", "{:.2f}\n", "%.2f\n", v.price);
  LEAT_LINE("table", "{:>10} {:<8} {:08.3f}\n", "%10d %-8s %08.3f\n", v.any, v.word, v.price);
  LEAT_LINE("double_bits", "{}\n", "%.17g\n", v.bits);
  LEAT_FAST_IO("double_bits", v.bits, "\n");
  with_zmij(all, "double_bits", [](const row& v) { return v.bits; });
  LEAT_LINE("double_thousandth", "{}\n", "%.17g\n", v.thousandth);
  LEAT_FAST_IO("double_thousandth", v.thousandth, "\n");
  with_zmij(all, "double_thousandth", [](const row& v) { return v.thousandth; });
}

void add_records(loops& all) {
  // fprintf has no dates: it gets a ready text.
  with_leat(all, "csv", [](auto& out, const row& v) {
    out.print("{},{},{},{},{}\n", v.any, v.large, v.price, v.text, seconds_of(v));
  });
  with_fmt(all, "csv", [](auto& out, const row& v) {
    out.print("{},{},{},{},{:%FT%T}\n", v.any, v.large, v.price, v.text, seconds_of(v));
  });
  LEAT_PRINTF("csv", "%d,%lld,%.17g,%s,%s\n", v.any, static_cast<long long>(v.large), v.price,
              v.c_text, "2026-11-21T09:27:19Z");
  LEAT_FAST_IO("csv", v.any, ",", v.large, ",", v.price, ",", v.text, ",",
               fast_io::unix_timestamp{v.time.time_since_epoch().count() / 1000}, "\n");
  // A ready line with about as many bytes as a line of csv.
  with_leat(all, "copy_of_44_bytes", [](auto& out, const row&) {
    static const std::string line(44, 'x');
    out.write(std::string_view(hidden(line.data()), line.size()));
  });
  LEAT_LINE("log", "{}: request {} took {} ms\n", "%s: request %d took %d ms\n", v.c_text, v.any,
            v.few);
  LEAT_FAST_IO("log", fast_io::mnp::os_c_str(v.c_text), ": request ", v.any, " took ", v.few,
               " ms\n");
  LEAT_LINE("json", "{{\"name\": \"{}\", \"x\": {}}}\n", "{\"name\": \"%s\", \"x\": %d}\n",
            v.c_text, v.any);
  LEAT_FAST_IO("json", "{\"name\": \"", fast_io::mnp::os_c_str(v.c_text), "\", \"x\": ", v.any,
               "}\n");
  LEAT_FORMAT("time", "{} started\n", v.time);
#ifdef LEAT_BENCH_FAST_IO
  with_fast_io(all, "time", [](auto& out, const row& v) {
    const auto count = v.time.time_since_epoch().count();
    const auto part = static_cast<std::uint_least64_t>(count % 1000) *
                      (fast_io::uint_least64_subseconds_per_second / 1000);
    fast_io::io::print(out, fast_io::unix_timestamp{count / 1000, part}, " started\n");
  });
#endif
}

/// Adds user-defined types (`spot` is the peer of `point`), values that take a few nanoseconds
/// each, and a thread-safe stream such as standard output.
void add_others(loops& all) {
  with_leat(all, "own_type", [](auto& out, const row& v) {
    out.print("{} at {}\n", point{v.price, v.step}, v.any);
  });
  with_fmt(all, "own_type",
           [](auto& out, const row& v) { out.print("{} at {}\n", spot{v.price, v.step}, v.any); });
  with_compiled_fmt(all, "own_type", [](char* to, const row& v) {
    return fmt::format_to(to, FMT_COMPILE("{} at {}\n"), spot{v.price, v.step}, v.any);
  });
  LEAT_FORMAT("own_formatter", "{:>8} {}\n", static_cast<color>(v.few % 3), v.any);
  LEAT_FORMAT("calendar", "{:%Y-%m-%dT%H:%M:%S}\n", seconds_of(v));
  LEAT_LINE("three_digits", "{} {} {}\n", "%d %d %d\n", v.few % 10, v.few / 100 % 10, v.other % 10);
  LEAT_LINE("four_ints_of_any_length", "{} {} {} {}\n", "%d %d %d %d\n", v.any, v.few, v.any_other,
            v.other);
  LEAT_LINE("char_and_bool", "{},{}\n", "%c,%d\n", static_cast<char>('a' + v.few % 26),
            v.any % 2 == 0);
  LEAT_LINE("text_cut_to_ten", "{:.10}\n", "%.10s\n", v.any_c_text);
  const auto print = [](auto& out, const row& v) { out.println("{}", v.any); };
  with_leat(all, "shared_stream", print);
  all.add("shared_stream", "leat::synchronized", [=, lines = all.count()](run&) {
    static leat::synchronized out(leat::create(null_device));
    each_row(lines, [&](const row& v) { print(out, v); });
  });
  LEAT_PRINTF("shared_stream", "%d\n", v.any);
}

/// Returns the expected line for the row `v`, made by {fmt}.
std::string expected(std::string_view line, const row& v) {
  if (line == "text_of_any_length") return fmt::format("{}\n", v.any_text);
  if (line == "c_string_of_any_length") return fmt::format("{}\n", v.any_c_text);
  if (line == "pair_of_ints_of_any_length") return fmt::format("{},{}\n", v.any, v.any_other);
  if (line == "one_long_of_any_length") return fmt::format("{}\n", v.wide);
  if (line == "hexadecimal_of_any_length") return fmt::format("{:x}\n", v.wide);
  if (line == "two_decimals") return fmt::format("{:.2f}\n", v.price);
  return fmt::format("{:>10} {:<8} {:08.3f}\n", v.any, v.word, v.price);
}

/// If the line of a limit differs from the line of {fmt}, throws `failure`.
void require_right(const limits::limit& tested) {
  for (std::size_t i = 0; i != row_count; ++i) {
    std::array<char, limits::line_capacity> memory;
    const row v = row_at(all_columns(), i);
    const char* const end = tested.put(memory.data(), v);
    const std::string_view written(memory.data(), static_cast<std::size_t>(end - memory.data()));
    if (const std::string right = expected(tested.line, v); written != right)
      throw failure(
          fmt::format("the limit of {} writes {} instead of {}", tested.line, written, right));
  }
}

experiment lines(const request& wanted) {
  loops all(wanted, row_count);
  for (const auto add : {add_texts, add_numbers, add_records}) add(all);
  return all.make_experiment("print", "typical lines to /dev/null", "line");
}

experiment values(const request& wanted) {
  loops all(wanted, row_count);
  add_values(all);
  for (const limits::limit& one : limits::line_limits())
    all.add(one.line, "by hand", [one, lines = all.count()](run& this_run) {
      if (this_run.is_warm_up) require_right(one);
      one.write(lines);
    });
  return all.make_experiment("print-values", "values of all sizes to /dev/null", "line");
}

experiment others(const request& wanted) {
  loops all(wanted, row_count);
  add_others(all);
  return all.make_experiment("print-others",
                             "own types, small values and shared streams to /dev/null", "line");
}

const registration print_lines(101, lines), print_values(102, values), print_others(103, others);

}  // namespace

}  // namespace bench::loops_print
