// Results of fmt::join. leat writes the elements of arrays itself, and the texts must be the same
// as those of {fmt}.
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <leat/leat.hpp>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <list>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "format/known_differences.hpp"
#include "format/outcome.hpp"
#include "format/samples.hpp"

namespace leat::test::joined {

struct own {
  int value;
};

}  // namespace leat::test::joined

template <>
struct fmt::formatter<leat::test::joined::own> : fmt::formatter<int> {
  template <class Context>
  auto format(const leat::test::joined::own& o, Context& context) const {
    return fmt::formatter<int>::format(o.value, context);
  }
};

namespace leat::test {
namespace {

using joined::own;

template <class Range>
using join_of = decltype(fmt::join(std::declval<const Range&>(), ""));

static_assert(detail::has_shape<join_of<std::vector<int>>>);
static_assert(detail::has_shape<join_of<std::vector<std::string>>>);
static_assert(detail::has_shape<join_of<std::array<double, 3>>>);
static_assert(detail::has_shape<join_of<std::initializer_list<char>>>);
static_assert(detail::has_shape<join_of<bool[2]>>);
static_assert(!detail::has_shape<join_of<std::vector<own>>>);
static_assert(!detail::has_shape<join_of<std::vector<std::vector<int>>>>);
static_assert(!detail::has_shape<join_of<std::list<int>>>);

/// Writes a value by a specification as print does. If leat does not write values by this
/// specification, returns false.
template <class T>
bool write_natively(const T& value, const std::string& spec, std::string& to) {
  detail::standard_writer<T> by;
  if (!by.parse(spec + "}", spec.size())) return false;
  constexpr std::size_t room = 64;
  for (to.assign(room + 1, '#');; to.resize(2 * to.size()))
    if (char* const end = by.put(&by, &value, to.data(), to.data() + to.size() - room)) {
      to.resize(static_cast<std::size_t>(end - to.data()));
      return true;
    }
}

constexpr std::string_view separators[] = {
    "", ",", ", ", " | ", "{}", "\n", "é", "a separator that is longer than most"};

TEST(joined_values, with_any_specification_are_the_same_as_with_fmt) {
  chooser choose(5);
  int written = 0;
  const int cases = 100'000 / slowness;
  for (int i = 0; i != cases && !HasFailure(); ++i) {
    std::string spec = choose.one_in(4) ? "" : any_spec(choose);
    if (spec.find_first_of("{}") != spec.npos) continue;
    const sample first = any_sample(choose);
    const std::string_view separator = choose.one_of(separators);
    std::visit(
        [&]<class T>(const T& one) {
          if constexpr (!std::is_same_v<T, bool> && !std::is_pointer_v<T> &&
                        !std::is_same_v<T, std::byte>) {
            std::vector<T> values;
            if (!choose.one_in(10)) values.push_back(one);
            for (std::size_t n = choose.below(choose.one_in(50) ? 300 : 6); n != 0;) {
              const sample next = any_sample(choose);
              if (next.index() != first.index() && !choose.one_in(9)) continue;
              values.push_back(std::holds_alternative<T>(next) ? std::get<T>(next) : one);
              --n;
            }
            for (const T& value : values)
              if (is_deliberate(sample(value), spec)) return;
            const auto all =
                fmt::join(values, fmt::string_view(separator.data(), separator.size()));
            const outcome expected = by_fmt("{:" + spec + "}", all);
            if (expected.refused) return;
            std::string text;
            if (!write_natively(all, spec, text)) return;
            ++written;
            EXPECT_EQ(text, expected.text) << spec;
          }
        },
        first);
  }
  EXPECT_TRUE(HasFailure() || written > cases / 8) << "leat writes too few of the values";
}

TEST(joined_values, are_the_same_as_with_fmt_in_any_call) {
  chooser choose(9);
  for (int i = 0; i != 2000 / slowness && !HasFailure(); ++i) {
    std::vector<int> numbers(choose.below(choose.one_in(9) ? 400 : 6));
    for (int& number : numbers) number = any_integer<int>(choose);
    std::vector<std::string> texts(choose.below(6));
    for (std::string& text : texts) text = any_text(choose);
    const auto letters = any_text(choose);
    const std::vector<double> prices = {0.5, 1234.56, -20};
    const bool flags[] = {true, false};
    const auto separator = fmt::string_view(choose.one_of(separators).data());
#define LEAT_EQUAL(text, ...) \
  EXPECT_EQ(leat::format(text, __VA_ARGS__), fmt::format(text, __VA_ARGS__))
    LEAT_EQUAL("<{}>", fmt::join(numbers, separator));
    LEAT_EQUAL("{:04x}", fmt::join(numbers, separator));
    LEAT_EQUAL("{:>{}}", fmt::join(numbers, separator), i % 40);
    LEAT_EQUAL("{:900}|", fmt::join(numbers, separator));
    LEAT_EQUAL("{}", fmt::join(texts, separator));
    LEAT_EQUAL("{:*^20.3}", fmt::join(texts, separator));
    LEAT_EQUAL("{:?}", fmt::join(letters, separator));
    LEAT_EQUAL("{}", fmt::join(letters, separator));
    LEAT_EQUAL("{:.2f} {:.200f} {}", fmt::join(prices, separator), fmt::join(prices, "; "), i);
    LEAT_EQUAL("{} {:d}", fmt::join(flags, separator), fmt::join(flags, separator));
    LEAT_EQUAL("{1} {0}", fmt::join(numbers, separator), fmt::join(std::span(texts), separator));
    LEAT_EQUAL("{} {}", own{i}, fmt::join(numbers, separator));
    LEAT_EQUAL("{}", fmt::join(numbers.data(), numbers.data() + numbers.size(), separator));
    LEAT_EQUAL("{}", fmt::join(std::list(numbers.begin(), numbers.end()), separator));
    LEAT_EQUAL("{}", std::vector{fmt::join(texts, separator)});
    LEAT_EQUAL("{}", std::tuple(fmt::join(texts, separator), 'x'));
    LEAT_EQUAL("{}", fmt::join(std::vector{texts, texts}, separator));
    LEAT_EQUAL("{}", fmt::join(std::vector<own>{{1}, {2}}, separator));
#undef LEAT_EQUAL
    const std::string expected = fmt::format("<{}>", fmt::join(texts, separator));
    EXPECT_EQ(leat::format(runtime("<{}>"), fmt::join(texts, separator)), expected);
    string_writer to;
    to.println("{} <{}>", i, fmt::join(texts, separator));
    EXPECT_EQ(to.view(), std::to_string(i) + " " + expected + "\n");
    std::array<char, 700> memory;  // the value may not fit
    memory_writer limited(memory);
    limited.print("<{}>", fmt::join(texts, separator));
    EXPECT_EQ(limited.view(), expected.substr(0, memory.size()));
    limited.clear_error();
  }
}

TEST(joined_values, of_a_stream_are_read_once) {
  std::istringstream in("1 2 3");
  EXPECT_EQ(leat::format(
                "{}", fmt::join(std::istream_iterator<int>(in), std::istream_iterator<int>(), "+")),
            "1+2+3");
}

TEST(joined_values, with_a_wrong_specification_are_refused) {
  const std::vector<int> values = {1};
  EXPECT_THROW(static_cast<void>(leat::format(runtime("{:s}"), fmt::join(values, ","))),
               format_error);
}

}  // namespace
}  // namespace leat::test
