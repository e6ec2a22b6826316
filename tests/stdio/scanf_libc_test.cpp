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

struct pair {
  const char* text;
  format how;
};

// C and glibc agree, except about the bytes that stay unread in a file.
constexpr pair agreed_for_strings[] = {
    {"infinix", "%lf"}, {"nx", "%lf"},  {"naan", "%lf"},  {"ix", "%lf"},
    {"inx", "%lf"},     {"(nix", "%p"}, {"nan(", "%3lf"}, {"-infinitx", "%Lf"},
};

// glibc does what C requires, except where a comment says otherwise. Some formats are extensions of
// glibc.
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

TEST(scanf, strings_as_libc) {
  if (!uses_glibc) GTEST_SKIP() << compares_with_glibc;
  for (const auto& [text, how] : agreed_for_strings)
    EXPECT_TRUE(same(of_libc(text, how), of_leat(text, how))) << "'" << text << "' as " << how;
  for (const auto& [text, how] : agreed)
    EXPECT_TRUE(same(of_libc(text, how), of_leat(text, how))) << "'" << text << "' as " << how;
}

TEST_F(scanf_files, files_as_libc) {
  if (!uses_glibc) GTEST_SKIP() << compares_with_glibc;
  for (const auto& [text, how] : agreed) {
    for (std::size_t buffer = 0; buffer != 8; ++buffer) compare(text, how, buffer);
    seen theirs = libc_file(how);
    theirs.position = -1;
    EXPECT_TRUE(same(theirs, leat_pipe(text, how))) << "'" << text << "' as " << how;
  }
}

TEST(scanf, wide_strings_as_libc) {
  if (!uses_glibc) GTEST_SKIP() << compares_with_glibc;
  for (const auto& [text, how] : agreed) {
    // glibc's wide functions refuse a reversed range.
    if (std::strstr(how, "z-a") != nullptr) continue;
    const std::wstring wide_text(text, text + std::strlen(text));
    const std::wstring wide_how(how, how + std::strlen(how));
    EXPECT_TRUE(same_wide(of_libc(wide_text.c_str(), wide_how.c_str()),
                          of_leat(wide_text.c_str(), wide_how.c_str())))
        << "'" << text << "' as " << how;
  }
}

TEST_F(scanf_files, wide_files_as_libc) {
  if (!uses_glibc) GTEST_SKIP() << compares_with_glibc;
  for (const auto& [text, how] : agreed) {
    if (std::strstr(how, "z-a") != nullptr) continue;
    const std::wstring wide_how(how, how + std::strlen(how));
    hold(text);
    const seen theirs = libc_file(wide_how.c_str());
    for (std::size_t buffer = 0; buffer != 8; ++buffer)
      EXPECT_TRUE(same_wide(theirs, leat_file_of(wide_how.c_str(), buffer)))
          << "'" << text << "' as " << how << ", buffer " << buffer;
  }
}

// The size of a number depends on both the digits and the exponent.
TEST(scanf, numbers_out_of_range) {
  const std::string zeros(2000, '0');
  for (const std::string& text :
       {"0." + zeros + "1e1500", "0." + zeros + "1e2400", "-1" + zeros + "e-1500",
        "1" + zeros + "e-2400", "-" + zeros + "1e-400", "0x0." + zeros + "1p7500",
        "0x0." + zeros + "1p9900", "0x1" + zeros + "p-9900", "-0x1" + zeros + "p-6000"})
    for (const format how : {"%f", "%lf"})
      EXPECT_TRUE(same(of_libc(text.c_str(), how), of_leat(text.c_str(), how))) << text << how;
}

}  // namespace
