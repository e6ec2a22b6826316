// Native values have the same text with each LEAT_FORMAT. Types with a formatter are tested with
// fmt and std. Corner cases follow the standard, except with fmt.
#include <leat/format.hpp>
#if LEAT_FORMAT_FMT
#  include <fmt/format.h>
#endif

#include <chrono>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

namespace {

int failures = 0;

void expect(std::string_view wanted, const std::string& got) {
  if (wanted == got) return;
  ++failures;
  std::fprintf(stderr, "expected '%.*s', got '%s'\n", static_cast<int>(wanted.size()),
               wanted.data(), got.c_str());
}

template <class... Args>
void expect_refused(std::string_view format, const Args&... args) {
  try {
    expect("an exception", leat::format(leat::runtime(format), args...));
  } catch (const leat::format_error&) {
  }
}

enum plain { zero, one };
constexpr std::chrono::sys_seconds morning{std::chrono::seconds{1'795'253'239}};
const std::error_code broken(5, std::generic_category());

void check_native() {
  expect("-1 2 0xff  a|b  true c", leat::format("{} {} {:#x} {:>2}|{:3}{} {}", -1, 2ULL, 255, "a",
                                                std::string("b"), true, 'c'));
  expect("0.1 3.142 1e-05 100000 1e+16 inf",
         leat::format("{} {:.3f} {} {} {} {}", 0.1F, 3.14159, 1e-5, 1e5, 1e16,
                      std::numeric_limits<double>::infinity()));
  expect("1 generic:5 0x0", leat::format("{} {} {}", one, broken, nullptr));
  expect("2026-11-21T09:27:19Z|2026-11-21  |",
         leat::format("{}|{:12}|", morning, std::chrono::floor<std::chrono::days>(morning)));
  expect("00042|  2.5|x", leat::format("{0:0{1}}|{2:{1}}|{3:.{4}}", 42, 5, 2.5, "xy", 1));
  expect("a 1", leat::format(leat::runtime("{1} {0}"), 1, "a"));
  expect_refused("{:d}", "text");
}

template <class Float>
constexpr bool has_80_bits = std::numeric_limits<Float>::digits == 64;

void check_long_double() {
  expect("0.5 -0 1e+20 123456.75 0.0001 nan",
         leat::format("{} {} {} {} {} {}", 0.5L, -0.0L, 1e20L, 123456.75L, 1 / 10000.0L,
                      std::numeric_limits<long double>::quiet_NaN()));
  if constexpr (has_80_bits<long double>) {
    using limits = std::numeric_limits<long double>;
    expect("0.1 4e-4951 1.189731495357231765e+4932 3.3621031431120935063e-4932",
           leat::format("{} {} {} {}", 0.1L, limits::denorm_min(), limits::max(), limits::min()));
  }
}

#if !LEAT_FORMAT_FMT

void check_edge_cases() {
  using namespace std::string_view_literals;
  expect(R"("a\t\"é\u{200b}\x{ff}日" '\'' "'")",
         leat::format("{:?} {:?} {:?}", "a\t\"é\u200b\xff日", '\'', "'"));
  expect(R"("\u{0}\u{7f}\\")", leat::format("{:?}", "\0\x7f\\"sv));
  expect(R"(**"x"**|"\n)", leat::format("{:*^7?}|{:.3?}", "x", "\n\n"));
  expect("***日本***|日|       é|\xff  ",
         leat::format("{:*^10}|{:.3}|{:>8}|{:3}", "日本", "日本語", "é", "\xff"));
  expect("A|B  |", leat::format("{:c}|{:3c}|", 65, static_cast<__int128>(66)));
  expect("1.|1.e+20|-00000002.|0.5|inf|0.",
         leat::format("{:#}|{:#}|{:+#010}|{:#}|{:#}|{:#}", 1.0, 1e20, -2.0F, 0.5L,
                      std::numeric_limits<float>::infinity(), 0.0));
  expect("42   |128", leat::format("{:<05}|{:d}", 42, '\x80'));
  expect("1000000000000000 12345678", leat::format("{} {}", 1e15F, 12345678.F));
  for (const int number : {300, -200}) expect_refused("{:c}", number);
  for (const std::string_view format : {"{:#}", "{:05}", "{:<05}"}) expect_refused(format, true);
  for (const std::string_view format : {"{:+c}", "{:#c}", "{:05c}"}) expect_refused(format, 65);
}

#endif

}  // namespace

#if LEAT_FORMAT_FMT || LEAT_FORMAT_STD

struct point {
  int x, y;
};
template <>
struct leat::detail::formatting::formatter<point> : leat::detail::formatting::formatter<int> {
  template <class Context>
  auto format(const point& p, Context& context) const {
    return leat::detail::formatting::format_to(context.out(), "({}, {})", p.x, p.y);
  }
};

namespace {

void check_custom() {
  expect("(1, 2)", leat::format("{}", point{1, 2}));
  expect("(1, 2) 100000 0.25|0x0 x generic:5 2026-11-21T09:27:19Z true 1",
         leat::format("{} {} {:.2f}|{} {} {} {} {} {}", point{1, 2}, 1e5, 0.25L, nullptr, 'x',
                      broken, morning, true, one));
  expect("(1, 2)   2026-11-21T09:27:19Z| 7|ff",
         leat::format("{} {:>{}}|{:2}|{:x}", point{1, 2}, morning, 22, 7, std::byte{255}));
  expect("(1, 2) 21.11. 09:27", leat::format("{} {:%d.%m. %H:%M}", point{1, 2}, morning));
  expect("21.11. 09:27:19", leat::format("{:%d.%m. %H:%M:%S}", morning));
  expect("(3, 4) a", leat::format(leat::runtime("{1} {0}"), "a", point{3, 4}));
  expect_refused("{} {:d}", point{}, "text");
  expect_refused("{:>{}} {}", morning, -1, point{});
#  if LEAT_FORMAT_STD  // texts of std::format; those of {fmt} may differ
  expect(
      R"((1, 2)   2.5|+3.14|   é|"a")",
      leat::format("{} {:{}}|{:+.{}f}|{:>{}}|{:?}", point{1, 2}, 2.5, 5, 3.14159, 2, "é", 4, "a"));
  expect("(1, 2)  2.5|", leat::format("{0} {1:{2}}|", point{1, 2}, 2.5F, 4));
#  endif
}

}  // namespace

#endif

int main() {
  check_native();
  check_long_double();
#if !LEAT_FORMAT_FMT
  check_edge_cases();
#endif
#if LEAT_FORMAT_FMT || LEAT_FORMAT_STD
  check_custom();
#else
  expect("2026-11-21 09:27:19", leat::format("{:%F %T}", morning));
  using sys_seconds = std::chrono::sys_seconds;
  expect("30828 3082875 75",
         leat::format("{:%C %Y %y}", sys_seconds(std::chrono::seconds(97'224'000'000'000))));
  expect("-1", leat::format("{:%C}", sys_seconds(std::chrono::seconds(-62'200'000'000))));
  expect_refused("{:%c}", morning);
#endif
  return failures == 0 ? 0 : 1;
}
