// Arguments that {fmt} formats only with additional headers, next to arguments with a
// fmt::formatter.
#include <fmt/chrono.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <chrono>
#include <vector>

namespace leat::test {
namespace {

using namespace std::chrono_literals;

TEST(custom_mixed, bytes_and_error_codes_are_written) {
  const auto code = std::make_error_code(std::errc::invalid_argument);
  string_writer to;
  to.print("{} {} {:02x}", 5s, code, std::byte{10});
  to.print(runtime("|{} {} {}"), 5s, code, std::byte{10});
  EXPECT_EQ(to.view(), "5s generic:22 0a|5s generic:22 10");
  EXPECT_EQ(leat::format("{} {}", 5s, std::error_code(-1, std::system_category())), "5s system:-1");
  EXPECT_THROW(to.print(runtime("{} {:>20}"), 5s, code), format_error);
}

TEST(custom_mixed, results_of_fmt_join_are_written) {
  const std::vector<int> numbers{1, 2, 3};
  EXPECT_EQ(leat::format("{}", fmt::join(numbers, "; ")), "1; 2; 3");
}

}  // namespace
}  // namespace leat::test
