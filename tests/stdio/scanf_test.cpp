#include <gtest/gtest.h>
#include <leat/leat.h>

#include <array>
#include <cerrno>
#include <cfenv>
#include <clocale>
#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <iterator>
#include <limits>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/c_files.hpp"
#include "support/files.hpp"
#include "support/libraries.hpp"
#include "support/process.hpp"
#include "support/sanitizer.hpp"

namespace {

using namespace leat_test;

// Formats that are no literals, so that the compiler has no opinion about C23's and the wrong ones.
using format = const char*;

/// What a call did: its result, errno, and all that it stored.
struct seen {
  int result = -2;
  int error = 0;
  alignas(std::max_align_t) std::array<std::array<char, 96>, 6> stored;
  // Behind the call, for a file.
  bool at_end = false;
  long position = -1;
  std::string rest;

  seen() {
    for (auto& place : stored) place.fill('#');
  }
  bool operator==(const seen&) const = default;
};

std::string shown(const seen& s) {
  std::string text = "result " + std::to_string(s.result) + ", errno " + std::to_string(s.error) +
                     (s.at_end ? ", at the end" : "") + ", at " + std::to_string(s.position) +
                     ", rest '" + s.rest + "', stored";
  for (const auto& place : s.stored) {
    text += ' ';
    constexpr char digits[] = "0123456789abcdef";
    for (std::size_t i = 0; i != 16; ++i) {
      const auto byte = static_cast<unsigned char>(place[i]);
      text += {digits[byte >> 4], digits[byte & 15]};
    }
  }
  return text;
}

testing::AssertionResult same(const seen& theirs, const seen& ours) {
  if (theirs == ours) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\nlibc: " << shown(theirs) << "\nleat: " << shown(ours);
}

/// glibc's wide functions end bytes with two NULs.
testing::AssertionResult same_wide(seen theirs, const seen& ours) {
  for (std::size_t place = 0; place != theirs.stored.size(); ++place) {
    auto& bytes = theirs.stored[place];
    for (std::size_t i = 1; i != bytes.size(); ++i)
      if (bytes[i - 1] == '\0' && bytes[i] == '\0' && ours.stored[place][i] == '#') {
        bytes[i] = '#';
        break;
      }
  }
  return same(theirs, ours);
}

/// Of errno only this: glibc sets it to others on success, and back to zero at the end of the text.
testing::AssertionResult same_but_errno(seen theirs, seen ours) {
  if (theirs.error != ERANGE) theirs.error = ours.error = 0;
  return same_wide(theirs, ours);
}

/// call(places...) as one of the functions.
template <class Call>
seen observe(Call call) {
  seen s;
  auto& p = s.stored;
  errno = 0;
  s.result = call(p[0].data(), p[1].data(), p[2].data(), p[3].data(), p[4].data(), p[5].data());
  s.error = errno;
  return s;
}

template <class Char>
seen of_libc(const Char* text, const Char* how) {
  return observe([&](auto... places) {
    if constexpr (std::is_same_v<Char, char>)
      return std::sscanf(text, how, places...);
    else
      return std::swscanf(text, how, places...);
  });
}
template <class Char>
seen of_leat(const Char* text, const Char* how) {
  return observe([&](auto... places) {
    if constexpr (std::is_same_v<Char, char>)
      return leat_sscanf(text, how, places...);
    else
      return leat_swscanf(text, how, places...);
  });
}

template <class Char>
seen of_libc(std::FILE* f, const Char* how) {
  seen s = observe([&](auto... places) {
    if constexpr (std::is_same_v<Char, char>)
      return std::fscanf(f, how, places...);
    else
      return std::fwscanf(f, how, places...);
  });
  s.at_end = std::feof(f) != 0;
  s.position = std::ftell(f);
  for (int c;
       (c = std::is_same_v<Char, char> ? std::fgetc(f) : static_cast<int>(std::fgetwc(f))) != -1;)
    s.rest += static_cast<char>(c);
  return s;
}
template <class Char>
seen of_leat(leat_file* f, const Char* how) {
  seen s = observe([&](auto... places) {
    if constexpr (std::is_same_v<Char, char>)
      return leat_fscanf(f, how, places...);
    else
      return leat_fwscanf(f, how, places...);
  });
  s.at_end = leat_feof(f) != 0;
  s.position = leat_ftell(f);
  if constexpr (std::is_same_v<Char, char>) {
    for (int c; (c = leat_fgetc(f)) != -1;) s.rest += static_cast<char>(c);
  } else {
    for (wchar_t c; leat_fwscanf(f, L"%lc", &c) == 1;) s.rest += static_cast<char>(c);
  }
  return s;
}

/// A file with this text, for both.
class scanf_files : public testing::Test {
 protected:
  void hold(std::string_view text) {
    std::FILE* const f = std::fopen(path_.c_str(), "w");
    ASSERT_NE(f, nullptr);
    std::fwrite(text.data(), 1, text.size(), f);
    std::fclose(f);
  }
  template <class Char>
  seen libc_file(const Char* how) {
    std::FILE* const f = std::fopen(path_.c_str(), "r");
    seen s = of_libc(f, how);
    std::fclose(f);
    return s;
  }
  template <class Char>
  seen leat_file_of(const Char* how, std::size_t buffer) {
    leat_file* const f = leat_fopen(path_.c_str(), "r");
    if (buffer != 0) leat_setvbuf(f, nullptr, buffer == 1 ? _IONBF : _IOFBF, buffer);
    seen s = of_leat(f, how);
    leat_fclose(f);
    return s;
  }
  /// The same from a pipe, which tells no positions.
  seen leat_pipe(std::string_view text, format how) {
    int ends[2];
    make_pipe(ends);
    leat_file* const to = leat_fdopen(ends[1], "w");
    leat_fwrite(text.data(), 1, text.size(), to);
    leat_fclose(to);
    leat_file* const f = leat_fdopen(ends[0], "r");
    seen s = of_leat(f, how);
    leat_fclose(f);
    return s;
  }
  void compare(const std::string& text, format how, std::size_t buffer) {
    hold(text);
    const seen theirs = libc_file(how);
    EXPECT_TRUE(same(theirs, leat_file_of(how, buffer)))
        << "'" << text << "' as '" << how << "', buffer " << buffer;
  }

