// Inputs for which leat follows C, and glibc does not; memory that scanf allocates; standard input
// and other streams.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <array>
#include <cerrno>
#include <cfenv>
#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>

#include "stdio/scanf.hpp"
#include "support/c_files.hpp"
#include "support/process.hpp"
#include "support/sanitizer.hpp"

namespace {

using namespace leat_test;

/// The result of a call, and the text that it left unread.
struct outcome {
  int result;
  std::string rest;
  bool operator==(const outcome&) const = default;
};
std::ostream& operator<<(std::ostream& to, const outcome& l) {
  return to << l.result << " '" << l.rest << "'";
}

class scanf_of_c : public scanf_files {
 protected:
  outcome scan_all(std::string_view text, runtime_format format) {
    const effects piped = read_pipe_by_leat(text, format);
    set_content(text);
    for (std::size_t buffer = 0; buffer != 4; ++buffer) {
      const effects s = read_by_leat(format, buffer);
      EXPECT_EQ(s.result, piped.result);
      EXPECT_EQ(s.rest, piped.rest);
    }
    const effects s = effects_of_leat(std::string(text).c_str(), format);
    EXPECT_EQ(s.result, piped.result);
    return {piped.result, piped.rest};
  }
};

// glibc accepts the digits before the wrong character, although it has read more than these digits.
TEST_F(scanf_of_c, the_beginning_of_a_number_does_not_match) {
  EXPECT_EQ(scan_all("0xz", "%i"), (outcome{0, "z"}));
  EXPECT_EQ(scan_all("0xz", "%x"), (outcome{0, "z"}));
  EXPECT_EQ(scan_all("0x", "%x"), (outcome{0, ""}));
  EXPECT_EQ(scan_all("0x1", "%2i"), (outcome{0, "1"}));
  EXPECT_EQ(scan_all("0x1", "%1i"), (outcome{1, "x1"}));
  EXPECT_EQ(scan_all("1e+x", "%lf"), (outcome{0, "x"}));
  EXPECT_EQ(scan_all("1ex", "%lf"), (outcome{0, "x"}));
  EXPECT_EQ(scan_all("1e", "%lf"), (outcome{0, ""}));
  EXPECT_EQ(scan_all("1e5", "%2lf"), (outcome{0, "5"}));
  EXPECT_EQ(scan_all("0x.p1", "%lf"), (outcome{0, "p1"}));
  EXPECT_EQ(scan_all("0x1p+z", "%lf"), (outcome{0, "z"}));
  EXPECT_EQ(scan_all("0x1", "%2lf"), (outcome{0, "1"}));
}

// From a file, glibc also takes the character that does not match.
TEST_F(scanf_of_c, a_character_that_does_not_match_is_not_read) {
  EXPECT_EQ(scan_all("infinix", "%lf"), (outcome{0, "x"}));
  EXPECT_EQ(scan_all("-nx", "%lf"), (outcome{0, "x"}));
  EXPECT_EQ(scan_all("naan", "%lf"), (outcome{0, "an"}));
  EXPECT_EQ(scan_all("(nix", "%p"), (outcome{0, "x"}));
}

// For formats with bytes that are not ASCII, glibc also sets errno.
TEST_F(scanf_of_c, bytes_of_the_format_match_the_same_bytes_of_the_input) {
  EXPECT_EQ(scan_all("\xC3\xA4 1x", "\xC3\xA4%*d"), (outcome{0, "x"}));
  EXPECT_EQ(scan_all("\xC3\xA5 1", "\xC3\xA4%*d"), (outcome{0, "\xA5 1"}));
}

// glibc leaves the parenthesis after "nan" unread.
TEST_F(scanf_of_c, reads_a_nan_with_characters_in_parentheses) {
  EXPECT_EQ(scan_all("nan(a_1)x", "%lf"), (outcome{1, "x"}));
  EXPECT_EQ(scan_all("NaN()", "%lf"), (outcome{1, ""}));
  EXPECT_EQ(scan_all("nan(a-b)", "%lf"), (outcome{0, "-b)"}));
  EXPECT_EQ(scan_all("nan(", "%lf"), (outcome{0, ""}));
  EXPECT_EQ(scan_all("nan(a)", "%4lf"), (outcome{0, "a)"}));
  EXPECT_EQ(scan_all("nan(a)", "%3lf"), (outcome{1, "(a)"}));
  double value = 0;
  EXPECT_EQ(leat_sscanf("-nan(1)", "%lf", &value), 1);
  EXPECT_TRUE(std::isnan(value) && std::signbit(value));
}

// %b and the prefix "0b" are new in C23, so glibc 2.36 does not have them.
TEST_F(scanf_of_c, reads_binary_integers) {
  const auto read = [](const char* text, runtime_format format) {
    unsigned value = 77;
    return leat_sscanf(text, format, &value) == 1 ? static_cast<int>(value) : -1;
  };
  EXPECT_EQ(read("101", "%b"), 5);
  EXPECT_EQ(read("0b101", "%b"), 5);
  EXPECT_EQ(read("-0B11", "%b"), -3);
  EXPECT_EQ(read("0b101", "%i"), 5);
  EXPECT_EQ(read("0b1012", "%i"), 5);
  EXPECT_EQ(read("0b2", "%i"), -1);
  EXPECT_EQ(read("2", "%b"), -1);
  EXPECT_EQ(read("0b1", "%x"), 0xb1);
  EXPECT_EQ(scan_all("0b102", "%b"), (outcome{1, "2"}));
  EXPECT_EQ(scan_all("0b2", "%i"), (outcome{0, "2"}));
  unsigned long most = 0;
  const std::string ones(64, '1');
  EXPECT_EQ(leat_sscanf(ones.c_str(), static_cast<runtime_format>("%lb"), &most), 1);
  EXPECT_EQ(most, std::numeric_limits<unsigned long>::max());
}

#if defined(FE_UPWARD)
TEST(scanf, numbers_are_rounded_to_nearest_in_every_mode) {
  const int before = std::fegetround();
  for (const char* const text : {"0.1", "0.3", "1e23", "123456789.123456789", "7.7e-10", "2.5e15",
                                 "0.1000000000000000055511151231257827", "1e-310", "5e-324"}) {
    double expected = 0;
    long double long_expected = 0;
    EXPECT_EQ(leat_sscanf(text, "%lf", &expected), 1);
    EXPECT_EQ(leat_sscanf(text, "%Lf", &long_expected), 1);
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      std::fesetround(mode);
      double value = 0;
      long double long_value = 0;
      leat_sscanf(text, "%lf", &value);
      leat_sscanf(text, "%Lf", &long_value);
      std::fesetround(before);
      EXPECT_EQ(value, expected) << text;
      EXPECT_EQ(long_value, long_expected) << text;
    }
  }
}
#endif

