// Wide characters in the encoding of the locale: streams, wide printf, and %ls and %lc in printf.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <leat/leat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <clocale>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/c_files.hpp"
#include "support/files.hpp"
#include "support/libraries.hpp"

namespace {

using namespace leat_test;

/// Runs a test in UTF-8. Restores the C locale.
class wide : public testing::Test {
 protected:
  void SetUp() override {
    if (std::setlocale(LC_ALL, "C.UTF-8") == nullptr) GTEST_SKIP() << "no C.UTF-8";
  }
  void TearDown() override { std::setlocale(LC_ALL, "C"); }

  std::string path() const { return folder_ / "file"; }
  file_ptr open_file(const char* mode, std::optional<std::size_t> buffer = {}) const {
    file_ptr f(leat_fopen(path().c_str(), mode));
    EXPECT_NE(f, nullptr) << std::strerror(errno);
    if (buffer) leat_setvbuf(f.get(), nullptr, _IOFBF, *buffer);
    return f;
  }
  file_ptr reading(std::string_view text, std::optional<std::size_t> buffer = {}) const {
    write_file(path(), text);
    return open_file("r", buffer);
  }

 private:
  temporary_folder folder_;
};

constexpr std::string_view narrow_text = "a\u00e9\u20ac\U0001f600\nzw\u00f6lf\n\n\u65e5\u672c";
constexpr std::wstring_view wide_text = L"a\u00e9\u20ac\U0001f600\nzw\u00f6lf\n\n\u65e5\u672c";

std::wstring rest_of(leat_file* f) {
  std::wstring text;
  for (wint_t c; (c = leat_fgetwc(f)) != WEOF;) text += static_cast<wchar_t>(c);
  return text;
}

TEST_F(wide, the_first_use_sets_the_orientation) {
  file_ptr f = reading("text");
  EXPECT_EQ(leat_fwide(f.get(), 0), 0);
  EXPECT_EQ(leat_fgetwc(f.get()), static_cast<wint_t>('t'));
  EXPECT_GT(leat_fwide(f.get(), 0), 0);
  EXPECT_GT(leat_fwide(f.get(), -1), 0) << "a stream keeps its orientation";
  f = open_file("r");
  EXPECT_EQ(leat_fgetc(f.get()), 't');
  EXPECT_LT(leat_fwide(f.get(), 1), 0);
  f = open_file("r");
  EXPECT_LT(leat_fwide(f.get(), -5), 0);
  EXPECT_LT(leat_fwide(f.get(), 5), 0);
  f = open_file("a");
  EXPECT_GT(leat_fwide(f.get(), 5), 0);
  ASSERT_NE(leat_freopen(path().c_str(), "r", f.get()), nullptr);
  EXPECT_EQ(leat_fwide(f.get(), 0), 0);
}

TEST_F(wide, output_sets_the_orientation) {
  const auto orientation = [&](auto write) {
    const file_ptr f = open_file("w");
    write(f.get());
    return leat_fwide(f.get(), 0);
  };
  EXPECT_GT(orientation([](leat_file* f) { leat_fputwc(L'x', f); }), 0);
  EXPECT_GT(orientation([](leat_file* f) { leat_fputws(L"x", f); }), 0);
  EXPECT_GT(orientation([](leat_file* f) { leat_fwprintf(f, L"x"); }), 0);
  EXPECT_LT(orientation([](leat_file* f) { leat_fputc('x', f); }), 0);
  EXPECT_LT(orientation([](leat_file* f) { leat_fputs("x", f); }), 0);
  EXPECT_LT(orientation([](leat_file* f) { leat_fprintf(f, "%s", "x"); }), 0);
}

TEST_F(wide, characters_across_two_buffers_are_read) {
  for (std::size_t buffer = 0; buffer != 10; ++buffer) {
    const file_ptr f = reading(narrow_text, buffer);
    EXPECT_EQ(rest_of(f.get()), wide_text) << buffer;
    EXPECT_NE(leat_feof(f.get()), 0);
    EXPECT_EQ(leat_ferror(f.get()), 0);
    EXPECT_EQ(leat_ftell(f.get()), static_cast<long>(narrow_text.size()));
  }
}

TEST_F(wide, a_nul_is_read_and_written_as_a_character) {
  {
    const file_ptr f = open_file("w");
    EXPECT_EQ(leat_fputwc(L'a', f.get()), static_cast<wint_t>(L'a'));
    EXPECT_EQ(leat_fputwc(L'\0', f.get()), 0u);
    EXPECT_EQ(leat_fwprintf(f.get(), L"%lcb", wint_t{0}), 2);
  }
  EXPECT_EQ(read_all(path()), std::string("a\0\0b", 4));
  const file_ptr f = open_file("r");
  EXPECT_EQ(rest_of(f.get()), std::wstring(L"a\0\0b", 4));
}

TEST_F(wide, positions_are_counted_in_bytes) {
  for (std::size_t buffer = 0; buffer != 8; ++buffer) {
    const file_ptr f = reading(narrow_text, buffer);
    std::vector<long> positions{0};
    std::vector<leat_fpos> kept;
    for (;;) {
      leat_fpos at{};
      ASSERT_EQ(leat_fgetpos(f.get(), &at), 0);
      kept.push_back(at);
      const wint_t c = leat_fgetwc(f.get());
      if (c == WEOF) break;
      char bytes[MB_LEN_MAX];
      positions.push_back(positions.back() + std::wctomb(bytes, static_cast<wchar_t>(c)));
      ASSERT_EQ(leat_ftell(f.get()), positions.back()) << buffer;
    }
    ASSERT_EQ(positions.size(), wide_text.size() + 1);
    for (std::size_t i = wide_text.size(); i-- != 0;) {
      ASSERT_EQ(leat_fseek(f.get(), positions[i], SEEK_SET), 0);
      ASSERT_EQ(leat_fgetwc(f.get()), static_cast<wint_t>(wide_text[i]));
      ASSERT_EQ(leat_fsetpos(f.get(), &kept[i]), 0);
      ASSERT_EQ(leat_fgetwc(f.get()), static_cast<wint_t>(wide_text[i]));
    }
  }
}

TEST_F(wide, characters_are_pushed_back) {
  for (std::size_t buffer = 0; buffer != 5; ++buffer) {
    const file_ptr f = reading("\u20acuro", buffer);
    EXPECT_EQ(leat_fgetwc(f.get()), L'\u20ac');
    EXPECT_EQ(leat_ungetwc(L'\u20ac', f.get()), L'\u20ac');
    EXPECT_EQ(leat_ftell(f.get()), 0);
    EXPECT_EQ(leat_ungetwc(WEOF, f.get()), WEOF);
    EXPECT_EQ(rest_of(f.get()), L"\u20acuro");
    EXPECT_NE(leat_feof(f.get()), 0);
    EXPECT_EQ(leat_ungetwc(L'\U0001f600', f.get()), static_cast<wint_t>(L'\U0001f600'));
    EXPECT_EQ(leat_feof(f.get()), 0);
    EXPECT_EQ(leat_ungetwc(L'x', f.get()), static_cast<wint_t>('x'));
    EXPECT_EQ(rest_of(f.get()), L"x\U0001f600");
  }
}

TEST_F(wide, a_character_is_pushed_back_whole_or_not_at_all) {
  const file_ptr f = reading("end");
  std::wstring pushed;
  while (leat_ungetwc(L'\u20ac', f.get()) != WEOF) pushed += L'\u20ac';
  EXPECT_EQ(pushed.size(), 64u / 3);
  EXPECT_EQ(rest_of(f.get()), pushed + L"end");
  errno = 0;
  EXPECT_EQ(leat_ungetwc(0xd800, f.get()), WEOF) << "a surrogate is no character";
  EXPECT_EQ(errno, EILSEQ);
}

TEST_F(wide, lines_are_read) {
  for (std::size_t buffer = 0; buffer != 10; ++buffer) {
    const file_ptr f = reading(narrow_text, buffer);
    wchar_t line[5];
    std::vector<std::wstring> lines;
    while (leat_fgetws(line, 5, f.get()) != nullptr) lines.emplace_back(line);
    EXPECT_EQ(lines, (std::vector<std::wstring>{L"a\u00e9\u20ac\U0001f600", L"\n", L"zw\u00f6l",
                                                L"f\n", L"\n", L"\u65e5\u672c"}));
    EXPECT_NE(leat_feof(f.get()), 0);
  }
}

TEST_F(wide, fgetws_without_room_reads_no_characters) {
  const file_ptr f = reading("text");
  wchar_t line[2] = L"#";
  EXPECT_EQ(leat_fgetws(line, 1, f.get()), line);
  EXPECT_STREQ(line, L"");
  errno = 0;
  EXPECT_EQ(leat_fgetws(line, 0, f.get()), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(rest_of(f.get()), L"text");
}

TEST_F(wide, bytes_that_are_no_character_are_errors) {
  for (const std::string_view bytes : {"\xff", "\xc3(", "\xe2\x82(", "\xed\xa0\x80", "\x80"})
    for (std::size_t buffer = 0; buffer != 6; ++buffer) {
      const file_ptr f = reading("ok" + std::string(bytes) + "more", buffer);
      EXPECT_EQ(leat_fgetwc(f.get()), static_cast<wint_t>('o'));
      EXPECT_EQ(leat_fgetwc(f.get()), static_cast<wint_t>('k'));
      errno = 0;
      EXPECT_EQ(leat_fgetwc(f.get()), WEOF);
      EXPECT_EQ(errno, EILSEQ);
      EXPECT_NE(leat_ferror(f.get()), 0);
      EXPECT_EQ(leat_feof(f.get()), 0);
      // After the error, a seek past the invalid bytes works.
      leat_clearerr(f.get());
      EXPECT_EQ(leat_fseek(f.get(), static_cast<long>(2 + bytes.size()), SEEK_SET), 0);
      EXPECT_EQ(rest_of(f.get()), L"more");
      EXPECT_EQ(leat_ferror(f.get()), 0);
    }
}

TEST_F(wide, a_character_that_the_end_cuts_off_is_an_error) {
  for (std::size_t buffer = 0; buffer != 4; ++buffer) {
    const file_ptr f = reading("x\xe2\x82", buffer);
    EXPECT_EQ(leat_fgetwc(f.get()), static_cast<wint_t>('x'));
    errno = 0;
    EXPECT_EQ(leat_fgetwc(f.get()), WEOF);
    EXPECT_EQ(errno, EILSEQ);
    EXPECT_NE(leat_ferror(f.get()), 0);
    // The error is reported again, although the error indicator is already set.
    leat_fseek(f.get(), 1, SEEK_SET);
    errno = 0;
    EXPECT_EQ(leat_fgetwc(f.get()), WEOF);
    EXPECT_EQ(errno, EILSEQ);
  }
}

TEST_F(wide, lines_with_bytes_that_are_no_character_are_errors) {
  const file_ptr f = reading("ok\xff\n");
  wchar_t line[10];
  errno = 0;
  EXPECT_EQ(leat_fgetws(line, 10, f.get()), nullptr);
  EXPECT_EQ(errno, EILSEQ);
  EXPECT_NE(leat_ferror(f.get()), 0);
}

TEST_F(wide, characters_are_written) {
  for (std::size_t buffer = 0; buffer != 10; ++buffer) {
    file_ptr f = open_file("w", buffer);
    for (const wchar_t c : wide_text) EXPECT_EQ(leat_fputwc(c, f.get()), static_cast<wint_t>(c));
    EXPECT_GE(leat_fputws(wide_text.data(), f.get()), 0);
    EXPECT_EQ(leat_ftell(f.get()), static_cast<long>(2 * narrow_text.size()));
    f.reset();
    EXPECT_EQ(read_all(path()), std::string(narrow_text).append(narrow_text));
  }
}

TEST_F(wide, invalid_characters_are_not_written) {
  file_ptr f = open_file("w");
  errno = 0;
  EXPECT_EQ(leat_fputwc(static_cast<wchar_t>(0xd800), f.get()), WEOF);
  EXPECT_EQ(errno, EILSEQ);
  EXPECT_NE(leat_ferror(f.get()), 0);
  leat_clearerr(f.get());
  EXPECT_LT(leat_fputws(L"a\xd800"
                        L"b",
                        f.get()),
            0);
  EXPECT_LT(leat_fwprintf(f.get(), L"c%lcd", wint_t{0xd800}), 0);
  f.reset();
  EXPECT_EQ(read_all(path()).substr(0, 1), "a");
}

TEST_F(wide, the_c_locale_refuses_characters_outside_ascii) {
  std::setlocale(LC_ALL, "C");
  file_ptr f = open_file("w");
  EXPECT_GE(leat_fputws(L"plain", f.get()), 0);
  for (const wchar_t c : {L'\u00e9', L'\u20ac'}) {
    errno = 0;
    EXPECT_EQ(leat_fputwc(c, f.get()), WEOF);
    EXPECT_EQ(errno, EILSEQ);
    EXPECT_NE(leat_ferror(f.get()), 0);
    leat_clearerr(f.get());
  }
  errno = 0;
  EXPECT_LT(leat_fputws(L"\u20ac", f.get()), 0);
  EXPECT_EQ(errno, EILSEQ);
  errno = 0;
  EXPECT_LT(leat_fwprintf(f.get(), L"%ls", L"\u20ac"), 0);
  EXPECT_EQ(errno, EILSEQ);
  f.reset();
  EXPECT_EQ(read_all(path()), "plain");
}

TEST_F(wide, reading_a_write_only_stream_and_writing_a_read_only_stream_fail) {
  file_ptr f = open_file("w");
  errno = 0;
  EXPECT_EQ(leat_fgetwc(f.get()), WEOF);
  EXPECT_EQ(errno, EBADF);
  f = open_file("r");
  errno = 0;
  EXPECT_EQ(leat_fputwc(L'x', f.get()), WEOF);
  EXPECT_EQ(errno, EBADF);
  EXPECT_NE(leat_ferror(f.get()), 0);
}

TEST_F(wide, characters_are_written_to_growing_memory) {
  wchar_t* memory = nullptr;
  std::size_t size = 77;
  file_ptr f(leat_open_wmemstream(&memory, &size));
  ASSERT_NE(f, nullptr);
  EXPECT_GT(leat_fwide(f.get(), 0), 0);
  EXPECT_EQ(leat_fflush(f.get()), 0);
  EXPECT_EQ(size, 0u);
  EXPECT_STREQ(memory, L"");
  leat_fputws(L"\u20ac 1", f.get());
  EXPECT_EQ(leat_ftell(f.get()), 3);
  EXPECT_EQ(leat_fflush(f.get()), 0);
  EXPECT_EQ(size, 3u);
  EXPECT_STREQ(memory, L"\u20ac 1");
  std::wstring expected = L"\u20ac 1";
  for (int i = 0; i != 1000; ++i) {
    leat_fwprintf(f.get(), L"%d\u00e9", i);
    expected += std::to_wstring(i) + L'\u00e9';
  }
  EXPECT_EQ(leat_fflush(f.get()), 0);
  EXPECT_EQ(std::wstring(memory, size), expected);
  // Positions count characters. Gaps are filled with NUL.
  EXPECT_EQ(leat_fseek(f.get(), 1, SEEK_SET), 0);
  EXPECT_EQ(leat_fputwc(L'!', f.get()), static_cast<wint_t>('!'));
  EXPECT_EQ(leat_fflush(f.get()), 0);
  EXPECT_EQ(size, 2u);
  expected[1] = L'!';
  EXPECT_EQ(leat_fseek(f.get(), 2, SEEK_END), 0);
  leat_fputwc(L'e', f.get());
  expected += std::wstring(L"\0\0e", 3);
  f.reset();
  EXPECT_EQ(std::wstring(memory, size), expected);
  EXPECT_EQ(memory[size], L'\0');
  std::free(memory);
}

// --- printf --------------------------------------------------------------------------------------

TEST_F(wide, texts_that_do_not_fit_are_cut) {
  wchar_t to[5] = L"####";
  EXPECT_EQ(leat_swprintf(to, 5, L"%d", 1234), 4);
  EXPECT_STREQ(to, L"1234");
  EXPECT_LT(leat_swprintf(to, 4, L"%d", 5678), 0);
  EXPECT_STREQ(to, L"567") << "the text is cut to the size of the memory";
  to[0] = L'#';
  EXPECT_LT(leat_swprintf(to, 0, L""), 0);
  EXPECT_EQ(to[0], L'#');
  EXPECT_EQ(leat_swprintf(to, 1, L""), 0);
  EXPECT_EQ(to[0], L'\0');
}

/// One library's result of a conversion: the count and the text.
struct formatted {
  int count;
  std::wstring text;
  bool operator==(const formatted&) const = default;
};

template <class... Arguments>
formatted by_libc(const std::wstring& format, Arguments... arguments) {
  std::vector<wchar_t> to(5000);
  const int count = std::swprintf(to.data(), to.size(), format.c_str(), arguments...);
  return {count, count < 0 ? L"" : std::wstring(to.data(), static_cast<std::size_t>(count))};
}
template <class... Arguments>
formatted by_leat(const std::wstring& format, Arguments... arguments) {
  std::vector<wchar_t> to(5000);
  const int count = leat_swprintf(to.data(), to.size(), format.c_str(), arguments...);
  return {count, count < 0 ? L"" : std::wstring(to.data(), static_cast<std::size_t>(count))};
}

TEST_F(wide, formats_match_libc) {
  std::mt19937 random(5);
  const auto one_of = [&](auto... values) {
    const std::common_type_t<decltype(values)...> all[] = {values...};
    return all[random() % sizeof...(values)];
  };
  const std::string narrow[] = {"", "plain", std::string(narrow_text), "\u65e5\u672c\u8a9e"};
  const std::wstring wides[] = {L"", L"plain", std::wstring(wide_text),
                                std::wstring(600, L'\u20ac')};
  for (int i = 0; i != 20000; ++i) {
    std::wstring flags = L"\u00e9%", digits;
    for (const wchar_t flag : {L'-', L'0', L'+', L' ', L'#'})
      if (random() % 4 == 0) flags += flag;
    if (random() % 2 == 0) digits += std::to_wstring(1 + random() % 30);
    if (random() % 2 == 0) digits += L'.' + std::to_wstring(random() % 20);
    const bool left = flags.find(L'-') != flags.npos;
    const std::wstring minus = left ? L"%-" : L"%";  // the other flags have no meaning for text
    const std::wstring width = digits.substr(0, digits.find(L'.'));
    const auto expect_same = [&](const std::wstring& format, auto... values) {
      const formatted ours = by_leat(format, values...), theirs = by_libc(format, values...);
      EXPECT_EQ(ours.count, theirs.count) << testing::PrintToString(format);
      EXPECT_EQ(ours.text, theirs.text) << testing::PrintToString(format);
    };
    switch (random() % 7) {
      case 0:
        expect_same(flags + digits + one_of(L'd', L'i') + L"|", static_cast<int>(random()));
        break;
      case 1:
        expect_same(flags + digits + L'l' + one_of(L'x', L'X', L'o', L'u') + L"\u20ac",
                    static_cast<unsigned long>(random()) * random());
        break;
      case 2:
        expect_same(minus + digits + L"ls|", wides[random() % 4].c_str());
        break;
      case 3:
        expect_same(minus + digits + L"s|", narrow[random() % 4].c_str());
        break;
      case 4:
        expect_same(minus + width + L"lc|",
                    static_cast<wint_t>(one_of(L'a', L'\u20ac', L'\u00e9')));
        break;
      case 5:
        expect_same(minus + width + L"c|", static_cast<int>(one_of('a', '~', '\n')));
        break;
      default:
        expect_same(flags + digits + one_of(L'f', L'e', L'g', L'E', L'G') + L"|",
                    one_of(0.0, -1.5, 1e10, 3.14159, 1e-7) * static_cast<int>(random() % 100));
    }
    if (HasFailure()) return;
  }
}

TEST_F(wide, numbered_arguments_and_stars_are_formatted) {
  const formatted ours = by_leat(L"%2$ls %1$d %3$s%%", 7, L"\u00e9", "\u20ac");
  EXPECT_EQ(ours, (formatted{6, L"\u00e9 7 \u20ac%"}));
  EXPECT_EQ(by_leat(L"%*.*f|", 8, 2, 3.14159), (formatted{9, L"    3.14|"}));
}

TEST_F(wide, formatted_bytes_that_are_no_characters_are_errors) {
  errno = 0;
  wchar_t to[20];
  EXPECT_LT(leat_swprintf(to, 20, L"%s", "\xff"), 0);
  EXPECT_EQ(errno, EILSEQ);
}

int print(leat_file* f, const wchar_t* format, ...) {
  va_list list;
  va_start(list, format);
  const int count = leat_vfwprintf(f, format, list);
  va_end(list);
  return count;
}

TEST_F(wide, formats_are_printed_to_a_file) {
  for (std::size_t buffer = 0; buffer != 10; ++buffer) {
    file_ptr f = open_file("w", buffer);
    EXPECT_EQ(leat_fwprintf(f.get(), L"%ls|%s|%5lc|%d\n", L"\u65e5\u672c", "\u00e9", L'\u20ac', 42),
              14);
    EXPECT_EQ(print(f.get(), L"%s", std::string(2000, 'x').c_str()), 2000);
    f.reset();
    EXPECT_EQ(read_all(path()), "\u65e5\u672c|\u00e9|    \u20ac|42\n" + std::string(2000, 'x'));
  }
}

// --- wide text in formats of bytes ---------------------------------------------------------------

TEST_F(wide, texts_in_a_format_of_bytes_match_libc) {
  const auto expect_same = [](const char* format, auto... args) {
    char ours[100], theirs[100];
    errno = 0;
    const int our_count = leat_snprintf(ours, sizeof ours, format, args...);
    const int our_error = errno;
    errno = 0;
    const int their_count = std::snprintf(theirs, sizeof theirs, format, args...);
    EXPECT_EQ(our_count, their_count) << format;
    EXPECT_EQ(our_error, errno) << format;
    if (our_count >= 0) {
      EXPECT_STREQ(ours, theirs) << format;
    }
  };
  for (const wchar_t* const text : {L"", L"plain", L"\u00e9\u20ac\u65e5x"})
    for (const char* const format : {"%ls|", "%9ls|", "%-9ls|", "%.0ls|", "%.1ls|", "%.3ls|",
                                     "%.6ls|", "%12.5ls|", "%-12.5ls|", "%S|", "%7S|"})
      expect_same(format, text);
  for (const wint_t character : std::initializer_list<wint_t>{0x78, 0xe9, 0x20ac})
    for (const char* const format : {"%lc|", "%5lc|", "%-5lc|", "%C|", "%4C|"})
      expect_same(format, character);
  expect_same("%ls", L"ab\xd800");
  expect_same("%.2ls", L"ab\xd800");
  expect_same("%lc", static_cast<wint_t>(0xd800));
  if (uses_glibc)
    expect_same("%ls|", static_cast<const wchar_t*>(nullptr));  // musl dereferences null
}

TEST_F(wide, unlocked_functions_have_the_results_of_functions_that_lock) {
  file_ptr f = open_file("w+");
  EXPECT_EQ(leat_fputwc_unlocked(L'\u20ac', f.get()), static_cast<wint_t>(L'\u20ac'));
  EXPECT_GE(leat_fputws_unlocked(L"one\n", f.get()), 0);
  leat_rewind(f.get());
  EXPECT_EQ(leat_fgetwc_unlocked(f.get()), static_cast<wint_t>(L'\u20ac'));
  wchar_t line[10];
  EXPECT_EQ(leat_fgetws_unlocked(line, 10, f.get()), line);
  EXPECT_STREQ(line, L"one\n");
  EXPECT_EQ(leat_fgetws_unlocked(line, 10, f.get()), nullptr);
}

}  // namespace
