// Types that are printed as the value they hold: leat's numbers in a byte order, unscoped
// enumerations, and types with a format_as.
#include <fmt/chrono.h>
#include <gtest/gtest.h>
#include <leat/leat.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace leat::test {

enum plain { zero, one };
enum lettered : char { letter = 'x' };
enum wide : std::uint64_t { most = ~std::uint64_t{0} };
enum flag : bool { off, on };
enum named { red, green };
enum renamed { cyan = 4 };
inline int format_as(renamed value) { return value * 10; }

}  // namespace leat::test

template <>
struct fmt::formatter<leat::test::named> : fmt::formatter<fmt::string_view> {
  template <class Context>
  auto format(leat::test::named value, Context& context) const {
    return fmt::formatter<fmt::string_view>::format(value == leat::test::red ? "red" : "green",
                                                    context);
  }
};

namespace leat::test {
namespace {

using namespace std::chrono_literals;

struct member {
  little<std::uint16_t> port = 80;
  big<double> share = 0.5;
};

TEST(held_values, numbers_with_a_byte_order_are_written_as_their_values) {
  const member one;
  big<std::int64_t> changing = -7;
  string_writer to;
  to.println("{} {:5}|{:#x} {:.2f} {}", one.port, one.port, one.port, one.share, changing);
  to.println(runtime("{} {:5}|{:#x} {:.2f} {}"), one.port, one.port, one.port, one.share, changing);
  const std::string line = "80    80|0x50 0.50 -7\n";
  EXPECT_EQ(to.view(), line + line);
  EXPECT_EQ(format("{1} {0:{1}}", one.port, little<int>(4)), "4   80");
  EXPECT_EQ(format("{}{}", little<char>('c'), big<bool>(true)), "ctrue");
  EXPECT_EQ(format("{}", big<float>(0.1F)), "0.1");
}

TEST(held_values, unscoped_enumerations_are_written_as_their_values) {
  string_writer to;
  to.println("{} {:03} {} {} {}", one, one, letter, most, on);
  to.println(runtime("{} {:03} {} {} {}"), one, one, letter, most, on);
  const std::string line = "1 001 x 18446744073709551615 true\n";
  EXPECT_EQ(to.view(), line + line);
  EXPECT_THROW(to.print(runtime("{:s}"), one), format_error);
}

TEST(held_values, are_written_together_with_types_that_fmt_formats) {
  string_writer to;
  to.print("{} {} {:x} {} {}|", 5s, one, little<int>(255), letter, big<double>(0.25));
  to.print(runtime("{} {} {:x} {} {}|"), 5s, one, little<int>(255), letter, big<double>(0.25));
  EXPECT_EQ(to.view(), "5s 1 ff x 0.25|5s 1 ff x 0.25|");
  EXPECT_EQ(leat::format("{} {:>3}", 5s, on), "5s true");
}

struct meters {
  double value;
};
double format_as(const meters& distance) { return distance.value; }

struct label {
  std::string text;
};
const std::string& format_as(const label& value) { return value.text; }

struct unit {
  const char* name;
};
const char* format_as(unit value) { return value.name; }

enum class level { low, high };
std::string_view format_as(level value) { return value == level::low ? "low" : "high"; }

TEST(held_values, values_returned_by_format_as_are_written) {
  const label name{"distance of some length"};
  string_writer to;
  to.println("{}", name);
  to.println("{:>6}|{:<6}|", level::high, level::low);
  to.println("{:.2f} {} {} {:.3} {}", meters{1.5}, unit{"m"}, level::low, name, 1);
  to.print(runtime("{:.2f} {} {} {:.3} {}\n"), meters{1.5}, unit{"m"}, level::low, name, 1);
  to.print("{1} {0}\n", meters{0.25}, level::high);
  to.print("{:.1f} {} {:>5}\n", meters{2}, green, level::low);  // `green` has a fmt::formatter
  to.print("{1:.1f} {0}\n", red, meters{3});
  EXPECT_EQ(to.view(),
            "distance of some length\n"
            "  high|low   |\n"
            "1.50 m low dis 1\n"
            "1.50 m low dis 1\n"
            "high 0.25\n"
            "2.0 green   low\n"
            "3.0 red\n");
  EXPECT_EQ(format("{} {}", name, meters{0.1}), "distance of some length 0.1");
}

TEST(held_values, a_formatter_of_the_type_has_priority) {
  EXPECT_EQ(format("{} {:>6}", red, green), "red  green");
  EXPECT_EQ(format("{} {} {}", cyan, one, red), "40 1 red");
  EXPECT_EQ(format(runtime("{} {}"), cyan, red), "40 red");
}

}  // namespace
}  // namespace leat::test
