// For random texts and formats, leat's scanf does what libc's scanf does. Also: many calls of scanf
// on one stream, and invalid UTF-8.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <cerrno>
#include <clocale>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "stdio/scanf.hpp"
#include "support/c_files.hpp"
#include "support/libraries.hpp"

namespace {

using namespace leat_test;

/// Returns a format of one to five conversions. %s and %[ have a width. If `widths` is true, all
/// other conversions except %n may have a width, too.
std::string random_format(random_source& random, bool widths) {
  static constexpr std::string_view letters[] = {
      "d", "i", "u", "x",     "o",  "ld", "hhd",  "hu",    "f",      "lf",
      "s", "c", "p", "[a-f]", "lg", "jx", "[^,]", "[0-9]", "[^ \n]", "n"};
  static constexpr std::string_view between[] = {"", "", "", " ", ",", "\n", "a", "-", "%%"};
  std::string format;
  const std::size_t count = 1 + below(random, 5);
  for (std::size_t i = 0; i != count; ++i) {
    format += one_of(random, between);
    format += '%';
    const std::string letter = one_of(random, letters);
    if (below(random, 6) == 0) format += '*';
    if (letter == "s" || letter[0] == '[')
      format += std::to_string(1 + below(random, 80));
    else if (letter != "n" && widths && below(random, 3) == 0)
      format += std::to_string(1 + below(random, 12));
    format += letter;
  }
  return format + one_of(random, between);
}

/// Returns a text without 'x' and 'e': unlike leat, glibc accepts incomplete numbers such as "0x"
/// and "1e".
std::string random_characters(random_source& random) {
  static constexpr std::string_view characters = "00112345678999+--..  \t\n,,acdfghz%(:";
  std::string text;
  for (std::size_t n = below(random, 40); n != 0; --n)
    text += characters[below(random, characters.size())];
  return text;
}

std::string random_fragments(random_source& random, bool words = true) {
  static constexpr std::string_view fragments[] = {"0x1f",
                                                   "1e5",
                                                   "-1.5e-3",
                                                   "0x1.8p3",
                                                   "0X0",
                                                   "1e400",
                                                   "1e-310",
                                                   "1e-400",
                                                   "777",
                                                   "-12",
                                                   "+0x2",
                                                   "abcdef",
                                                   "-0.0",
                                                   "3.25",
                                                   "1e22",
                                                   "65536.5",
                                                   "-0x1p-3",
                                                   "12345678",
                                                   "0.1e+1",
                                                   "hello",
                                                   "99999999999999999999",
                                                   "123456789012345678901234567890.5e-10",
                                                   "inf",
                                                   "infinity",
                                                   "-nan",
                                                   "(nil)"};
  static constexpr std::string_view delimiters[] = {" ", ",", "\n", ";", "  ", " \t "};
  const std::size_t count = std::size(fragments) - (words ? 0 : 4);
  std::string text = below(random, 4) == 0 ? " " : "";
  for (std::size_t n = 1 + below(random, 5); n != 0; --n)
    text += std::string(fragments[below(random, count)]) + one_of(random, delimiters);
  return text;
}

TEST(scanf, random_strings_match_libc) {
  if (!uses_glibc) GTEST_SKIP() << compares_with_glibc;
  random_source random(1);
  std::size_t matched = 0;
  for (int i = 0; i != 40000; ++i) {
    const bool loose = i % 2 != 0;
    const std::string format = random_format(random, loose);
    const std::string text = loose ? random_characters(random) : random_fragments(random);
    const effects theirs = effects_of_libc(text.c_str(), format.c_str());
    ASSERT_TRUE(same_but_errno(theirs, effects_of_leat(text.c_str(), format.c_str())))
        << "'" << text << "' as '" << format << "'";
    matched += theirs.result > 0;
  }
  EXPECT_GT(matched, 10000U);  // more than a quarter of the calls convert something
}

TEST_F(scanf_files, of_random_text_match_libc) {
  if (!uses_glibc) GTEST_SKIP() << compares_with_glibc;
  random_source random(2);
  for (int i = 0; i != 2000 && !HasFailure(); ++i) {
    const bool loose = i % 2 != 0;
    const std::string format = random_format(random, loose);
    // When a word such as "inf" does not match, glibc has also taken the first wrong character. In
    // a file, the next read shows the difference.
    const std::string text = loose ? random_characters(random) : random_fragments(random, false);
    set_content(text);
    const std::size_t buffer = below(random, 8);
    ASSERT_TRUE(same_but_errno(read_by_libc(format.c_str()), read_by_leat(format.c_str(), buffer)))
        << "'" << text << "' as '" << format << "', buffer " << buffer;
  }
}

/// Each of many calls on one stream continues where the previous call ended, with any buffer.
TEST_F(scanf_files, are_read_number_by_number_with_any_buffer) {
  random_source random(3);
  std::string text;
  std::vector<long> integers;
  std::vector<double> numbers;
  for (int i = 0; i != 20000; ++i) {
    integers.push_back(static_cast<long>(random()) >> below(random, 64));
    numbers.push_back(std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())),
                                 static_cast<int>(below(random, 200)) - 100));
    char line[100];
    std::snprintf(line, sizeof line, "%ld%c%.17g\n", integers.back(), i % 2 == 0 ? ' ' : '\n',
                  numbers.back());
    text += line;
  }
  set_content(text);
  for (const std::size_t buffer : {0U, 1U, 7U, 100U, 4096U}) {
    leat_file* const f = leat_fopen(path_.c_str(), "r");
    if (buffer != 0) leat_setvbuf(f, nullptr, _IOFBF, buffer);
    for (std::size_t i = 0; i != integers.size(); ++i) {
      long integer = 0;
      double number = 0;
      ASSERT_EQ(leat_fscanf(f, "%ld %lf", &integer, &number), 2) << i;
      ASSERT_EQ(integer, integers[i]);
      ASSERT_EQ(number, numbers[i]);
    }
    int unused;
    EXPECT_EQ(leat_fscanf(f, "%d", &unused), EOF);
    EXPECT_TRUE(leat_feof(f));
    leat_fclose(f);
  }
}

