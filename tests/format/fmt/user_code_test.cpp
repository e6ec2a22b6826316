// The program's own code that runs during a call of print or format: names of error categories,
// format_as(), and functions in leat::formatted. This code may call print or format, and runs once
// for each argument.
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <leat/file_stream.hpp>
#include <leat/formatted.hpp>
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "support/scripted_device.hpp"

namespace leat::test::user_code {

/// Makes its name by a call of leat::format, and perhaps prints.
struct formatting_category : std::error_category {
  writer* also_to = nullptr;
  mutable int calls = 0;
  mutable std::string text;

  const char* name() const noexcept override {
    ++calls;
    text = leat::format("category {:>4}", 1);
    if (also_to != nullptr) also_to->print("[name]");
    return text.c_str();
  }
  std::string message(int) const override { return "message"; }
};

struct failed_job {
  int number;
  std::error_code error;
};

struct id {
  mutable int* count;
};
int format_as(const id& value) { return ++*value.count; }
struct named_id {
  id number;
};
struct formatted_id {
  int number;
};
int format_as(const formatted_id& value) {
  return static_cast<int>(leat::format("{:>20}", value.number).size());
}
struct holder {
  std::string_view before;
  formatted_id number;
};

struct report {
  int* calls;
  std::size_t size;
  std::string text() const {
    ++*calls;
    return std::string(size, 'x');
  }
  const char* c_text() const {
    ++*calls;
    return "c";
  }
};
struct outer {
  report first;
  report second() const { return first; }
};

}  // namespace leat::test::user_code

using leat::test::user_code::failed_job;
using leat::test::user_code::holder;
using leat::test::user_code::named_id;
using leat::test::user_code::outer;
using leat::test::user_code::report;

template <>
struct fmt::formatter<failed_job>
    : leat::formatted<"{}: {}", &failed_job::number, &failed_job::error> {};
template <>
struct fmt::formatter<holder> : leat::formatted<"{}={}", &holder::before, &holder::number> {};
template <>
struct fmt::formatter<named_id> : leat::formatted<"#{}", &named_id::number> {};
template <>
struct fmt::formatter<report>
    : leat::formatted<"<{}{:>3}{}>", &report::text, &report::c_text, &report::size> {};
template <>
struct fmt::formatter<outer> : leat::formatted<"({} {})", &outer::first, &outer::second> {};

namespace leat::test::user_code {
namespace {

TEST(user_code, the_name_of_an_error_category_may_call_format) {
  const formatting_category category;
  const std::error_code error(7, category);
  const std::string wanted = "error: category    1:7 of 12";
  EXPECT_EQ(leat::format("error: {} of {}", error, 12), wanted);
  EXPECT_EQ(leat::format("{}: {} of {}", "error", error, 12), wanted);
  EXPECT_EQ(leat::format(runtime("error: {} of {}"), error, 12), wanted);
  string_writer first;
  first.println("error: {} of {}", error, 12);
  EXPECT_EQ(first.view(), wanted + '\n');
  EXPECT_EQ(leat::format("error: {} of {}", error, std::vector<int>{1}),
            "error: category    1:7 of [1]");
  EXPECT_EQ(leat::format("of {1}: {0}", error, std::vector<int>{1}), "of [1]: category    1:7");
}

TEST(user_code, members_whose_formatting_calls_format_are_written) {
  const formatting_category category;
  const failed_job job{5, std::error_code(7, category)};
  EXPECT_EQ(leat::format("some text {} of {}", job, 12), "some text 5: category    1:7 of 12");
  string_writer first;
  first.println("some text {} of {}", job, 12);
  EXPECT_EQ(first.view(), "some text 5: category    1:7 of 12\n");
  EXPECT_EQ(leat::format("some text {} of {}", holder{"size", {7}}, 12), "some text size=20 of 12");
}

TEST(user_code, the_name_of_an_error_category_may_print_to_the_same_writer) {
  formatting_category category;
  const failed_job job{5, std::error_code(7, category)};
  string_writer to;
  to.print("a long line, so that there is room: {}", std::string(100, '-'));
  to.clear();
  category.also_to = &to;
  to.println("error: {}", job.error);
  to.println("{} {} {}", 1, 2, job.error);
  to.println("job {}", job);
  EXPECT_EQ(to.view(),
            "[name]error: category    1:7\n"
            "[name]1 2 category    1:7\n"
            "[name]job 5: category    1:7\n");
}

TEST(user_code, formatters_run_once_for_each_argument) {
  int count = 0;
  const id next{&count};
  char area[64];
  memory_writer small{std::span(area)};
  for (int i = 0; i != 30; ++i) small.println("{}", next);
  EXPECT_EQ(count, 30);
  EXPECT_EQ(small.view().substr(0, 12), "1\n2\n3\n4\n5\n6\n");
  std::error_code ignored;
  small.close(ignored);

  const auto script = leat_test::new_script();
  {
    file_writer file(leat_test::device_of(script));
    file.println("{} {}", next, 'x');
    file.println("{:>4}", next);
  }
  EXPECT_EQ(script->content, "31 x\n  32\n");

  const formatting_category category;
  string_writer to;
  to.println("{}", std::error_code(7, category));
  to.println("{}", named_id{next});
  EXPECT_EQ(category.calls, 1);
  EXPECT_EQ(count, 33);
}

TEST(user_code, functions_that_return_texts_of_any_length_run_once) {
  for (const std::size_t size : {0U, 10U, 1000U, 100'000U}) {
    int calls = 0;
    const report one{&calls, size};
    const std::string text = '<' + std::string(size, 'x') + "  c" + std::to_string(size) + '>';
    EXPECT_EQ(leat::format("{}|{}", one, 5), text + "|5");
    EXPECT_EQ(calls, 2);
    string_writer to;
    to.println("{} {}", std::string(300, '-'), one);
    EXPECT_EQ(to.view(), std::string(300, '-') + ' ' + text + '\n');
    EXPECT_EQ(calls, 4);
    EXPECT_EQ(leat::format("{}", outer{one}), '(' + text + ' ' + text + ')');
    EXPECT_EQ(calls, 8);
    EXPECT_EQ(leat::format("{1} {0}", one, 1), "1 " + text);
    EXPECT_EQ(calls, 10);
  }
}

}  // namespace
}  // namespace leat::test::user_code
