// Values of standard types, for example std::optional. leat writes most of these values itself,
// without <fmt/std.h>, and the texts must be the same as those of {fmt}.
#include <fmt/chrono.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <leat/leat.hpp>

#include <array>
#include <chrono>
#include <deque>
#include <filesystem>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <optional>
#include <ranges>
#include <ratio>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "format/outcome.hpp"
#include "format/samples.hpp"

namespace leat::test::standard {

struct own {
  int value;
};

}  // namespace leat::test::standard

template <>
struct fmt::formatter<leat::test::standard::own> : fmt::formatter<int> {
  template <class Context>
  auto format(const leat::test::standard::own& o, Context& context) const {
    return fmt::formatter<int>::format(o.value, context);
  }
};
// leat does not replace formatters of the program.
template <>
struct fmt::formatter<std::vector<short>> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const std::vector<short>& all, Context& context) const {
    return fmt::formatter<std::string_view>::format(all.empty() ? "empty" : "shorts", context);
  }
};
template <>
struct fmt::formatter<std::list<int>> : fmt::range_formatter<int, char> {
  constexpr formatter() { this->set_separator("; "); }
};
// leat does not replace formatters of the program that derive from {fmt}'s formatter for a similar
// type and add no data members.
template <>
struct fmt::formatter<std::chrono::duration<unsigned, std::milli>>
    : fmt::formatter<std::chrono::duration<double>> {
  template <class Time, class Context>
  auto format(const Time& time, Context& context) const {
    return fmt::formatter<std::chrono::duration<double>>::format(time, context);
  }
};
template <>
struct fmt::formatter<std::tuple<char, char>> : fmt::formatter<std::tuple<int, int>> {
  constexpr formatter() { set_brackets("<", ">"); }
};
template <>
struct fmt::formatter<std::pair<char, char>> : fmt::formatter<std::tuple<int, int>> {
  template <class Context>
  auto format(const std::pair<char, char>& both, Context& context) const {
    return fmt::formatter<std::tuple<int, int>>::format({both.first, both.second}, context);
  }
};
template <>
struct fmt::formatter<std::variant<std::monostate, int>> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const std::variant<std::monostate, int>& either, Context& context) const {
    return fmt::formatter<std::string_view>::format(either.index() == 0 ? "mark" : "int", context);
  }
};
template <>
struct fmt::formatter<std::deque<long>> : fmt::formatter<std::vector<int>> {
  template <class Context>
  auto format(const std::deque<long>& all, Context& context) const {
    const std::vector<int> size = {static_cast<int>(all.size())};
    return fmt::formatter<std::vector<int>>::format(size, context);
  }
};