  temporary_folder folder_;
  std::string path_ = folder_ / "text";
};

struct pair {
  const char* text;
  format how;
};

// Where C and glibc agree but for what a file has left.
constexpr pair agreed_for_strings[] = {
    {"infinix", "%lf"}, {"nx", "%lf"},  {"naan", "%lf"},  {"ix", "%lf"},
    {"inx", "%lf"},     {"(nix", "%p"}, {"nan(", "%3lf"}, {"-infinitx", "%Lf"},
};

// Where they agree.
constexpr pair agreed[] = {
    {"", "%d"},
    {" \t\n", "%d"},
    {"12", "%d"},
    {"12 ", "%d"},
    {" +12x", "%d"},
    {"-", "%d"},
    {"- 5", "%d"},
    {"+-5", "%d"},
    {"x", "%d"},
    {"08", "%i"},
    {"0x1F", "%i"},
    {"0X1fg", "%i"},
    {"-0x10", "%i"},
    {"017", "%i"},
    {"0", "%i"},
    {"00000x1", "%i"},
    {"0x1f", "%x"},
    {"-1f", "%X"},
    {"778", "%o"},
    {"12345", "%3d%d"},
    {"-12345", "%2d%d"},
    {"123", "%1d%1d%1d%1d"},
    {"99999999999", "%d"},
    {"-99999999999", "%d"},
    {"2147483648", "%d"},
    {"99999999999999999999", "%d"},
    {"-99999999999999999999", "%d"},
    {"99999999999999999999", "%u"},
    {"-99999999999999999999", "%lu"},
    {"-1", "%lu"},
    {"18446744073709551615", "%lu"},
    {"18446744073709551616", "%lu"},
    {"9223372036854775807", "%ld"},
    {"9223372036854775808", "%ld"},
    {"-9223372036854775808", "%ld"},
    {"-9223372036854775809", "%ld"},
    {"300", "%hhd"},
    {"-70000", "%hd"},
    {"5", "%jd"},
    {"5", "%zu"},
    {"5", "%td"},
    {"5", "%Ld"},
    {"5", "%qd"},
    {"5", "%lld"},
    {"5 6 7", "%*d%d"},
    {"5", "%*d%d"},
    {"(nil)x", "%p"},
    {"(NIL)", "%p"},
    {"0x7fff1234", "%p"},
    {"7fff1234", "%p"},
    {"1 2 3", "%2$d%1$d%3$ld"},
    {"1.5", "%f"},
    {"1.5", "%lf"},
    {"1.5", "%Lf"},
    {"-.5e1,", "%lf"},
    {"+1.", "%lf"},
    {".", "%lf"},
    {"..", "%lf"},
    {"+.", "%lf"},
    {".e5", "%lf"},
    {"1.e5", "%le"},
    {"1e5.3", "%lG"},
    {"1.2.3", "%lf%lf"},
    {"1-2", "%lf%lf"},
    {"1,5", "%lf"},
    {"inf", "%lf"},
    {"-INFinity", "%lf"},
    {"infx", "%lf"},
    {"infi", "%lf"},
    {"in", "%lf"},
    {"nan ", "%lf"},
    {"-nan ", "%lf"},
    {"nanx", "%lf"},
    {"na", "%lf"},
    {"1e999", "%lf"},
    {"-1e999", "%lf"},
    {"1e-999", "%lf"},
    {"-1e-999 ", "%lf"},
    {"1e-310", "%lf"},
    {"1e39", "%f"},
    {"1e-50", "%f"},
    {"1e-40 ", "%f"},
    {"1e5000 ", "%Lf"},
    {"1e-5000", "%Lf"},
    {"0e999999999999999999999", "%lf"},
    {"1e999999999999999999999", "%lf"},
    {"1e-999999999999999999999", "%lf"},
    {"0x1.8p+1", "%lf"},
    {"-0X.8P-1z", "%a"},
    {"0x1.", "%lf"},
    {"0x1p-1e", "%lf"},
    {"0x1e+5", "%lf"},
    {"0x1p99999 ", "%lf"},
    {"0x1p-99999 ", "%lf"},
    {"00x1", "%lf"},
    {"123.456", "%4lf%lf"},
    {"1e55", "%3lf%d"},
    {"infinity", "%3lf%s"},
    {"infinity", "%5lf%s"},
    {"abc def", "%s"},
    {"abc def", "%s%s"},
    {"  abc", "%2s%s"},
    {"abc", "%c"},
    {" abc", "%c%c"},
    {" abc", " %c"},
    {"abc", "%2c%c"},
    {"", "%c"},
    {"", "%s"},
    {"", "%[a]"},
    {"", "%%"},
    {"", "x"},
    {"", " "},
    {"", ""},
    {"", "%n"},
    {"", " %n"},
    {"  7", "%d%n"},
    {"ab12", "ab%d%n"},
    {"ab12", "ab %n%d%*n"},
    {"ab12", "ac%d"},
    {"a b", "a%*c%c"},
    {"50%", "%d%%"},
    {"50 %x", "%d%%%c"},
    {"50x", "%d%%"},
    {"a1b2", "%[a-z]%d%[^0-9]%d"},
    {"abc]d", "%[]abc]%c"},
    {"abc]d", "%[^]]%c"},
    {"a-b-c", "%[a-]%s"},
    {"a-b-c", "%[-a]%s"},
    {"a-b^c", "%[b^a-]%s"},
    {"mzya-", "%[z-a]%s"},
    {"acbed-", "%[a-c-e]%s"},
    {"xyz", "%2[xyz]%s"},
    {"xyz", "%[abc]"},
    {" xyz", "%[xyz]"},
    {"xyz", "%*[xy]%s"},
    {"ab", "%3c"},  // C wants three; everybody else takes what is there
    {"1:2:3", "%d:%d:%d"},
    {"1 : 2", "%d : %d"},
    {"1 ,2", "%d,%d"},
    {"1\n\n\n2", "%d%d"},
    {"1\v\f\r2", "%d %d"},
    {"1'000", "%'d"},
    {"12", "%Id"},
    {"12", "%0d"},
};

TEST(scanf, strings_as_libc) {
  if (!over_glibc) GTEST_SKIP() << compares_with_glibc;
  for (const auto& [text, how] : agreed_for_strings)
    EXPECT_TRUE(same(of_libc(text, how), of_leat(text, how))) << "'" << text << "' as " << how;
  for (const auto& [text, how] : agreed)
    EXPECT_TRUE(same(of_libc(text, how), of_leat(text, how))) << "'" << text << "' as " << how;
}

TEST_F(scanf_files, files_as_libc) {
  if (!over_glibc) GTEST_SKIP() << compares_with_glibc;
  for (const auto& [text, how] : agreed) {
    for (std::size_t buffer = 0; buffer != 8; ++buffer) compare(text, how, buffer);
    seen theirs = libc_file(how);
    theirs.position = -1;
    EXPECT_TRUE(same(theirs, leat_pipe(text, how))) << "'" << text << "' as " << how;
  }
}

TEST(scanf, wide_strings_as_libc) {
  if (!over_glibc) GTEST_SKIP() << compares_with_glibc;
  for (const auto& [text, how] : agreed) {
    if (std::strstr(text, "\xC3") != nullptr) continue;
    // glibc's wide functions take a reversed range for an error.
    if (std::strstr(how, "z-a") != nullptr) continue;
    const std::wstring wide_text(text, text + std::strlen(text));
    const std::wstring wide_how(how, how + std::strlen(how));
    EXPECT_TRUE(same_wide(of_libc(wide_text.c_str(), wide_how.c_str()),
                          of_leat(wide_text.c_str(), wide_how.c_str())))
        << "'" << text << "' as " << how;
  }
}

TEST_F(scanf_files, wide_files_as_libc) {
  if (!over_glibc) GTEST_SKIP() << compares_with_glibc;
  for (const auto& [text, how] : agreed) {
    if (std::strstr(text, "\xC3") != nullptr || std::strstr(how, "z-a") != nullptr) continue;
    const std::wstring wide_how(how, how + std::strlen(how));
    hold(text);
    const seen theirs = libc_file(wide_how.c_str());
    for (std::size_t buffer = 0; buffer != 8; ++buffer)
      EXPECT_TRUE(same_wide(theirs, leat_file_of(wide_how.c_str(), buffer)))
          << "'" << text << "' as " << how << ", buffer " << buffer;
  }
}

// --- random texts -------------------------------------------------------------------------------

using random_source = std::mt19937_64;

std::size_t below(random_source& random, std::size_t n) { return random() % n; }

template <class Strings>
std::string one_of(random_source& random, const Strings& strings) {
  return std::string(strings[below(random, std::size(strings))]);
}

/// Formats of up to six conversions.
std::string random_format(random_source& random, bool widths) {
  static constexpr std::string_view letters[] = {
      "d", "i", "u", "x",     "o",  "ld", "hhd",  "hu",    "f",      "lf",
      "s", "c", "p", "[a-f]", "lg", "jx", "[^,]", "[0-9]", "[^ \n]", "n"};
  static constexpr std::string_view between[] = {"", "", "", " ", ",", "\n", "a", "-", "%%"};
  std::string how;
  const std::size_t count = 1 + below(random, 5);
  for (std::size_t i = 0; i != count; ++i) {
    how += one_of(random, between);
    how += '%';
    const std::string letter = one_of(random, letters);
    if (below(random, 6) == 0) how += '*';
    if (letter == "s" || letter[0] == '[')
      how += std::to_string(1 + below(random, 80));
    else if (letter != "n" && widths && below(random, 3) == 0)
      how += std::to_string(1 + below(random, 12));
    how += letter;
  }
  return how + one_of(random, between);
}

/// No beginnings of numbers that are none, which glibc takes for numbers: no 'x', no 'e'.
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

TEST(scanf, random_strings_as_libc) {
  if (!over_glibc) GTEST_SKIP() << compares_with_glibc;
  random_source random(1);
  std::size_t matched = 0;
  for (int i = 0; i != 40000; ++i) {
    const bool loose = i % 2 != 0;
    const std::string how = random_format(random, loose);
    const std::string text = loose ? random_characters(random) : random_fragments(random);
    const seen theirs = of_libc(text.c_str(), how.c_str());
    ASSERT_TRUE(same_but_errno(theirs, of_leat(text.c_str(), how.c_str())))
        << "'" << text << "' as '" << how << "'";
    matched += theirs.result > 0;
  }
  EXPECT_GT(matched, 10000U);  // the texts are not mere failures
}

TEST_F(scanf_files, random_files_as_libc) {
  if (!over_glibc) GTEST_SKIP() << compares_with_glibc;
  random_source random(2);
  for (int i = 0; i != 2000 && !HasFailure(); ++i) {
    const bool loose = i % 2 != 0;
    const std::string how = random_format(random, loose);
    // Of a word that does not match, glibc also takes the character where that shows.
    const std::string text = loose ? random_characters(random) : random_fragments(random, false);
    hold(text);
    const std::size_t buffer = below(random, 8);
    ASSERT_TRUE(same_but_errno(libc_file(how.c_str()), leat_file_of(how.c_str(), buffer)))
        << "'" << text << "' as '" << how << "', buffer " << buffer;
  }
}

/// Many calls on one stream end at the same places.
TEST_F(scanf_files, numbers_in_a_row) {
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
  hold(text);
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
    int none;
    EXPECT_EQ(leat_fscanf(f, "%d", &none), EOF);
    EXPECT_TRUE(leat_feof(f));
    leat_fclose(f);
  }
}