class wide_scanf : public scanf_files {
 protected:
  void SetUp() override {
    if (std::setlocale(LC_ALL, "C.UTF-8") == nullptr) GTEST_SKIP() << "no locale of UTF-8";
  }
  void TearDown() override { std::setlocale(LC_ALL, "C"); }
};

std::wstring widened(const std::string& text) {
  std::wstring wide(text.size() + 1, L'\0');
  wide.resize(std::mbstowcs(wide.data(), text.c_str(), wide.size()));
  return wide;
}

TEST_F(wide_scanf, random_texts_match_libc) {
  if (!uses_glibc) GTEST_SKIP() << compares_with_glibc;
  static constexpr std::string_view characters[] = {
      "a", "b", "1", "2", " ", "\n", "-", ",", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9D\x84\x9E"};
  static constexpr std::string_view letters[] = {
      "d", "s", "ls", "c", "lc", "S", "C", "[ab1]", "l[ab1]", "[^,\n]", "f", "l[^,]", "x", "n"};
  static constexpr std::string_view between[] = {"", "", " ", ",", "a", "\xC3\xA4"};
  random_source random(4);
  std::size_t cut = 0;
  for (int i = 0; i != 12000; ++i) {
    std::string text;
    for (std::size_t n = below(random, 20); n != 0; --n) text += one_of(random, characters);
    std::string format;
    for (std::size_t n = 1 + below(random, 4); n != 0; --n) {
      format += one_of(random, between) + '%';
      const std::string letter = one_of(random, letters);
      const bool suppressed = below(random, 6) == 0;
      if (suppressed) format += '*';
      // %*ls, %*lc and %*l[ have no width: for wide characters that are not stored, glibc counts
      // the bytes.
      const bool counts = letter != "n" && (!suppressed || letter[0] != 'l');
      if (counts && below(random, 2) == 0) format += std::to_string(1 + below(random, 5));
      format += letter;
    }
    const std::wstring wide_text = widened(text);
    const std::wstring wide_format = widened(format);
    const effects ours = effects_of_leat(text.c_str(), format.c_str());
    if (ours.error == EILSEQ)
      ++cut;  // an earlier conversion took a part of a character; glibc differs
    else
      ASSERT_TRUE(same_but_errno(effects_of_libc(text.c_str(), format.c_str()), ours))
          << "'" << text << "' as '" << format << "'";
    ASSERT_TRUE(same_but_errno(effects_of_libc(wide_text.c_str(), wide_format.c_str()),
                               effects_of_leat(wide_text.c_str(), wide_format.c_str())))
        << "'" << text << "' as wide '" << format << "'";
    if (i % 4 != 0) continue;
    set_content(text);
    const std::size_t buffer = below(random, 8);
    ASSERT_TRUE(same_but_errno(read_by_libc(wide_format.c_str()),
                               read_by_leat(wide_format.c_str(), buffer)))
        << "'" << text << "' of a file as wide '" << format << "', buffer " << buffer;
  }
  EXPECT_LT(cut, 1000U);
}

TEST_F(wide_scanf, refuses_bytes_that_are_no_characters) {
  wchar_t wide[20];
  errno = 0;
  // In C, an invalid or incomplete character is an input failure; glibc returns 0.
  EXPECT_EQ(leat_sscanf("\xFF", "%ls", wide), EOF);
  EXPECT_EQ(errno, EILSEQ);
  errno = 0;
  EXPECT_EQ(leat_sscanf("\xC3", "%lc", wide), EOF);
  EXPECT_EQ(errno, EILSEQ);
  for (const char* text : {"ab\xFF", "ab\xC3"}) {
    set_content(text);
    leat_file* const f = leat_fopen(path_.c_str(), "r");
    errno = 0;
    EXPECT_EQ(leat_fwscanf(f, L"ab%ls", wide), EOF);
    EXPECT_EQ(errno, EILSEQ);
    EXPECT_TRUE(leat_ferror(f));
    leat_fclose(f);
  }
}

}  // namespace
