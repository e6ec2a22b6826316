// Types with a fmt::formatter, alone and together with native types.
#include <fmt/chrono.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <leat/leat.hpp>

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <ranges>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "format/outcome.hpp"
#include "support/files.hpp"

namespace leat::test {

struct point {
  int x, y;
};
enum class color { red, green };
struct counted {
  int* formatted;
};
struct explosive {};
struct chatty {  // the formatter of chatty prints to the same writer
  leat::writer* to;
};
struct token {  // move-only
  std::unique_ptr<int> value;
};
struct shade {};
struct tally {
  int count;
};
struct countdown {  // can be iterated only while it is not const
  int number;
  int* begin() { return &number; }
  int* end() { return &number + 1; }
};

}  // namespace leat::test

template <>
struct fmt::formatter<leat::test::point> : fmt::formatter<int> {
  template <class Context>
  auto format(const leat::test::point& p, Context& context) const {
    return fmt::format_to(context.out(), "({}, {})", p.x, p.y);
  }
};
template <>
struct fmt::formatter<leat::test::color> : fmt::formatter<fmt::string_view> {
  template <class Context>
  auto format(leat::test::color c, Context& context) const {
    return fmt::formatter<fmt::string_view>::format(c == leat::test::color::red ? "red" : "green",
                                                    context);
  }
};
template <>
struct fmt::formatter<leat::test::chatty> : fmt::formatter<int> {
  template <class Context>
  auto format(const leat::test::chatty& value, Context& context) const {
    value.to->print("[me]");
    return fmt::format_to(context.out(), "chatty");
  }
};
template <>
struct fmt::formatter<leat::test::counted> : fmt::formatter<int> {
  template <class Context>
  auto format(const leat::test::counted& c, Context& context) const {
    return fmt::formatter<int>::format(++*c.formatted, context);
  }
};
template <>
struct fmt::formatter<leat::test::explosive> : fmt::formatter<int> {
  template <class Context>
  auto format(const leat::test::explosive&, Context& context) const -> decltype(context.out()) {
    fmt::format_to(context.out(), "half");
    throw std::domain_error("boom");
  }
};
template <>
struct fmt::formatter<leat::test::shade> : fmt::formatter<fmt::string_view> {
  template <class Context>
  auto format(leat::test::shade, Context& context) const {
    return fmt::formatter<fmt::string_view>::format("dark", context);
  }
};
template <>
struct fmt::formatter<leat::test::tally> : fmt::formatter<int> {
  int more = 0;

  template <class Context>
  auto format(const leat::test::tally& t, Context& context) const {
    return fmt::formatter<int>::format(t.count + more, context);
  }
};
template <>
struct fmt::formatter<leat::test::token> : fmt::formatter<int> {
  template <class Context>
  auto format(const leat::test::token& t, Context& context) const {
    return fmt::formatter<int>::format(*t.value, context);
  }
};