// --- where glibc is not C -----------------------------------------------------------------------

/// What one call leaves behind.
struct left {
  int result;
  std::string rest;
  bool operator==(const left&) const = default;
};
std::ostream& operator<<(std::ostream& to, const left& l) {
  return to << l.result << " '" << l.rest << "'";
}

class scanf_of_c : public scanf_files {
 protected:
  left after(std::string_view text, format how) {
    const seen piped = leat_pipe(text, how);
    hold(text);
    for (std::size_t buffer = 0; buffer != 4; ++buffer) {
      const seen s = leat_file_of(how, buffer);
      EXPECT_EQ(s.result, piped.result);
      EXPECT_EQ(s.rest, piped.rest);
    }
    const seen s = of_leat(std::string(text).c_str(), how);
    EXPECT_EQ(s.result, piped.result);
    return {piped.result, piped.rest};
  }
};

// glibc makes a number of the digits before, though it has taken what follows.
TEST_F(scanf_of_c, beginnings_of_numbers_do_not_match) {
  EXPECT_EQ(after("0xz", "%i"), (left{0, "z"}));
  EXPECT_EQ(after("0xz", "%x"), (left{0, "z"}));
  EXPECT_EQ(after("0x", "%x"), (left{0, ""}));
  EXPECT_EQ(after("0x1", "%2i"), (left{0, "1"}));
  EXPECT_EQ(after("0x1", "%1i"), (left{1, "x1"}));
  EXPECT_EQ(after("1e+x", "%lf"), (left{0, "x"}));
  EXPECT_EQ(after("1ex", "%lf"), (left{0, "x"}));
  EXPECT_EQ(after("1e", "%lf"), (left{0, ""}));
  EXPECT_EQ(after("1e5", "%2lf"), (left{0, "5"}));
  EXPECT_EQ(after("0x.p1", "%lf"), (left{0, "p1"}));
  EXPECT_EQ(after("0x1p+z", "%lf"), (left{0, "z"}));
  EXPECT_EQ(after("0x1", "%2lf"), (left{0, "1"}));
}

