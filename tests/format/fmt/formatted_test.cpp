// leat::formatted: leat and {fmt} write the same text, to every destination.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <leat/formatted.hpp>
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "format/outcome.hpp"
#include "format/samples.hpp"

namespace leat::test::shapes {

enum unscoped : short { one = 1 };

struct point {
  double x, y;
};
/// Has members of many kinds.
struct all_kinds {
  bool yes;
  char letter;
  int number;
  unsigned long long large;
  float real;
  std::string text;
  std::string_view view;
  const char* c_text;
  std::error_code error;
  std::chrono::sys_time<std::chrono::seconds> time;
  const void* pointer;
  unscoped plain;
  point inner;
};
struct person {
  std::string name;
  int age() const { return static_cast<int>(name.size()); }
  std::string greeting() const { return "hello " + name; }
};
struct list {
  std::vector<int> values;
};
struct reordered {
  int a, b;
};
struct empty {};
struct talker {
  writer* to;
  int speak() const {
    to->print("[first]");
    return 1;
  }
};

}  // namespace leat::test::shapes

namespace shapes = leat::test::shapes;

template <>
struct fmt::formatter<shapes::point>
    : leat::formatted<"({}, {:.2f})", &shapes::point::x, &shapes::point::y> {};
template <>
struct fmt::formatter<shapes::all_kinds>
    : leat::formatted<
          "{} {} {:+} {:#x} {:g} {} {:>12} {:<9}|{} {:%H:%M} {:>20} {} {{{}}} {}",
          &shapes::all_kinds::yes, &shapes::all_kinds::letter, &shapes::all_kinds::number,
          &shapes::all_kinds::large, &shapes::all_kinds::real, &shapes::all_kinds::text,
          &shapes::all_kinds::view, &shapes::all_kinds::c_text, &shapes::all_kinds::error,
          &shapes::all_kinds::time, &shapes::all_kinds::pointer, &shapes::all_kinds::plain,
          &shapes::all_kinds::inner, &shapes::all_kinds::c_text> {};
template <>
struct fmt::formatter<shapes::person>
    : leat::formatted<"{{\"name\": \"{}\", \"age\": {}}} {} {:x}", &shapes::person::name,
                      &shapes::person::age, &shapes::person::greeting,
                      [](const shapes::person& p) { return p.name.size(); }> {};
template <>
struct fmt::formatter<shapes::list> : leat::formatted<"list {}", &shapes::list::values> {};
template <>
struct fmt::formatter<shapes::reordered>
    : leat::formatted<"{1} {0}", &shapes::reordered::a, &shapes::reordered::b> {};
template <>
struct fmt::formatter<shapes::empty> : leat::formatted<"nothing }}"> {};
template <>
struct fmt::formatter<shapes::talker> : leat::formatted<"{}!", &shapes::talker::speak> {};