namespace leat::test {
namespace {

using standard::own;

static_assert(detail::has_shape<std::vector<int>>);
static_assert(detail::has_shape<std::map<std::string, std::vector<std::pair<int, char>>>>);
static_assert(detail::has_shape<std::variant<std::monostate, std::vector<std::string>, char>>);
static_assert(detail::has_shape<std::filesystem::path> ==
              std::is_same_v<std::filesystem::path::value_type, char>);
static_assert(!detail::has_shape<std::variant<int, own>>);
static_assert(!detail::has_shape<std::chrono::system_clock>);
static_assert(!detail::has_shape<std::vector<own>>);
static_assert(!detail::has_shape<std::vector<short>>);
static_assert(!detail::has_shape<std::list<int>>);
static_assert(!detail::has_shape<std::string>);

template <class T>
T random_value(chooser& choose);

std::string text(chooser& choose) {
  static constexpr std::string_view usual = "abc XYZ,:0129(){}[]";
  static constexpr std::string_view special = "\"\\'\n\t\x1f\x7f\xc3\xa9\xff";
  std::string result;
  for (std::size_t n = choose.below(choose.one_in(20) ? 400 : 12); n != 0; --n)
    result += choose.one_in(30) ? special[choose.below(special.size())]
                                : usual[choose.below(usual.size())];
  return result;
}

template <class T>
struct maker {
  static T make(chooser& choose) {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(choose.below(1'000'000)) / T(1000) - T(200);
    else if constexpr (std::is_same_v<T, bool>)
      return choose.one_in(2);
    else
      return static_cast<T>(choose.below(std::uint64_t{1} << (1 + choose.below(63))));
  }
};
template <>
struct maker<std::string> {
  static std::string make(chooser& choose) { return text(choose); }
};
template <class First, class Second>
struct maker<std::pair<First, Second>> {
  static std::pair<First, Second> make(chooser& choose) {
    return {random_value<std::remove_const_t<First>>(choose), random_value<Second>(choose)};
  }
};
template <class... Elements>
struct maker<std::tuple<Elements...>> {
  static std::tuple<Elements...> make(chooser& choose) {
    return {random_value<Elements>(choose)...};
  }
};
template <class Rep, class Period>
struct maker<std::chrono::duration<Rep, Period>> {
  static std::chrono::duration<Rep, Period> make(chooser& choose) {
    return std::chrono::duration<Rep, Period>(random_value<Rep>(choose));
  }
};
template <class Range>
  requires requires(Range range) { range.insert(range.end(), *range.begin()); }
struct maker<Range> {
  static Range make(chooser& choose) {
    Range all;
    for (std::size_t n = choose.below(choose.one_in(20) ? 300 : 6); n != 0; --n)
      all.insert(all.end(), random_value<typename Range::value_type>(choose));
    return all;
  }
};
template <class T>
T random_value(chooser& choose) {
  return maker<T>::make(choose);
}
template <>
std::string random_value<std::string>(chooser& choose) {
  return text(choose);
}

constexpr int rounds = 800 / slowness;

template <class T>
void expect_equal(const char* type) {
  static_assert(detail::has_shape<T>);
  chooser choose(7);
  for (int i = 0; i != rounds && !testing::Test::HasFailure(); ++i) {
    const T value = random_value<T>(choose);
    const std::string expected = fmt::format("<{}>", value);
    EXPECT_EQ(leat::format("<{}>", value), expected) << type;
    EXPECT_EQ(leat::format("{0} {0}", value), fmt::format("{0} {0}", value)) << type;
    EXPECT_EQ(leat::format(runtime("<{}>"), value), expected) << type;
    string_writer to;
    to.println("{} {} {:>5}", i, value, "x");
    EXPECT_EQ(to.view(), fmt::format("{} {} {:>5}\n", i, value, "x")) << type;
    std::array<char, 700> memory;  // a small buffer: the value may not fit
    memory_writer limited(memory);
    limited.print("<{}>", value);
    EXPECT_EQ(limited.view(), expected.substr(0, memory.size())) << type;
    limited.clear_error();
  }
}

TEST(standard_values, of_all_shapes_are_the_same_as_with_fmt) {
#define LEAT_EQUAL(...) expect_equal<__VA_ARGS__>(#__VA_ARGS__)
  LEAT_EQUAL(std::vector<int>);
#ifndef _LIBCPP_VERSION  // {fmt} 9 can't write libc++'s elements
  LEAT_EQUAL(std::vector<bool>);
#endif
  LEAT_EQUAL(std::vector<char>);
  LEAT_EQUAL(std::vector<unsigned long long>);
  LEAT_EQUAL(std::deque<double>);
  LEAT_EQUAL(std::vector<std::string>);
  LEAT_EQUAL(std::vector<std::vector<int>>);
  LEAT_EQUAL(std::set<std::string>);
  LEAT_EQUAL(std::multiset<int>);
  LEAT_EQUAL(std::map<int, std::string>);
  LEAT_EQUAL(std::unordered_map<std::string, double>);
  LEAT_EQUAL(std::map<std::string, std::vector<std::pair<char, bool>>>);
  LEAT_EQUAL(std::pair<int, std::string>);
  LEAT_EQUAL(std::pair<char, std::vector<double>>);
  LEAT_EQUAL(std::tuple<int, double, std::string, bool, char>);
  LEAT_EQUAL(std::tuple<std::string>);
  LEAT_EQUAL(std::vector<std::tuple<int, std::string>>);
  LEAT_EQUAL(std::chrono::nanoseconds);
  LEAT_EQUAL(std::chrono::milliseconds);
  LEAT_EQUAL(std::chrono::seconds);
  LEAT_EQUAL(std::chrono::duration<int>);
  LEAT_EQUAL(std::chrono::microseconds);
  LEAT_EQUAL(std::chrono::minutes);
  LEAT_EQUAL(std::chrono::hours);
  LEAT_EQUAL(std::chrono::days);
  LEAT_EQUAL(std::chrono::duration<double>);
  LEAT_EQUAL(std::chrono::duration<float, std::micro>);
  LEAT_EQUAL(std::chrono::duration<short, std::milli>);
  LEAT_EQUAL(std::vector<std::chrono::duration<double, std::ratio<60>>>);
#undef LEAT_EQUAL
}

TEST(standard_values, accept_specifications_of_elements) {
  chooser choose(3);
  for (int i = 0; i != rounds && !HasFailure(); ++i) {
    const auto ints = random_value<std::vector<int>>(choose);
    const auto reals = random_value<std::vector<double>>(choose);
    const auto texts = random_value<std::vector<std::string>>(choose);
    const auto letters = random_value<std::vector<char>>(choose);
#define LEAT_EQUAL(text, value) \
  EXPECT_EQ(leat::format(text, value), fmt::format(text, value)) << (text)
    LEAT_EQUAL("{:n}", ints);
    LEAT_EQUAL("{::}", ints);
    LEAT_EQUAL("{::04x}", ints);
    LEAT_EQUAL("{:n:+}", ints);
    LEAT_EQUAL("{::>12}|", ints);
    LEAT_EQUAL("{::.3f}", reals);
    LEAT_EQUAL("{::.200f}", reals);
    LEAT_EQUAL("{::900}", ints);
    LEAT_EQUAL("{:n}", texts);
    LEAT_EQUAL("{::}", texts);
    LEAT_EQUAL("{::.3}", texts);
    LEAT_EQUAL("{::*^20}", texts);
    LEAT_EQUAL("{::}", letters);
    LEAT_EQUAL("{::d}", letters);
    LEAT_EQUAL("{:n}", letters);
#undef LEAT_EQUAL
    EXPECT_EQ(leat::format(runtime("{::04x}"), ints), fmt::format("{::04x}", ints));
  }
}

TEST(standard_values, texts_in_nested_ranges_are_the_same_as_with_fmt) {
  const std::vector<std::string> texts = {"a", "b\"", std::string(300, 'c')};
  const std::vector<char> letters = {'a', '\''};
#define LEAT_EQUAL(...) EXPECT_EQ(leat::format("{}", __VA_ARGS__), fmt::format("{}", __VA_ARGS__))
  LEAT_EQUAL(std::vector{texts, texts});
  LEAT_EQUAL(std::vector{letters, letters});
  LEAT_EQUAL(std::vector<std::vector<std::vector<std::string>>>{{texts}});
  LEAT_EQUAL(std::set<std::vector<std::string>>{texts});
  LEAT_EQUAL(std::map<std::string, std::vector<std::string>>{{"k", texts}});
  LEAT_EQUAL(std::pair(letters, texts));
  LEAT_EQUAL(std::tuple(std::vector{letters}, texts, 'x'));
  LEAT_EQUAL(std::vector<std::pair<char, std::string>>{{'a', "b"}});
  LEAT_EQUAL(std::vector<std::map<char, std::string>>{{{'a', "b"}}});
#undef LEAT_EQUAL
  EXPECT_EQ(leat::format("{:n}", std::vector{texts}), fmt::format("{:n}", std::vector{texts}));
}

TEST(standard_values, arrays_and_spans_are_written) {
  const std::array<int, 3> three = {1, 2, 3};
  const int numbers[] = {4, 5};
  EXPECT_EQ(leat::format("{} {}", three, std::span(numbers)), "[1, 2, 3] [4, 5]");
  EXPECT_EQ(leat::format("{}", std::array<int, 0>()), "[]");
  EXPECT_EQ(leat::format("{}", std::tuple<>()), fmt::format("{}", std::tuple<>()));
  const std::span<int> none;
  EXPECT_EQ(leat::format("{:n}.", none), ".");
}

TEST(standard_values, optional_values_are_written) {
  EXPECT_EQ(leat::format("{} {}", std::optional(5), std::optional<int>()), "optional(5) none");
  EXPECT_EQ(leat::format("{}", std::optional<std::string>("a\n")), "optional(\"a\\n\")");
  EXPECT_EQ(leat::format("{}", std::vector<std::optional<int>>{1, {}}), "[optional(1), none]");
  EXPECT_EQ(leat::format(runtime("{0}{0}"), std::optional(5)), "optional(5)optional(5)");
}

// {fmt}'s formatters for variants, paths and thread ids are in <fmt/std.h>, and the texts depend on
// {fmt}'s version. The formatter for std::optional is in <fmt/std.h> since {fmt} 10.

TEST(standard_values, variants_are_written) {
  using several = std::variant<std::monostate, int, double, bool, char, std::string>;
  EXPECT_EQ(leat::format("{} {}", several(), several(5)), "variant(monostate) variant(5)");
  EXPECT_EQ(leat::format("{} {}", several(2.5), several(true)), "variant(2.5) variant(true)");
  EXPECT_EQ(leat::format("{}", several('\n')), "variant('\\n')");
  EXPECT_EQ(leat::format("{}", several(std::string("a\""))), "variant(\"a\\\"\")");
  const std::string large(3000, 'c');
  EXPECT_EQ(leat::format("{}", several(large)), "variant(\"" + large + "\")");
  EXPECT_EQ(leat::format("{}", std::vector<several>{1, 'b'}), "[variant(1), variant('b')]");
  EXPECT_EQ(leat::format(runtime("{0}{0}"), several(5)), "variant(5)variant(5)");
  EXPECT_EQ(leat::format("{}", std::monostate()), "monostate");
}

TEST(standard_values, nested_alternatives_of_variants_are_written) {
  using texts = std::vector<std::string>;
  using several = std::variant<texts, std::pair<char, texts>, std::variant<int, texts>>;
  const std::string quoted = FMT_VERSION >= 100000 && FMT_VERSION < 120100 ? "[\"a\"]" : "[a]";
  EXPECT_EQ(leat::format("{}", several(texts{"a"})), "variant(" + quoted + ")");
  EXPECT_EQ(leat::format("{}", several(std::variant<int, texts>(texts{"a"}))),
            "variant(variant(" + quoted + "))");
  EXPECT_EQ(leat::format("{}", several(std::pair('c', texts{"a"}))),
            (FMT_VERSION < 120100 ? "variant(('c', " : "variant((c, ") + quoted + "))");
}

TEST(standard_values, a_variant_without_a_value_is_written) {
  // Not a std::vector: libstdc++ constructs a vector first and then moves it into the variant, so
  // the variant would keep its old value after the exception.
  using large = std::deque<int>;
  std::variant<int, large> empty;
  EXPECT_THROW(empty.emplace<large>(large().max_size() + 1), std::length_error);
  ASSERT_TRUE(empty.valueless_by_exception());
  EXPECT_EQ(leat::format("{}", empty), "variant(valueless by exception)");
}

#ifndef _WIN32
TEST(standard_values, paths_are_written) {
  using std::filesystem::path;
  const path name("a b\"\n");
  const std::string quoted = "\"a b\\\"\\n\"";
  EXPECT_EQ(leat::format("{}", name), FMT_VERSION < 100100 ? quoted : name.native());
  EXPECT_EQ(leat::format("{}", path()), FMT_VERSION < 100100 ? "\"\"" : "");
  EXPECT_EQ(leat::format("{}", std::pair(name, 1)), "(" + quoted + ", 1)");
  EXPECT_EQ(leat::format("{}", std::optional(name)), "optional(" + quoted + ")");
  EXPECT_EQ(leat::format("{}", std::variant<path>(name)),
            FMT_VERSION >= 100100 && FMT_VERSION < 120100 ? "variant(a b\"\n)"
                                                          : "variant(" + quoted + ")");
  const std::string large(3000, 'c');
  string_writer to;
  to.println("{} {}", path(large), 1);
  EXPECT_EQ(to.view(), FMT_VERSION < 100100 ? "\"" + large + "\" 1\n" : large + " 1\n");
}
#endif

#ifdef __GLIBCXX__
TEST(standard_values, thread_ids_are_written) {
  std::ostringstream text;
  text << std::this_thread::get_id();
  EXPECT_EQ(leat::format("{}", std::this_thread::get_id()), text.str());
  EXPECT_EQ(leat::format("{}", std::thread::id()), "thread::id of a non-executing thread");
  EXPECT_EQ(leat::format("{}", std::pair(std::this_thread::get_id(), 1)),
            "(" + text.str() + ", 1)");
}
#endif

TEST(standard_values, units_of_durations_are_the_same_as_with_fmt) {
  const auto expect_one = [](auto period) {
    const std::chrono::duration<int, decltype(period)> one(1);
    EXPECT_EQ(leat::format("{}", one), fmt::format("{}", one));
    const std::chrono::duration<double, decltype(period)> some(1234567.5);
    EXPECT_EQ(leat::format("{}", some), fmt::format("{}", some));
  };
  const auto expect_each = [&](auto... periods) { (expect_one(periods), ...); };
  expect_each(std::atto(), std::femto(), std::pico(), std::centi(), std::deci(), std::deca(),
              std::hecto(), std::kilo(), std::mega(), std::giga(), std::tera(), std::peta(),
              std::exa(), std::ratio<86'400>(), std::ratio<1, 3>(),
              std::ratio<std::numeric_limits<std::intmax_t>::max(), 10>());
  constexpr double extremes[] = {-1e300, 1e-300, 0, std::numeric_limits<double>::infinity()};
  for (const double extreme : extremes) {
    const std::chrono::duration<double, std::milli> time(extreme);
    EXPECT_EQ(leat::format("{}", time), fmt::format("{}", time));
  }
  const std::chrono::duration<int, std::ratio<2, 2000>> unreduced(1);  // leat calls {fmt}
  EXPECT_EQ(leat::format("{}", unreduced), fmt::format("{}", unreduced));
  const std::chrono::minutes time(90);  // with a specification, leat calls {fmt}
  EXPECT_EQ(leat::format("{:%H:%M} {:>6}", time, time), fmt::format("{:%H:%M} {:>6}", time, time));
}

TEST(standard_values, formatters_of_the_program_have_priority) {
  EXPECT_EQ(leat::format("{}", std::variant<std::monostate, int>(5)), "int");
  EXPECT_EQ(leat::format("{}", std::vector<short>{1}), "shorts");
  EXPECT_EQ(leat::format("{}", std::list<int>{1, 2}), "[1; 2]");
  EXPECT_EQ(leat::format("{}", std::vector<own>{{1}, {2}}), "[1, 2]");
  using unsigned_milliseconds = std::chrono::duration<unsigned, std::milli>;
  EXPECT_EQ(
      leat::format("{} {}", unsigned_milliseconds(1500), std::vector{unsigned_milliseconds(250)}),
      "1.5s [0.25s]");
  EXPECT_EQ(leat::format("{}", std::tuple('a', 'b')), fmt::format("{}", std::tuple('a', 'b')));
  EXPECT_EQ(leat::format("{}", std::tuple('a', 'b')).front(), '<');
  EXPECT_EQ(leat::format("{}", std::map<int, std::pair<char, char>>{{1, {'a', 'b'}}}),
            "{1: (97, 98)}");
  EXPECT_EQ(leat::format("{}", std::deque<long>{7, 8}), "[2]");
}

// If a value's text does not fit, leat writes the value again, but does not read a view again.
TEST(standard_values, a_view_is_read_only_once) {
  const std::vector<int> zeros(3000);
  int count = 0;
  const auto counts = zeros | std::views::transform([&](int) { return ++count; });
  std::string numbers;
  for (const int number : counts) numbers += std::to_string(number) + ' ';
  count = 0;
  const std::string expected = fmt::format("{}", counts);
  count = 0;
  EXPECT_EQ(leat::format("{}", counts), expected);
  count = 0;
  string_writer to;
  to.print("{}", counts);
  EXPECT_EQ(to.view(), expected);
  std::istringstream in(numbers);
  EXPECT_EQ(leat::format("{}", std::ranges::subrange(std::istream_iterator<int>(in),
                                                     std::istream_iterator<int>())),
            expected);
}

TEST(standard_values, a_view_may_print_to_the_same_writer) {
  string_writer to;
  const std::vector<int> numbers = {1, 2};
  to.print("<{}>", numbers | std::views::transform([&](int number) {
                     to.print("{} ", number);
                     return number;
                   }));
  EXPECT_EQ(to.view(), "1 2 <[1, 2]>");
}

TEST(standard_values, a_wrong_specification_is_refused) {
  const std::vector<int> values = {1};
  EXPECT_THROW(static_cast<void>(leat::format(runtime("{::s}"), values)), format_error);
  EXPECT_THROW(static_cast<void>(leat::format(runtime("{:x}"), values)), format_error);
  EXPECT_THROW(static_cast<void>(leat::format(runtime("{:x}"), std::optional(1))), format_error);
}

TEST(standard_values, elements_may_point_into_the_text_of_the_writer) {
  string_writer to;
  to.print("0123456789012345678901234567890123456789");
  const std::vector<std::string_view> parts = {to.view(), to.view().substr(10)};
  const std::string expected = std::string(to.view()) + fmt::format("{}", parts);
  to.print("{}", parts);
  EXPECT_EQ(to.view(), expected);
}

}  // namespace
}  // namespace leat::test