// glibc also takes the character that does not match.
TEST_F(scanf_of_c, words_leave_what_does_not_match) {
  EXPECT_EQ(after("infinix", "%lf"), (left{0, "x"}));
  EXPECT_EQ(after("-nx", "%lf"), (left{0, "x"}));
  EXPECT_EQ(after("naan", "%lf"), (left{0, "an"}));
  EXPECT_EQ(after("(nix", "%p"), (left{0, "x"}));
}

// glibc sets errno.
TEST_F(scanf_of_c, bytes_of_the_format) {
  EXPECT_EQ(after("\xC3\xA4 1x", "\xC3\xA4%*d"), (left{0, "x"}));
  EXPECT_EQ(after("\xC3\xA5 1", "\xC3\xA4%*d"), (left{0, "\xA5 1"}));
}

// glibc leaves the parenthesis.
TEST_F(scanf_of_c, characters_of_nans) {
  EXPECT_EQ(after("nan(a_1)x", "%lf"), (left{1, "x"}));
  EXPECT_EQ(after("NaN()", "%lf"), (left{1, ""}));
  EXPECT_EQ(after("nan(a-b)", "%lf"), (left{0, "-b)"}));
  EXPECT_EQ(after("nan(", "%lf"), (left{0, ""}));
  EXPECT_EQ(after("nan(a)", "%4lf"), (left{0, "a)"}));
  EXPECT_EQ(after("nan(a)", "%3lf"), (left{1, "(a)"}));
  double value = 0;
  EXPECT_EQ(leat_sscanf("-nan(1)", "%lf", &value), 1);
  EXPECT_TRUE(std::isnan(value) && std::signbit(value));
}