namespace leat::test {
namespace {

/// Compares with {fmt}: in strings, in a shared writer, and in memory with much, little or no room.
template <class... Args>
void expect_as_with_fmt(const format_string<Args...>& form, std::string_view for_fmt,
                        const Args&... args) {
  const std::string expected = by_fmt(for_fmt, args...).text;
  EXPECT_EQ(leat::format(form, args...), expected);
  string_writer to;
  to.print(form, args...);
  to.println(form, args...);
  EXPECT_EQ(to.view(), expected + expected + "\n");
  for (std::size_t room = 0; room < expected.size() + 200; room += 7) {
    std::string memory(room, '?');
    std::error_code ec;
    memory_writer limited(memory);
    limited.print(form, args...);
    EXPECT_EQ(limited.view(), std::string_view(expected).substr(0, room));
    limited.close(ec);
  }
  synchronized shared(to);
  shared.print(form, args...);
  EXPECT_TRUE(to.view().ends_with("\n" + expected));
}

shapes::all_kinds random_object(chooser& choose, const std::string& text) {
  return {choose.below(2) == 0,
          static_cast<char>('a' + choose.below(26)),
          static_cast<int>(choose.bits()),
          choose.bits() >> choose.below(64),
          static_cast<float>(choose.below(1'000'000)) / 8,
          text,
          text,
          text.c_str(),
          std::make_error_code(std::errc::io_error),
          std::chrono::sys_seconds(std::chrono::seconds(choose.below(4'000'000'000))),
          &choose,
          shapes::one,
          {static_cast<double>(choose.bits()), 1 / static_cast<double>(choose.below(100) + 1)}};
}

TEST(formatted, members_of_all_kinds_are_written) {
  chooser choose(4);
  for (const std::size_t size : {0U, 1U, 9U, 31U, 63U, 64U, 65U, 500U, 1024U, 70'000U}) {
    const std::string text(size, 't');
    const shapes::all_kinds object = random_object(choose, text);
    // {fmt} formats error codes only with an additional header.
    const std::string code = leat::format("{}", object.error);
    const std::string expected = fmt::format(
        "{} {} {:+} {:#x} {:g} {} {:>12} {:<9}|{} {} {:>20} {} {{({}, {:.2f})}} {}", object.yes,
        object.letter, object.number, object.large, object.real, object.text, object.view,
        object.c_text, code, leat::format("{:%H:%M}", object.time), object.pointer, 1,
        object.inner.x, object.inner.y, object.c_text);
    EXPECT_EQ(leat::format("{}", object), expected);
    string_writer to;
    to.print("{} {} {}", 1, object, 2);
    EXPECT_EQ(to.view(), "1 " + expected + " 2");
    if (size < 1000) {
      expect_as_with_fmt("<{}>", "<{}>", object);
      expect_as_with_fmt("{} {:>5} {}", "{} {:>5} {}", object, object.number, object.inner);
    }
  }
}

TEST(formatted, functions_of_the_type_are_called) {
  const shapes::person ada{"Ada"}, long_name{std::string(3000, 'n')};
  EXPECT_EQ(leat::format("{}", ada), "{\"name\": \"Ada\", \"age\": 3} hello Ada 3");
  expect_as_with_fmt("{} and {}", "{} and {}", ada, ada);
  EXPECT_EQ(leat::format("{}{}", long_name, 1), fmt::format("{}{}", long_name, 1));
}

TEST(formatted, ranges_manual_indexes_and_types_without_members_are_the_same_as_with_fmt) {
  const shapes::list numbers{{1, 2, 3}};
  expect_as_with_fmt("{} {}", "{} {}", numbers, 4);
  const shapes::reordered pair{1, 2};
  expect_as_with_fmt("{} {}", "{} {}", pair, 4);
  expect_as_with_fmt("{}", "{}", shapes::empty());
  EXPECT_EQ(leat::format("{}{}", shapes::empty(), 1), "nothing }1");
}

TEST(formatted, a_runtime_format_writes_the_same_text) {
  const shapes::point origin{0, 0};
  EXPECT_EQ(leat::format(runtime("{1}{0}"), 1, origin), "(0, 0.00)1");
  EXPECT_TRUE(by_leat("{:>8}", origin).refused);
}

TEST(formatted, a_null_pointer_is_refused) {
  const std::string text = "text";
  chooser choose(5);
  shapes::all_kinds object = random_object(choose, text);
  object.c_text = nullptr;
  string_writer to;
  to.print("before ");
  EXPECT_THROW(to.print("{} {}", 1, object), format_error);
  EXPECT_TRUE(to.view().starts_with("before "));
  EXPECT_THROW(static_cast<void>(leat::format("{}", object)), format_error);
}

// The line stays together: text that a member function prints comes before the line.
TEST(formatted, text_that_a_function_prints_comes_before_the_whole_line) {
  string_writer to;
  to.print("{} {}", 1, shapes::talker{&to});
  EXPECT_EQ(to.view(), "[first]1 1!");
}

}  // namespace
}  // namespace leat::test
