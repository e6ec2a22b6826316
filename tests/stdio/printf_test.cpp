// leat's printf, mostly compared with libc's, for given and random formats.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/libraries.hpp"
#include "support/sanitizer.hpp"

extern "C" int leat_stdio_fprintf(leat_file* f, const char* format, ...);  // see <leat/stdio.h>

namespace {

using leat_test::rounds;

// The formats are made at run time.
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat"

struct printed {
  int count;
  std::string text;
  bool operator==(const printed&) const = default;
};
std::ostream& operator<<(std::ostream& to, const printed& p) {
  return to << p.count << " \"" << p.text << '"';
}

template <class... Args>
printed by_libc(const std::string& format, Args... args) {
  std::vector<char> buffer(20000, '#');
  const int count = std::snprintf(buffer.data(), buffer.size(), format.c_str(), args...);
  return {count, {buffer.data(), static_cast<std::size_t>(std::max(count, 0))}};
}

/// Calls leat_snprintf. After a success, also checks that the 199 bytes after the NUL are
/// unchanged.
template <class... Args>
printed by_leat(const std::string& format, Args... args) {
  std::vector<char> buffer(20000, '#');
  const int count = leat_snprintf(buffer.data(), buffer.size(), format.c_str(), args...);
  const std::size_t size = static_cast<std::size_t>(std::max(count, 0));
  for (std::size_t i = size + 1; count >= 0 && i < std::min(size + 200, buffer.size()); ++i)
    EXPECT_EQ(buffer[i], '#') << format << " has changed a byte after the NUL";
  return {count, {buffer.data(), size}};
}

template <class... Args>
void expect_same(const std::string& format, Args... args) {
  EXPECT_EQ(by_leat(format, args...), by_libc(format, args...)) << "format " << format;
}

std::string random_flags(std::mt19937_64& random, const char* flags) {
  std::string chosen;
  for (; *flags != '\0'; ++flags)
    if (random() % 4 == 0) chosen += *flags;
  return chosen;
}

std::string random_spec(std::mt19937_64& random, const char* flags, unsigned max_width,
                        unsigned max_precision) {
  std::string spec = random_flags(random, flags);
  spec.insert(0, 1, '%');
  if (random() % 2 == 0) spec += std::to_string(random() % max_width + 1);
  if (random() % 2 == 0) {
    spec += '.';
    if (random() % 8 != 0) spec += std::to_string(random() % max_precision);
  }
  return spec;
}

double random_double(std::mt19937_64& random) {
  const std::uint64_t bits = random();
  double value;
  std::memcpy(&value, &bits, sizeof value);
  switch (random() % 6) {
    case 0:
      return static_cast<double>(static_cast<std::int64_t>(bits) >> (bits % 64));
    case 1:
      return static_cast<double>(bits % 1'000'000) / 100;
    case 2:
      return std::ldexp(static_cast<double>(bits >> 11), static_cast<int>(bits % 120) - 100);
    default:
      return value;
  }
}

TEST(printf, integers_match_libc) {
  if (!leat_test::uses_glibc) GTEST_SKIP() << leat_test::compares_with_glibc;
  std::mt19937_64 random(1);
  const char* const lengths[] = {"hh", "h", "", "l", "ll", "j", "z", "t", "q"};
  for (int i = 0; i != rounds(100'000); ++i) {
    const char* const length = lengths[random() % std::size(lengths)];
    const char type = "diuoxX"[random() % 6];
    const std::string format = random_spec(random, "-+ #0", 30, 25) + length + type + '|';
    const std::uint64_t bits = random() >> random() % 64;
    const auto value = random() % 16 == 0 ? std::uint64_t{0} : random() % 2 == 0 ? bits : 0 - bits;
    if (std::strchr(length, 'h') != nullptr || *length == '\0')
      expect_same(format, static_cast<int>(value));
    else
      expect_same(format, value);
  }
}

TEST(printf, doubles_match_libc) {
  if (!leat_test::uses_glibc) GTEST_SKIP() << leat_test::compares_with_glibc;
  std::mt19937_64 random(2);
  for (int i = 0; i != rounds(500'000); ++i) {
    const char type = "aAeEfFgG"[random() % 8];
    const bool huge = random() % 512 == 0;
    const std::string format =
        random_spec(random, "-+ #0", huge ? 1200 : 40, huge ? 1100 : 25) + type + '|';
    const double value = random_double(random);
    // If rounding gives a power of ten, glibc 2.36 loses zeros of "%#.3g".
    if (format.find('#') != std::string::npos && (type | 0x20) == 'g') continue;
    const printed ours = by_leat(format, value);
    ASSERT_EQ(ours, by_libc(format, value)) << "format " << format;
  }
}

TEST(printf, long_doubles_match_libc) {
  if (!leat_test::uses_glibc) GTEST_SKIP() << leat_test::compares_with_glibc;
  std::mt19937_64 random(3);
  for (int i = 0; i != rounds(50'000); ++i) {
    const char type = "aAeEfFgG"[random() % 8];
    const std::string format = random_spec(random, "-+ 0", 40, 30) + 'L' + type + '|';
    const long double value =
        std::ldexp(static_cast<long double>(random()), static_cast<int>(random() % 400) - 200);
    ASSERT_EQ(by_leat(format, value), by_libc(format, value)) << "format " << format;
  }
  for (const long double special :
       {0.0L, -0.0L, std::numeric_limits<long double>::max(),
        std::numeric_limits<long double>::denorm_min(), HUGE_VALL, -HUGE_VALL, std::nanl("")})
    for (const char* const format : {"%Lf", "%010Le", "%+Lg", "%La", "%-20LA|", "%.3Lf"})
      expect_same(format, special);
}

TEST(printf, infinities_nans_and_minus_zero_match_libc) {
  for (const double special : {HUGE_VAL, -HUGE_VAL, std::nan(""), -std::nan(""), -0.0})
    for (const char* const format : {"%f", "%F", "%e", "%E", "%g", "%G", "%a", "%A", "%010f", "%+f",
                                     "% f", "%-10f|", "%.0f", "%#.0f"})
      expect_same(format, special);
}

TEST(printf, text_matches_libc) {
  if (!leat_test::uses_glibc) GTEST_SKIP() << leat_test::compares_with_glibc;
  std::mt19937_64 random(4);
  for (int i = 0; i != rounds(20'000); ++i) {
    const std::string text(random() % 40, static_cast<char>('a' + random() % 26));
    expect_same(random_spec(random, "-", 60, 50) + "s|", text.c_str());
    expect_same(random_spec(random, "-", 9, 9) + "c|", static_cast<int>(random() % 256));
  }
  const char* const null = nullptr;
  for (const char* const format : {"%s", "%10s|", "%-10s|", "%.3s|", "%.6s|", "%.20s|"})
    expect_same(format, null);
}

TEST(printf, pointers_match_libc) {
  if (!leat_test::uses_glibc) GTEST_SKIP() << leat_test::compares_with_glibc;
  int object;
  void* const null = nullptr;
  for (const char* const format : {"%p", "%20p|", "%-20p|", "%020p"}) {
    expect_same(format, static_cast<void*>(&object));
    if (std::strchr(format, '0') == nullptr || format[1] == '2') expect_same(format, null);
  }
}

TEST(printf, widths_and_precisions_come_from_arguments) {
  expect_same("%*d|%-*d|%.*d|%*.*d|", 8, 42, 8, 42, 8, 42, 8, 4, 42);
  expect_same("%*d|%.*d|%*s|", -8, 42, -3, 42, -10, "abc");
  expect_same("%.*s|%.*f|", 2, "abc", 2, 3.14159);
}

TEST(printf, arguments_may_have_numbers) {
  if (!leat_test::uses_glibc) GTEST_SKIP() << leat_test::compares_with_glibc;
  expect_same("%2$s %1$s", "a", "b");
  expect_same("%1$d %1$x %1$o %2$f %2$.*3$f", 42, 3.14159, 3);
  expect_same("%3$*1$.*2$f|%4$c|%5$ld", 10, 3, 2.71828, 'x', 1L << 40);
  expect_same("%1$s%1$s%1$s%%", "x");
  expect_same(
      "%20$d %1$d%2$d%3$d%4$d%5$d%6$d%7$d%8$d%9$d%10$d%11$d%12$d%13$d%14$d%15$d%16$d%17$d"
      "%18$d%19$d",
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20);
  errno = 0;
  EXPECT_EQ(leat_snprintf(nullptr, 0, "%1$d %d", 1, 2), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(leat_snprintf(nullptr, 0, "%2$d", 1, 2), -1) << "the first argument has no type";
  for (const char* const width : {"%1$d %*m", "%1$d %*%", "%1$d %.*m", "%1$d %*9999$m"})
    EXPECT_EQ(leat_snprintf(nullptr, 0, width, 1, 2), -1) << width;
  expect_same("%1$d %*2$m", 42, 12);
}

TEST(printf, prints_binary_and_sized_integers_of_c23) {
  EXPECT_EQ(by_leat("%b %#b %#B %08b %b", 5, 5, 5, 5, 0).text, "101 0b101 0B101 00000101 0");
  EXPECT_EQ(by_leat("%w8d %w16d %w32d %w64d", 300, 70000, -5, std::int64_t{1} << 40).text,
            "44 4464 -5 1099511627776");
  EXPECT_EQ(by_leat("%wf8d %wf32u", 300, std::uint_fast32_t{7}).text, "44 7");
  EXPECT_EQ(by_leat("%wf64d %wf64x", std::int_fast64_t{1} << 40, std::uint_fast64_t{1} << 40).text,
            "1099511627776 10000000000");
  EXPECT_EQ(by_leat("%w7d", 1).count, -1);
}

TEST(printf, leat_snprintf_refuses_percent_n) {
  char text[20];
  int count = -1;
  errno = 0;
  EXPECT_EQ(leat_snprintf(text, sizeof text, "abc%n", &count), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(count, -1);
}

TEST(printf, percent_m_prints_errno) {
  errno = ENOENT;
  EXPECT_EQ(by_leat("%m").text, std::strerror(ENOENT));
}

TEST(printf, an_invalid_format_is_an_error) {
  for (const char* const format : {"%", "%y", "%l", "%-", "%5", "%.", "a%hhk"}) {
    errno = 0;
    EXPECT_EQ(leat_snprintf(nullptr, 0, format, 1), -1) << format;
    EXPECT_EQ(errno, EINVAL) << format;
  }
  errno = 0;
  EXPECT_EQ(by_leat("%2147483648d", 1).count, -1);
  EXPECT_EQ(errno, EOVERFLOW);
  errno = 0;
  EXPECT_EQ(by_leat("%2147483646d%d", 1, 42).count, -1);
  EXPECT_EQ(errno, EOVERFLOW);
  for (const char* const format : {"%#.2147483646g", "%#.2147483645g", "%#.2147483644Lg"}) {
    errno = 0;
    if (std::strchr(format, 'L') != nullptr)
      EXPECT_EQ(by_leat(format, 0.0001L).count, -1);
    else
      EXPECT_EQ(by_leat(format, 0.0001).count, -1);
    EXPECT_EQ(errno, EOVERFLOW) << format;
  }
}

TEST(printf, snprintf_cuts_a_text_that_does_not_fit) {
  for (std::size_t size = 0; size != 20; ++size) {
    char ours[24], libcs[24];
    std::memset(ours, '#', sizeof ours);
    std::memset(libcs, '#', sizeof libcs);
    EXPECT_EQ(leat_snprintf(ours, size, "%s-%d-%.2f", "abc", 12345, 1.5),
              std::snprintf(libcs, size, "%s-%d-%.2f", "abc", 12345, 1.5));
    EXPECT_EQ(std::memcmp(ours, libcs, sizeof ours), 0) << size;
  }
  char text[64];
  EXPECT_EQ(leat_sprintf(text, "%d %s", 42, "x"), 4);
  EXPECT_STREQ(text, "42 x");
}

TEST(printf, asprintf_allocates_its_result) {
  char* text = nullptr;
  EXPECT_EQ(leat_asprintf(&text, "%s %d", "abc", 42), 6);
  EXPECT_STREQ(text, "abc 42");
  std::free(text);
  EXPECT_EQ(leat_asprintf(&text, "%5000d|%s", 1, std::string(3000, 'x').c_str()), 8001);
  EXPECT_EQ(std::strlen(text), 8001U);
  EXPECT_EQ(text[5000], '|');
  std::free(text);
  EXPECT_EQ(leat_asprintf(&text, "%y"), -1);
}

TEST(printf, prints_to_files_with_all_kinds_of_buffers) {
  for (const int mode : {_IOFBF, _IOLBF, _IONBF}) {
    for (const std::size_t size : {1U, 7U, 100U, 4096U}) {
      leat_file* const f = leat_tmpfile();
      ASSERT_NE(f, nullptr);
      EXPECT_EQ(leat_setvbuf(f, nullptr, mode, size), 0);
      std::string expected;
      for (int i = 0; i != 300; ++i) {
        const std::string line = by_libc("%d %s\n%.17g;", i * 7919, "text", i * 0.1).text;
        EXPECT_EQ(leat_fprintf(f, "%d %s\n%.17g;", i * 7919, "text", i * 0.1),
                  static_cast<int>(line.size()));
        expected.append(line);
      }
      EXPECT_EQ(leat_fprintf(f, "%5000d", 1), 5000);
      expected.append(4999, ' ').append(1, '1');
      leat_rewind(f);
      std::string got(expected.size() + 1, '\0');
      got.resize(leat_fread(got.data(), 1, got.size(), f));
      EXPECT_EQ(got, expected) << mode << ' ' << size;
      EXPECT_EQ(leat_fclose(f), 0);
    }
  }
}

/// Prints to a file whose buffer has `room` bytes left. Returns the count and the printed text, and
/// leaves errno as the print set it. If there is no temporary file, the count is -2.
template <class... Args>
printed by_file(std::size_t room, const char* format, Args... args) {
  constexpr std::size_t size = 256;
  leat_file* const f = leat_tmpfile();
  if (f == nullptr) return {-2, "no file"};
  leat_setvbuf(f, nullptr, _IOFBF, size);
  for (std::size_t i = room; i != size; ++i) leat_fputc('-', f);
  const int count = leat_stdio_fprintf(f, format, args...);
  const int error = errno;
  leat_rewind(f);
  std::string got(20000, '\0');
  got.resize(leat_fread(got.data(), 1, got.size(), f));
  leat_fclose(f);
  errno = error;
  return {count, got.substr(size - room)};
}

constexpr std::size_t rooms[] = {0, 1, 63, 64, 65, 66, 70, 80, 100, 255, 256};

TEST(printf, writes_the_rest_of_a_format_that_the_fast_path_does_not_support) {
  const std::string text(300, 'x');
  for (const std::size_t room : rooms) {
    SCOPED_TRACE(room);
    const auto expect_same_in_file = [room](const char* format, auto... args) {
      EXPECT_EQ(by_file(room, format, args...), by_libc(format, args...)) << format;
    };
    expect_same_in_file("%s, %d, %15d, %s", "abc", 42, 43, "def");
    expect_same_in_file("%d %hd %d%%%d", 1, 70000, 3, 4);
    expect_same_in_file("%ld %lx %d", 1L, 2L, 3);
    expect_same_in_file("%u %.12f %d", 1U, 0.1, 2);
    expect_same_in_file("%d %.2f %d", 1, 1e300, 2);
    expect_same_in_file("%d %f %.3f %d", 1, -HUGE_VAL, -1e22, 2);
    expect_same_in_file("%d %s %d", 1, text.c_str(), 2);
    expect_same_in_file("%s%s%15d", text.c_str() + 240, text.c_str() + 200, 2);
    expect_same_in_file("a literal of some length and %2$s %1$d", 1, "abc");
#if defined(__GLIBC__)  // in C, a precision of %p is undefined
    expect_same_in_file("%.300p|%.*p", &text, 5000, &text);
#endif
    expect_same_in_file("%.300d|%.*x|%.5000s", 7, 5000, 8U, "abc");
  }
}

TEST(printf, integers_with_a_width_of_one_digit_match_libc) {
  for (const char* const zero : {"", "0"})
    for (int width = 1; width != 10; ++width)
      for (const long value :
           {0L, 7L, -7L, 1234567L, -1234567L, 99999999L, -99999999L, 123456789L, LONG_MIN})
        for (const std::size_t room : {64U, 70U, 256U}) {
          SCOPED_TRACE(room);
          for (const char* const type : {"d", "u", "x"}) {
            const auto expect_same_in_file = [&](const std::string& length, auto argument) {
              const std::string format =
                  std::string("<%") + zero + std::to_string(width) + length + type + "|%d>";
              EXPECT_EQ(by_file(room, format.c_str(), argument, 5),
                        by_libc(format.c_str(), argument, 5))
                  << format;
            };
            expect_same_in_file("", static_cast<int>(value));
            expect_same_in_file("l", value);
          }
        }
  EXPECT_EQ(by_file(256, "%05.2d %00d %0-5d| %5c %2s", 3, 4, 5, 'c', "s"),
            by_libc("   03 4 5    |     c  s"));
}

TEST(printf, counts_and_errors_are_correct_after_the_fast_path) {
  for (const std::size_t room : rooms) {
    SCOPED_TRACE(room);
    int count = -1;
    EXPECT_EQ(by_file(room, "%d%s%n%5d", 12, "abc", &count, 3), (printed{10, "12abc    3"}));
    EXPECT_EQ(count, 5);
    EXPECT_EQ(by_file(room, "%s %d", nullptr, 3), (printed{8, "(null) 3"}));
    // The text before the mistake is written.
    errno = 0;
    EXPECT_EQ(by_file(room, "%d %s %y", 12, "abc"), (printed{-1, "12 abc "}));
    EXPECT_EQ(errno, EINVAL);
    errno = 0;
    EXPECT_EQ(by_file(room, "%d %2$d", 12, 13), (printed{-1, "12 "}));
    EXPECT_EQ(errno, EINVAL);
  }
}

TEST(printf, reports_a_full_disk) {
  leat_file* const f = leat_fopen("/dev/full", "w");
  if (f == nullptr) GTEST_SKIP() << "there is no /dev/full";
  leat_setbuf(f, nullptr);
  errno = 0;
  EXPECT_LT(leat_fprintf(f, "%d", 1), 0);
  EXPECT_EQ(errno, ENOSPC);
  EXPECT_NE(leat_ferror(f), 0);
  leat_fclose(f);
}

TEST(printf, leat_stdio_fprintf_stores_counts_of_every_size_for_percent_n) {
  const auto expect_same_in_file = [](const char* format, auto initial) {
    auto ours = initial, theirs = initial;
    EXPECT_EQ(by_file(100, format, 300, "", &ours), by_libc(format, 300, "", &theirs)) << format;
    EXPECT_EQ(ours, theirs) << format;
  };
  // The count, 300, does not fit into the char of the first line.
  expect_same_in_file("%*s%hhn", static_cast<signed char>(1));
  expect_same_in_file("%*s%hn", static_cast<short>(1));
  expect_same_in_file("%*s%n", 1);
  expect_same_in_file("%*s%ln", 1L);
  expect_same_in_file("%*s%lln", 1LL);
  expect_same_in_file("%*s%jn", std::intmax_t{1});
  expect_same_in_file("%*s%zn", std::ptrdiff_t{1});
  expect_same_in_file("%*s%tn", std::ptrdiff_t{1});
}

TEST(printf, reports_counts_that_do_not_fit_an_int_after_the_fast_path) {
  const auto expect_error = [](const char* format, auto... args) {
    errno = 0;
    EXPECT_EQ(by_file(256, format, 12, args...), (printed{-1, "12 "})) << format;
    EXPECT_EQ(errno, EOVERFLOW) << format;
  };
  expect_error("%d %*d", INT_MIN, 3);
  expect_error("%d %-*s", INT_MIN, "abc");
  expect_error("%d %*p", INT_MIN, "abc");
  expect_error("%d %2147483648d", 3);
  expect_error("%d %.2147483648x", 3);
  expect_error("%d %2147483648lf", 3.0);
  expect_error("%d %.*f", INT_MAX, 3.0);
  EXPECT_EQ(by_file(256, "%.2147483648s|%.*d", "abc", INT_MIN, 3), (printed{5, "abc|3"}));
}

/// A stream with room in its buffer takes a fast path for the common conversions.
TEST(printf_into_a_stream, writes_common_conversions_like_libc) {
  leat_file* const f = leat_tmpfile();
  ASSERT_NE(f, nullptr);
  const auto number = std::numeric_limits<std::size_t>::max();
  const char* const format = "%x %c %zu %lu %zd %ld %s %d %u %f %.3f %zx %f|";
  const auto wanted = by_libc(format, 0xbeefU, 'c', number, 7UL, std::ptrdiff_t{-5}, -6L, "text",
                              -1, 2U, 0.5, -0.25, number, 1e300);
  for (int i = 0; i != 3; ++i)
    EXPECT_EQ(leat_stdio_fprintf(f, format, 0xbeefU, 'c', number, 7UL, std::ptrdiff_t{-5}, -6L,
                                 "text", -1, 2U, 0.5, -0.25, number, 1e300),
              wanted.count);
  leat_rewind(f);
  std::string text(4 * wanted.text.size(), '\0');
  text.resize(leat_fread(text.data(), 1, text.size(), f));
  EXPECT_EQ(text, wanted.text + wanted.text + wanted.text);
  EXPECT_EQ(leat_fclose(f), 0);
}

}  // namespace