extern "C" int leat_c17_sscanf(const char* text, const char* format, ...);
extern "C" int leat_c17_fscanf(leat_file* file, const char* format, ...);
extern "C" int leat_c17_swscanf(const wchar_t* text, const wchar_t* format, ...);

// Before C23, "0b101" is a zero followed by text.
TEST_F(scanf_files, scanf_of_c17_does_not_read_the_prefix_0b) {
  int value = 77;
  char rest[8] = "";
  EXPECT_EQ(leat_c17_sscanf("0b101", "%i%7s", &value, rest), 2);
  EXPECT_EQ(value, 0);
  EXPECT_STREQ(rest, "b101");
  EXPECT_EQ(leat_c17_sscanf("-0x1f 017 0b", "%i%i%i", &value, &value, &value), 3);
  EXPECT_EQ(leat_c17_sscanf("0b101", "%b", &value), 1);
  EXPECT_EQ(value, 5);
  value = 77;
  EXPECT_EQ(leat_c17_swscanf(L"0B1", L"%i", &value), 1);
  EXPECT_EQ(value, 0);
  set_content("0b11");
  leat_file* const f = leat_fopen(path_.c_str(), "r");
  EXPECT_EQ(leat_c17_fscanf(f, "%i", &value), 1);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(leat_fgetc(f), 'b');
  leat_fclose(f);
}

