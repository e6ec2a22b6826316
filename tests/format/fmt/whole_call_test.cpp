// Calls that {fmt} writes as a whole: with names, or with a formatter and a format that is not
// compiled. leat writes some of the arguments of these calls, and checks the other arguments.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <leat/formatted.hpp>
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "format/outcome.hpp"

namespace leat::test {

struct pair_of_ints {
  int x, y;
};
struct label_of {
  const char* text;
};
const char* format_as(label_of value) { return value.text; }

}  // namespace leat::test

template <>
struct fmt::formatter<leat::test::pair_of_ints>
    : leat::formatted<"{}-{}", &leat::test::pair_of_ints::x, &leat::test::pair_of_ints::y> {};

namespace leat::test {
namespace {

/// Formats with leat. The format is a copy on the heap without a '\0', so that sanitizers detect a
/// read after the end.
outcome by_exact_copy(std::string_view format, const auto&... args) {
  const std::unique_ptr<char[]> copy(new char[format.size()]);
  std::memcpy(copy.get(), format.data(), format.size());
  return by_leat({copy.get(), format.size()}, args...);
}

TEST(whole_call, with_a_named_argument_refuses_wrong_specifications_of_other_arguments) {
  const auto time = std::chrono::sys_seconds(std::chrono::seconds(5));
  const auto error = std::make_error_code(std::errc::io_error);
  for (const std::string_view format : {"{0:{2}{2}{2}{2}{2}{2}{2}{2}{2}{2}}",
                                        "{0:{2}{2}}",
                                        "{0:{2}{2}{2}}",
                                        "{0:{2",
                                        "{0:{",
                                        "{0:",
                                        "{0:{}",
                                        "{0:{2}",
                                        "{0:>{w",
                                        "{0:{2{2}}}",
                                        "{0:>{none}}",
                                        "{0:>{7}}",
                                        "{0:>{99999999999999999999}}",
                                        "{0:>{2x}}",
                                        "{0:>{02}}",
                                        "{0:>{text}}",
                                        "{0:>{1}.{2}}",
                                        "{0:d}",
                                        "{0:>{0}}",
                                        "{0:>{minus}}",
                                        "{0:>{large}}",
                                        "{:>{2}}",
                                        "{0:%Q}"}) {
    SCOPED_TRACE(format);
    const auto call = [&](const auto& value) {
      return by_exact_copy(format, value, fmt::arg("w", 30), 5, fmt::arg("text", "x"),
                           fmt::arg("minus", -1), fmt::arg("large", 1LL << 40));
    };
    EXPECT_TRUE(call(time).refused) << call(time).text;
    EXPECT_TRUE(call(error).refused) << call(error).text;
  }
}

TEST(whole_call, with_named_arguments_uses_them_as_widths_and_precisions) {
  const auto time = std::chrono::sys_seconds(std::chrono::seconds(5));
  const std::string padded = "          1970-01-01T00:00:05Z";
  EXPECT_EQ(leat::format("{0:>{w}}", time, fmt::arg("w", 30)), padded);
  EXPECT_EQ(leat::format(runtime("{0:>{w}}"), time, fmt::arg("w", 30)), padded);
  EXPECT_EQ(leat::format(runtime("{0:>{2}}"), time, fmt::arg("w", 7), 30), padded);
  EXPECT_EQ(leat::format(runtime("{:>{w}}"), time, fmt::arg("w", 30ULL)), padded);
  EXPECT_EQ(leat::format(runtime("{:{w}.{p}f}|"), 2.0, fmt::arg("w", 7), fmt::arg("p", 2)),
            "   2.00|");
  EXPECT_EQ(leat::format("{:{w}.{p}f}|", 2.0, fmt::arg("w", 7), fmt::arg("p", 2)), "   2.00|");
}

TEST(whole_call, reports_the_reason_of_a_format_error) {
  const auto time = std::chrono::sys_seconds(std::chrono::seconds(5));
  const auto refused = by_leat("some text {0:d}", time, fmt::arg("w", 30));
  EXPECT_EQ(refused.reason, "the specification does not fit the argument");
  EXPECT_EQ(by_leat("{:>{w}}", time, fmt::arg("w", -1)).reason, "negative width or precision");
}

TEST(whole_call, refuses_a_null_c_string) {
  const char* const none = nullptr;
  const std::vector<int> numbers{1};
  const pair_of_ints own{1, 2};
  EXPECT_THROW(static_cast<void>(leat::format("{:{}} {}", none, 8, numbers)), format_error);
  EXPECT_THROW(static_cast<void>(leat::format("{1:>8} {0}", own, none)), format_error);
  EXPECT_THROW(static_cast<void>(leat::format("{1:>8} {0}", own, label_of{none})), format_error);
  EXPECT_TRUE(by_leat("{:>8} {}", none, numbers).refused);
  EXPECT_TRUE(by_leat("{:>8} {}", const_cast<char*>(none), numbers).refused);
  EXPECT_TRUE(by_leat("{n:>5}", fmt::arg("n", none)).refused);
  EXPECT_THROW(static_cast<void>(leat::format("{n:>5}", fmt::arg("n", none))), format_error);
  string_writer to;
  EXPECT_THROW(to.println("{1:>8} {0}", own, none), format_error);
  EXPECT_EQ(to.view(), "");
  EXPECT_EQ(leat::format("{1:>3} {0} {2}", own, "x", label_of{"y"}), "  x 1-2 y");
}

template <class... Args>
void expect_same_as_alone(std::string_view spec, const Args&... args) {
  const pair_of_ints own{1, 2};
  const auto check = [&](const auto& value) {
    const std::string field = "{:" + std::string(spec) + '}';
    const std::string alone = leat::format(runtime(field), value);
    EXPECT_EQ(leat::format(runtime(field + " {}"), value, own), alone + " 1-2") << spec;
    EXPECT_EQ(leat::format(runtime(field + " {n}"), value, fmt::arg("n", 5)), alone + " 5") << spec;
  };
  (check(args), ...);
}

TEST(whole_call, writes_floating_point_numbers_as_calls_without_fmt_do) {
  for (const char* const spec :
       {"", ".2f", ".20f", ".800f", "a", "e", "g", ".3", "#", "08.1f", "+"})
    expect_same_as_alone(spec, 0x1p-100L, 1.5L, 0.1, 1e23, 0x1p-1074, 0.1F, 0x1p100F, -0.0, 1.0);
  EXPECT_EQ(leat::format("{:.2f} {}", 0x1p-100L, std::vector<int>{1}), "0.00 [1]");
  EXPECT_EQ(leat::format("{1} {0:.2f}", 0x1p-100L, pair_of_ints{1, 2}), "1-2 0.00");
}

}  // namespace
}  // namespace leat::test