namespace leat::test {
namespace {

using namespace std::chrono_literals;

TEST(custom, types_are_written_by_their_formatter) {
  EXPECT_EQ(leat::format("{} and {}", point{1, 2}, point{3, 4}), "(1, 2) and (3, 4)");
  EXPECT_EQ(leat::format("{:>8}|{:<6}|", color::green, color::red), "   green|red   |");
}

TEST(custom, types_accept_more_specifications_than_print_stores) {
  // More specifications than print keeps of a type. Some specifications have the same length or
  // beginning.
  for (int i = 0; i != 2; ++i) {
    EXPECT_EQ(leat::format("{}|{:>5}|{:>6}|{:<5}|{:^6}|{:.1}|", shade(), shade(), shade(), shade(),
                           shade(), shade()),
              "dark| dark|  dark|dark | dark |d|");
    EXPECT_EQ(leat::format("{:*>10}|{:*>10.3}|{:*>10.2}|", shade(), shade(), shade()),
              "******dark|*******dar|********da|");
    EXPECT_EQ(leat::format("{0:>5}|{1:}|{2}|", shade(), shade(), shade()), " dark|dark|dark|");
    EXPECT_EQ(leat::format("{:>3}|{:<3}|", tally{1}, tally{2}), "  1|2  |");
  }
}

TEST(custom, types_accept_long_specifications) {
  for (int i = 0; i != 2; ++i) {  // the second time print finds some kept specifications
    EXPECT_EQ(leat::format("{:*>10.3}|{:*>10.2}|{:*<10.3}|{:->12.3}|", color::green, color::green,
                           color::green, color::green),
              "*******gre|********gr|gre*******|---------gre|");
    EXPECT_EQ(leat::format("{:😀>10.000000003}|{:😀>10.000000002}|", color::red, color::red),
              "😀😀😀😀😀😀😀red|😀😀😀😀😀😀😀😀re|");
  }
}

TEST(custom, types_are_written_by_several_threads) {
  std::vector<std::thread> threads;
  for (int i = 0; i != 4; ++i)
    threads.emplace_back([] {
      for (int round = 0; round != 100; ++round)
        EXPECT_EQ(leat::format("{:x>4}|{:y>4}|{:z>4}", color::red, color::red, color::red),
                  "xred|yred|zred");
    });
  for (std::thread& one : threads) one.join();
}

TEST(custom, types_are_written_after_texts_of_any_length) {
  string_writer to;
  std::string expected;
  for (std::size_t size = 0; size != 600; ++size) {
    const std::string text(size, 'a');
    to.print("{}{}{}\n", text, color::red, size);
    expected += text + "red" + std::to_string(size) + '\n';
  }
  EXPECT_EQ(to.view(), expected);
}

TEST(custom, a_null_pointer_after_a_formatter_prints_nothing) {
  string_writer to;
  const char* const null = nullptr;
  EXPECT_THROW(to.print("{} {}", color::red, null), format_error);
  EXPECT_EQ(to.view(), "");
}

TEST(custom, ranges_and_tuples_are_written) {
  const std::vector<int> numbers{1, 2, 3};
  EXPECT_EQ(leat::format("{}", numbers), "[1, 2, 3]");
  EXPECT_EQ(leat::format("{::02x}", std::array{1, 255}), "[01, ff]");
  EXPECT_EQ(leat::format("{}", std::set<std::string>{"a", "b"}), R"({"a", "b"})");
  EXPECT_EQ(leat::format("{}", std::map<int, bool>{{1, true}}), "{1: true}");
  EXPECT_EQ(leat::format("{} {}", std::tuple(1, 'c', "t"), std::pair(2.5, 1)),
            R"((1, 'c', "t") (2.5, 1))");
}

TEST(custom, ranges_that_can_not_be_const_are_written) {
  std::vector<int> numbers{1, 2, 3, 4};
  const auto is_even = [](int n) { return n % 2 == 0; };
  auto even = numbers | std::views::filter(is_even);
  EXPECT_EQ(leat::format("{}", even), "[2, 4]");
  EXPECT_EQ(leat::format("{}", numbers | std::views::filter(is_even)), "[2, 4]");
  countdown one{7};
  string_writer to;
  to.print("{}", one);
  to.print(runtime(" {}"), one);
  EXPECT_EQ(to.view(), "[7] [7]");
}

TEST(custom, chrono_values_are_written) {
  EXPECT_EQ(leat::format("{} {}", 42s, 1500ms), "42s 1500ms");
  EXPECT_EQ(leat::format("{:%H:%M:%S}", 3723s), "01:02:03");
  EXPECT_EQ(leat::format("{:%Y-%m-%d}", fmt::gmtime(std::time_t{0})), "1970-01-01");
}

TEST(custom, types_are_written_with_native_arguments_in_the_same_call) {
  string_writer to;
  to.println("{} {} {:#x} {:.2f} {} {}", 5s, "text", 255, 1.0, true, std::string(20, 's'));
  to.println("{0} {1} {0}", static_cast<__int128>(1) << 70, 1h);
  to.println("{:>{}} {}", point{1, 2}, 3, nullptr);
  EXPECT_EQ(to.view(),
            "5s text 0xff 1.00 true ssssssssssssssssssss\n"
            "1180591620717411303424 1h 1180591620717411303424\n"
            "(1, 2) 0x0\n");
}

TEST(custom, named_arguments_are_written_and_unknown_names_refused) {
  EXPECT_EQ(leat::format("{name}\n", fmt::arg("name", 5)), "5\n");
  EXPECT_EQ(leat::format("{} {} {b:>3} {a:.2f} {{}}", 1, std::vector<int>{7}, fmt::arg("a", 2.5),
                         fmt::arg("b", "x")),
            "1 [7]   x 2.50 {}");
  EXPECT_EQ(leat::format("{at}", fmt::arg("at", point{1, 2})), fmt::format("{}", point{1, 2}));
  EXPECT_EQ(leat::format("{} {n}", std::make_error_code(std::errc::io_error), fmt::arg("n", 'c')),
            "generic:5 c");
  using namespace fmt::literals;
  EXPECT_EQ(leat::format("{n:{w}}|", "n"_a = 5, "w"_a = 4), "   5|");
  EXPECT_EQ(leat::format(runtime("{n:{w}}|"), fmt::arg("n", 5), fmt::arg("w", 4)), "   5|");
  string_writer to;
  to.println("{name} {0}", true, fmt::arg("name", std::string("text")));
  EXPECT_EQ(to.view(), "text true\n");
  EXPECT_THROW(static_cast<void>(leat::format("{other}", fmt::arg("name", 5))), format_error);
  EXPECT_THROW(static_cast<void>(leat::format(runtime("{other}"), fmt::arg("name", 5))),
               format_error);
}

TEST(custom, a_formatter_runs_once_in_every_writer) {
  int formatted = 0;
  string_writer to;
  to.print("{}", counted{&formatted});
  to.print(runtime(" {}"), counted{&formatted});
  {
    synchronized shared{to};
    shared.print(" {}", counted{&formatted});
  }
  memory_writer full{std::span<char>{}};
  full.print("{}", counted{&formatted});
  std::error_code reported;
  full.close(reported);
  to.print(" {}", leat::format("{}", counted{&formatted}));
  EXPECT_EQ(to.view(), "1 2 3 5");
}

TEST(custom, a_formatter_may_print_to_its_own_stream) {
  const leat_test::temporary_folder folder;
  const auto check = [&](writer& to, const auto& text) {
    to.println("a {} b {}", chatty{&to}, 1);
    std::string all = text();
    const auto at = all.find("[me]");
    ASSERT_NE(at, std::string::npos);
    EXPECT_LT(at, all.find("chatty"));
    EXPECT_EQ(all.erase(at, 4), "a chatty b 1\n");
  };
  string_writer memory;
  check(memory, [&] { return std::string(memory.view()); });
  synchronized shared(create(folder / "f"));
  check(shared, [&] {
    shared.close();
    return read_file(folder / "f");
  });
}

TEST(custom, arguments_that_can_only_be_moved_are_written) {
  token named{std::make_unique<int>(1)};
  string_writer to;
  to.print("{} {}", named, token{std::make_unique<int>(2)});
  to.print(" {}", std::move(named));
  EXPECT_EQ(to.view(), "1 2 1");
  ASSERT_TRUE(named.value) << "formatting has moved from its argument";
}

TEST(custom, an_exception_keeps_the_text_written_before_it) {
  string_writer to;
  EXPECT_THROW(to.print("before {} after", explosive{}), std::domain_error);
  EXPECT_EQ(to.view(), "before half");
  to.print(", then {}", 1);
  EXPECT_EQ(to.view(), "before half, then 1");

  string_writer below;
  {
    synchronized shared{below};
    EXPECT_THROW(shared.println("before {}", explosive{}), std::domain_error);
    shared.print("|{}", 1);
  }
  EXPECT_EQ(below.view(), "before half|1");
  EXPECT_THROW(static_cast<void>(leat::format("{}", explosive{})), std::domain_error);
}

TEST(custom, a_wrong_runtime_format_is_a_format_error) {
  string_writer to;
  EXPECT_THROW(to.print(runtime("{:%!}"), 5s), format_error);
  EXPECT_THROW(to.print(runtime("{:d}"), color::red), format_error);
  EXPECT_THROW(to.print(runtime("{} {}"), 5s), format_error);
  EXPECT_THROW(to.print(runtime("{"), 5s), format_error);
  EXPECT_FALSE(to.error());
}

}  // namespace
}  // namespace leat::test