TEST(scanf, stores_integers_of_each_size) {
  const auto bytes = [](runtime_format format) {
    std::array<unsigned char, 16> to;
    to.fill(0xAA);
    if (leat_sscanf("-1", format, to.data()) != 1) return std::size_t{0};
    std::size_t n = 0;
    while (n != to.size() && to[n] == 0xFF) ++n;
    return n;
  };
  EXPECT_EQ(bytes("%w8d"), 1U);
  EXPECT_EQ(bytes("%w16d"), 2U);
  EXPECT_EQ(bytes("%w32d"), 4U);
  EXPECT_EQ(bytes("%w64x"), 8U);
  EXPECT_EQ(bytes("%wf8d"), sizeof(std::int_fast8_t));
  EXPECT_EQ(bytes("%wf16d"), sizeof(std::int_fast16_t));
  EXPECT_EQ(bytes("%wf32d"), sizeof(std::int_fast32_t));
  EXPECT_EQ(bytes("%wf64u"), sizeof(std::int_fast64_t));
  EXPECT_EQ(bytes("%w24d"), 0U);
  EXPECT_EQ(bytes("%wd"), 0U);
}

TEST(scanf, an_invalid_conversion_ends_the_call_with_einval) {
  for (const runtime_format format :
       {"%d%y", "%d%", "%d%5", "%d%l", "%d%[a", "%d%[]", "%d%0$d", "%d%w7d"}) {
    int value = 0;
    char other[100];
    errno = 0;
    EXPECT_EQ(leat_sscanf("5a", format, &value, other), 1) << format;
    EXPECT_EQ(errno, EINVAL) << format;
    EXPECT_EQ(value, 5);
  }
}

TEST_F(scanf_files, numbers_longer_than_any_buffer_are_read) {
  const std::string zeros(10000, '0');
  std::string digits = "3.";
  for (int i = 0; i != 5000; ++i) digits += static_cast<char>('0' + i * 7 % 10);
  const std::string text = zeros + "42 " + digits + "e2 -" + zeros + "x";
  double expected = std::strtod((digits + "e2").c_str(), nullptr);
  set_content(text);
  for (const std::size_t buffer : {0U, 1U, 5U, 300U}) {
    leat_file* const f = leat_fopen(path_.c_str(), "r");
    if (buffer != 0) leat_setvbuf(f, nullptr, _IOFBF, buffer);
    int integer = 0;
    double number = 0;
    int last = 77;
    EXPECT_EQ(leat_fscanf(f, "%d%lf%d", &integer, &number, &last), 3);
    EXPECT_EQ(integer, 42);
    EXPECT_EQ(number, expected);
    EXPECT_EQ(last, 0);
    EXPECT_EQ(leat_fgetc(f), 'x');
    leat_fclose(f);
  }
  int integer = 0;
  double number = 0;
  EXPECT_EQ(leat_sscanf(text.c_str(), "%d%lf", &integer, &number), 2);
  EXPECT_EQ(integer, 42);
  EXPECT_EQ(number, expected);
}

TEST_F(scanf_files, conversion_m_allocates_the_text_that_is_read) {
  const std::string word(5000, 'w');
  set_content(word + " abc,def 5");
  const std::string format = "%ms %m[a-z],%2mc%mls";  // no literal: not all compilers know %mls
  for (const std::size_t buffer : {0U, 1U, 7U}) {
    leat_file* const f = leat_fopen(path_.c_str(), "r");
    if (buffer != 0) leat_setvbuf(f, nullptr, _IOFBF, buffer);
    char* first = nullptr;
    char* second = nullptr;
    char* third = nullptr;
    wchar_t* fourth = nullptr;
    EXPECT_EQ(leat_fscanf(f, format.c_str(), &first, &second, &third, &fourth), 4);
    EXPECT_EQ(first, word);
    EXPECT_STREQ(second, "abc");
    EXPECT_EQ(std::string(third, 2), "de");
    EXPECT_STREQ(fourth, L"f");
    std::free(first);
    std::free(second);
    std::free(third);
    std::free(fourth);
    leat_fclose(f);
  }
}

TEST(scanf, conversion_m_allocates_no_memory_without_a_match) {
  char* text = reinterpret_cast<char*>(1);
  EXPECT_EQ(leat_sscanf("5", "%m[a-z]", &text), 0);
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(leat_sscanf("", "%ms", &text), EOF);
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(leat_sscanf("abc 5", "%*ms%ms", &text), 1);
  EXPECT_STREQ(text, "5");
  std::free(text);
}

