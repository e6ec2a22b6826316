// The tests of calls that are not expanded in place: the calls print the same text as other calls.
// for_size_test.cpp and unoptimized_test.cpp include this file.
#pragma once

#include <gtest/gtest.h>
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace leat::test {
namespace {

TEST(LEAT_SUITE, prints_all_kinds_of_values) {
  string_writer out;
  const char* c_string = "text";
  char array[] = "array";
  volatile int changing = 7;
  const std::string string(100, 'x');
  out.println("{} {} {} {}", c_string, array, "literal", changing);
  out.println("{}{}", string, std::string_view("view"));
  out.print("{} {} {} {}\n", true, 'c', std::byte{65}, std::uint8_t{200});
  out.print("{:>6}|{:<6}|{:^6}|{:+}|{:#x}\n", -1, "ab", 'c', 5, 255U);
  out.print("{} {:.3f} {} {}\n", 0.1, 2.5, 1e300, 1.5F);
  out.print("{1} {0} {{}} {2:{3}}\n", 1, 2, 3, 4);
  out.print("{0}{1}{0}\n", 1, string);
  out.print("{}\n", std::make_error_code(std::errc::not_enough_memory));
  out.print("{}\n", std::chrono::sys_seconds(std::chrono::seconds(1'795'253'239)));
  out.print("no field\n");
  EXPECT_EQ(out.take(), "text array literal 7\n" + string + "view\n" + "true c 65 200\n" +
                            "    -1|ab    |  c   |+5|0xff\n" + "0.1 2.500 1e+300 1.5\n" +
                            "2 1 {}    3\n" + "1" + string + "1\n" + "generic:12\n" +
                            "2026-11-21T09:27:19Z\n" + "no field\n");
}

TEST(LEAT_SUITE, format_returns_strings) {
  EXPECT_EQ(leat::format("{} and {}", "text", 42), "text and 42");
  EXPECT_EQ(leat::format("{:08.3f}", 3.14159), "0003.142");
}

TEST(LEAT_SUITE, refuses_null_and_counts_bytes_that_do_not_fit) {
  char area[8];
  memory_writer out{std::span<char>(area)};
  const char* null = nullptr;
  EXPECT_THROW(out.print("{}", null), format_error);
  EXPECT_THROW(static_cast<void>(leat::format("{}", null)), format_error);
  out.print("{}{}", "12345", 678'901);
  EXPECT_EQ(out.view(), "12345678");
  EXPECT_EQ(out.lost(), 3U);
  std::error_code ec;
  out.flush(ec);
}

}  // namespace
}  // namespace leat::test
