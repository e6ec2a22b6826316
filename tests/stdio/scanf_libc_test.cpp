// Formats and texts for which leat's scanf does what glibc's scanf does.
#include <gtest/gtest.h>
#include <leat/leat.h>

#include <cstddef>
#include <cstring>
#include <string>

#include "stdio/scanf.hpp"
#include "support/c_files.hpp"
#include "support/libraries.hpp"

namespace {

using namespace leat_test;

struct scanf_case {
  const char* text;
  runtime_format format;
};

// C and glibc agree, except about the bytes that stay unread in a file.
constexpr scanf_case agreed_string_cases[] = {
    {"infinix", "%lf"}, {"nx", "%lf"},  {"naan", "%lf"},  {"ix", "%lf"},
    {"inx", "%lf"},     {"(nix", "%p"}, {"nan(", "%3lf"}, {"-infinitx", "%Lf"},
};

// glibc does what C requires, except where a comment says otherwise. Some formats are extensions of
// glibc.
constexpr scanf_case agreed_cases[] = {
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
    {"ab", "%3c"},  // C requires three characters; glibc and leat accept two
    {"1:2:3", "%d:%d:%d"},
    {"1 : 2", "%d : %d"},
    {"1 ,2", "%d,%d"},
    {"1\n\n\n2", "%d%d"},
    {"1\v\f\r2", "%d %d"},
    {"1'000", "%'d"},
    {"12", "%Id"},
    {"12", "%0d"},
};

TEST(scanf, strings_match_libc) {
  if (!uses_glibc) GTEST_SKIP() << compares_with_glibc;
  for (const auto& [text, format] : agreed_string_cases)
    EXPECT_TRUE(same_effects(effects_of_libc(text, format), effects_of_leat(text, format)))
        << "'" << text << "' as " << format;
  for (const auto& [text, format] : agreed_cases)
    EXPECT_TRUE(same_effects(effects_of_libc(text, format), effects_of_leat(text, format)))
        << "'" << text << "' as " << format;
}

TEST_F(scanf_files, match_libc) {
  if (!uses_glibc) GTEST_SKIP() << compares_with_glibc;
  for (const auto& [text, format] : agreed_cases) {
    for (std::size_t buffer = 0; buffer != 8; ++buffer) compare(text, format, buffer);
    effects theirs = read_by_libc(format);
    theirs.position = -1;
    EXPECT_TRUE(same_effects(theirs, read_pipe_by_leat(text, format)))
        << "'" << text << "' as " << format;
  }
}

TEST(scanf, wide_strings_match_libc) {
  if (!uses_glibc) GTEST_SKIP() << compares_with_glibc;
  for (const auto& [text, format] : agreed_cases) {
    // glibc's wide functions refuse a reversed range.
    if (std::strstr(format, "z-a") != nullptr) continue;
    const std::wstring wide_text(text, text + std::strlen(text));
    const std::wstring wide_format(format, format + std::strlen(format));
    EXPECT_TRUE(same_wide(effects_of_libc(wide_text.c_str(), wide_format.c_str()),
                          effects_of_leat(wide_text.c_str(), wide_format.c_str())))
        << "'" << text << "' as " << format;
  }
}

TEST_F(scanf_files, of_wide_characters_match_libc) {
  if (!uses_glibc) GTEST_SKIP() << compares_with_glibc;
  for (const auto& [text, format] : agreed_cases) {
    if (std::strstr(format, "z-a") != nullptr) continue;
    const std::wstring wide_format(format, format + std::strlen(format));
    set_content(text);
    const effects theirs = read_by_libc(wide_format.c_str());
    for (std::size_t buffer = 0; buffer != 8; ++buffer)
      EXPECT_TRUE(same_wide(theirs, read_by_leat(wide_format.c_str(), buffer)))
          << "'" << text << "' as " << format << ", buffer " << buffer;
  }
}

// The size of a number depends on both the digits and the exponent.
TEST(scanf, numbers_out_of_range_match_libc) {
  const std::string zeros(2000, '0');
  for (const std::string& text :
       {"0." + zeros + "1e1500", "0." + zeros + "1e2400", "-1" + zeros + "e-1500",
        "1" + zeros + "e-2400", "-" + zeros + "1e-400", "0x0." + zeros + "1p7500",
        "0x0." + zeros + "1p9900", "0x1" + zeros + "p-9900", "-0x1" + zeros + "p-6000"})
    for (const runtime_format format : {"%f", "%lf"})
      EXPECT_TRUE(same_effects(effects_of_libc(text.c_str(), format),
                               effects_of_leat(text.c_str(), format)))
          << text << format;
}

}  // namespace