#if defined(HAS_LIMITS)
TEST(scanf, a_text_that_needs_too_much_memory_is_an_error) {
  if (sanitized) GTEST_SKIP() << "sanitizers need more memory";
  if (emulated) GTEST_SKIP() << "qemu ignores limits of memory";
  EXPECT_TRUE(succeeded(run_in_child([] {
    std::string text = "first ";
    text.append(std::size_t{150} << 20, 'w');
    limit_resource(RLIMIT_AS, rlim_t{400} << 20);
    char* first = nullptr;
    char* second = nullptr;
    errno = 0;
    require(leat_sscanf(text.c_str(), "%ms%ms", &first, &second) == EOF);
    require(errno == ENOMEM);
    require(first == nullptr && second == nullptr);
  })));
}
#endif

#if defined(HAS_FORK)
TEST_F(scanf_files, scanf_reads_standard_input) {
  set_content("7 x 8 y");
  const auto with_input = [this](auto body) {
    return run_in_child([&] {
      require(::dup2(::open(path_.c_str(), O_RDONLY), 0) == 0);
      body();
    });
  };
  EXPECT_TRUE(succeeded(with_input([] {
    int n = 0;
    char c = 0;
    require(leat_scanf("%d %c", &n, &c) == 2 && n == 7 && c == 'x');
    const auto call = [](runtime_format format, ...) {
      va_list list;
      va_start(list, format);
      const int result = leat_vscanf(format, list);
      va_end(list);
      return result;
    };
    require(call("%d %c", &n, &c) == 2 && n == 8 && c == 'y');
    require(leat_scanf("%d", &n) == EOF && leat_feof(leat_stdin()) != 0);
  })));
  EXPECT_TRUE(succeeded(with_input([] {
    int n = 0;
    wchar_t c = 0;
    require(leat_wscanf(L"%d %lc", &n, &c) == 2 && n == 7 && c == L'x');
    const auto call = [](const wchar_t* format, ...) {
      va_list list;
      va_start(list, format);
      const int result = leat_vwscanf(format, list);
      va_end(list);
      return result;
    };
    require(call(L"%d %lc", &n, &c) == 2 && n == 8 && c == L'y');
  })));
}
#endif

TEST_F(scanf_files, scanf_of_a_file_opened_for_writing_is_an_error) {
  leat_file* const f = leat_fopen(path_.c_str(), "w");
  int n = 0;
  errno = 0;
  EXPECT_EQ(leat_fscanf(f, "%d", &n), EOF);
  EXPECT_EQ(errno, EBADF);
  EXPECT_TRUE(leat_ferror(f));
  leat_fclose(f);
}

// Bytes that were pushed back come first, and a number continues after them.
TEST_F(scanf_files, pushed_back_bytes_are_read_first) {
  set_content("34 5");
  leat_file* const f = leat_fopen(path_.c_str(), "r");
  leat_ungetc('2', f);
  leat_ungetc('1', f);
  int n = 0;
  EXPECT_EQ(leat_fscanf(f, "%d", &n), 1);
  EXPECT_EQ(n, 1234);
  leat_ungetc('-', f);
  EXPECT_EQ(leat_fscanf(f, "%d", &n), 0);
  EXPECT_EQ(leat_fscanf(f, "%d", &n), 1);
  EXPECT_EQ(n, 5);
  leat_fclose(f);
}

TEST(scanf, reads_into_many_arguments_and_arguments_of_a_va_list) {
  const auto call = [](const char* text, runtime_format format, ...) {
    va_list list;
    va_start(list, format);
    const int result = leat_vsscanf(text, format, list);
    va_end(list);
    return result;
  };
  int a = 0;
  int b = 0;
  EXPECT_EQ(call("3 4", "%d%d", &a, &b), 2);
  EXPECT_EQ(a * 10 + b, 34);
  // More arguments than fit into registers.
  int n[8]{};
  EXPECT_EQ(leat_sscanf("1 2 3 4 5 6 7 8", "%8$d%7$d%6$d%5$d%4$d%3$d%2$d%1$d", n, n + 1, n + 2,
                        n + 3, n + 4, n + 5, n + 6, n + 7),
            8);
  for (int i = 0; i != 8; ++i) EXPECT_EQ(n[i], 8 - i);
}

}  // namespace