// C23, which glibc 2.36 does not know.
TEST_F(scanf_of_c, binary_integers) {
  const auto read = [](const char* text, format how) {
    unsigned value = 77;
    return leat_sscanf(text, how, &value) == 1 ? static_cast<int>(value) : -1;
  };
  EXPECT_EQ(read("101", "%b"), 5);
  EXPECT_EQ(read("0b101", "%b"), 5);
  EXPECT_EQ(read("-0B11", "%b"), -3);
  EXPECT_EQ(read("0b101", "%i"), 5);
  EXPECT_EQ(read("0b1012", "%i"), 5);
  EXPECT_EQ(read("0b2", "%i"), -1);
  EXPECT_EQ(read("2", "%b"), -1);
  EXPECT_EQ(read("0b1", "%x"), 0xb1);
  EXPECT_EQ(after("0b102", "%b"), (left{1, "2"}));
  EXPECT_EQ(after("0b2", "%i"), (left{0, "2"}));
  unsigned long most = 0;
  const std::string ones(64, '1');
  EXPECT_EQ(leat_sscanf(ones.c_str(), static_cast<format>("%lb"), &most), 1);
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

// Before C23, "0b101" is a zero with a text behind it.
TEST_F(scanf_files, binary_integers_of_c17) {
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
  hold("0b11");
  leat_file* const f = leat_fopen(path_.c_str(), "r");
  EXPECT_EQ(leat_c17_fscanf(f, "%i", &value), 1);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(leat_fgetc(f), 'b');
  leat_fclose(f);
}

TEST(scanf, integers_of_a_size) {
  const auto bytes = [](format how) {
    std::array<unsigned char, 16> to;
    to.fill(0xAA);
    if (leat_sscanf("-1", how, to.data()) != 1) return std::size_t{0};
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

TEST(scanf, unknown_conversions_end_the_call) {
  for (const format how : {"%d%y", "%d%", "%d%5", "%d%l", "%d%[a", "%d%[]", "%d%0$d", "%d%w7d"}) {
    int value = 0;
    char other[100];
    errno = 0;
    EXPECT_EQ(leat_sscanf("5a", how, &value, other), 1) << how;
    EXPECT_EQ(errno, EINVAL) << how;
    EXPECT_EQ(value, 5);
  }
}

TEST_F(scanf_files, numbers_longer_than_any_buffer) {
  const std::string zeros(10000, '0');
  std::string digits = "3.";
  for (int i = 0; i != 5000; ++i) digits += static_cast<char>('0' + i * 7 % 10);
  const std::string text = zeros + "42 " + digits + "e2 -" + zeros + "x";
  double expected = std::strtod((digits + "e2").c_str(), nullptr);
  hold(text);
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

// Neither the digits nor the exponent alone tell whether a number is large or small.
TEST(scanf, numbers_out_of_range) {
  const std::string zeros(2000, '0');
  for (const std::string& text :
       {"0." + zeros + "1e1500", "0." + zeros + "1e2400", "-1" + zeros + "e-1500",
        "1" + zeros + "e-2400", "-" + zeros + "1e-400", "0x0." + zeros + "1p7500",
        "0x0." + zeros + "1p9900", "0x1" + zeros + "p-9900", "-0x1" + zeros + "p-6000"})
    for (const format how : {"%f", "%lf"})
      EXPECT_TRUE(same(of_libc(text.c_str(), how), of_leat(text.c_str(), how))) << text << how;
}

// --- memory that a call allocates ---------------------------------------------------------------

TEST_F(scanf_files, allocated_text) {
  const std::string word(5000, 'w');
  hold(word + " abc,def 5");
  const std::string how = "%ms %m[a-z],%2mc%mls";  // not all compilers know the last
  for (const std::size_t buffer : {0U, 1U, 7U}) {
    leat_file* const f = leat_fopen(path_.c_str(), "r");
    if (buffer != 0) leat_setvbuf(f, nullptr, _IOFBF, buffer);
    char* first = nullptr;
    char* second = nullptr;
    char* third = nullptr;
    wchar_t* fourth = nullptr;
    EXPECT_EQ(leat_fscanf(f, how.c_str(), &first, &second, &third, &fourth), 4);
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

TEST(scanf, nothing_is_allocated_without_a_match) {
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
TEST(scanf, text_without_memory) {
  if (sanitized) GTEST_SKIP() << "sanitizers need more memory";
  if (emulated) GTEST_SKIP() << "qemu sets no limit of memory";
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

// --- streams ------------------------------------------------------------------------------------

#if defined(HAS_FORK)
TEST_F(scanf_files, standard_input) {
  hold("7 x 8 y");
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
    const auto call = [](format how, ...) {
      va_list list;
      va_start(list, how);
      const int result = leat_vscanf(how, list);
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
    const auto call = [](const wchar_t* how, ...) {
      va_list list;
      va_start(list, how);
      const int result = leat_vwscanf(how, list);
      va_end(list);
      return result;
    };
    require(call(L"%d %lc", &n, &c) == 2 && n == 8 && c == L'y');
  })));
}
#endif

TEST_F(scanf_files, stream_for_writing) {
  leat_file* const f = leat_fopen(path_.c_str(), "w");
  int n = 0;
  errno = 0;
  EXPECT_EQ(leat_fscanf(f, "%d", &n), EOF);
  EXPECT_EQ(errno, EBADF);
  EXPECT_TRUE(leat_ferror(f));
  leat_fclose(f);
}

// What was pushed back comes first, though a number goes on behind it.
TEST_F(scanf_files, bytes_pushed_back) {
  hold("34 5");
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

// --- wide characters ----------------------------------------------------------------------------

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

TEST_F(wide_scanf, random_texts_as_libc) {
  if (!over_glibc) GTEST_SKIP() << compares_with_glibc;
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
    std::string how;
    for (std::size_t n = 1 + below(random, 4); n != 0; --n) {
      how += one_of(random, between) + '%';
      const std::string letter = one_of(random, letters);
      const bool suppressed = below(random, 6) == 0;
      if (suppressed) how += '*';
      // glibc counts the bytes of wide characters that it does not store.
      const bool counts = letter != "n" && (!suppressed || letter[0] != 'l');
      if (counts && below(random, 2) == 0) how += std::to_string(1 + below(random, 5));
      how += letter;
    }
    const std::wstring wide_text = widened(text);
    const std::wstring wide_how = widened(how);
    const seen ours = of_leat(text.c_str(), how.c_str());
    if (ours.error == EILSEQ)
      ++cut;  // a conversion before took a part of a character; glibc goes on differently
    else
      ASSERT_TRUE(same_but_errno(of_libc(text.c_str(), how.c_str()), ours))
          << "'" << text << "' as '" << how << "'";
    ASSERT_TRUE(same_but_errno(of_libc(wide_text.c_str(), wide_how.c_str()),
                               of_leat(wide_text.c_str(), wide_how.c_str())))
        << "'" << text << "' as wide '" << how << "'";
    if (i % 4 != 0) continue;
    hold(text);
    const std::size_t buffer = below(random, 8);
    ASSERT_TRUE(same_but_errno(libc_file(wide_how.c_str()), leat_file_of(wide_how.c_str(), buffer)))
        << "'" << text << "' of a file as wide '" << how << "', buffer " << buffer;
  }
  EXPECT_LT(cut, 1000U);
}

TEST_F(wide_scanf, bytes_that_are_no_characters) {
  wchar_t wide[20];
  errno = 0;
  // C: an input failure; glibc returns 0.
  EXPECT_EQ(leat_sscanf("\xFF", "%ls", wide), EOF);
  EXPECT_EQ(errno, EILSEQ);
  errno = 0;
  EXPECT_EQ(leat_sscanf("\xC3", "%lc", wide), EOF);
  EXPECT_EQ(errno, EILSEQ);
  for (const char* text : {"ab\xFF", "ab\xC3"}) {
    hold(text);
    leat_file* const f = leat_fopen(path_.c_str(), "r");
    errno = 0;
    EXPECT_EQ(leat_fwscanf(f, L"ab%ls", wide), EOF);
    EXPECT_EQ(errno, EILSEQ);
    EXPECT_TRUE(leat_ferror(f));
    leat_fclose(f);
  }
}

TEST(scanf, lists_of_arguments) {
  const auto call = [](const char* text, format how, ...) {
    va_list list;
    va_start(list, how);
    const int result = leat_vsscanf(text, how, list);
    va_end(list);
    return result;
  };
  int a = 0;
  int b = 0;
  EXPECT_EQ(call("3 4", "%d%d", &a, &b), 2);
  EXPECT_EQ(a * 10 + b, 34);
  // More than registers hold.
  int n[8]{};
  EXPECT_EQ(leat_sscanf("1 2 3 4 5 6 7 8", "%8$d%7$d%6$d%5$d%4$d%3$d%2$d%1$d", n, n + 1, n + 2,
                        n + 3, n + 4, n + 5, n + 6, n + 7),
            8);
  for (int i = 0; i != 8; ++i) EXPECT_EQ(n[i], 8 - i);
}

}  // namespace
