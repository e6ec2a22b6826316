// Formats and texts of scanf: leat and libc store the same values. Formats and texts with the known
// differences, which docs/stdio.md lists, are left out.
#include <leat/leat.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <cwchar>
#include <string>
#include <string_view>
#include <tuple>

#include "fuzz.hpp"
#include "with_va_list.hpp"

// The formats are made at run time.
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

namespace {

using fuzz::input;

constexpr std::size_t most_targets = 5;

/// The visible effects of a call.
struct call_result {
  int result = 0;
  bool out_of_range = false;
  alignas(16) std::array<std::array<char, 96>, most_targets> stored;
};

template <class Call>
call_result result_of(const Call& call) {
  call_result effects;
  for (auto& target : effects.stored) target.fill('#');
  errno = 0;
  effects.result =
      std::apply([&](auto&... targets) { return call(targets.data()...); }, effects.stored);
  // glibc sets errno to other values on success.
  effects.out_of_range = errno == ERANGE;
  return effects;
}

void expect_same_result(const call_result& ours, const call_result& wanted,
                        const std::string& description) {
  fuzz::expect_equal(ours.result, wanted.result, "result of " + description);
  // glibc resets ERANGE if a later conversion reaches the end of the text.
  fuzz::expect(ours.out_of_range || !wanted.out_of_range, "no ERANGE of " + description);
  for (std::size_t i = 0; i != most_targets; ++i)
    fuzz::expect(ours.stored[i] == wanted.stored[i],
                 fmt::format("value {} of {} differs", i, description));
}

/// Returns a random format. Conversions to text have widths, because the variables have 96 bytes.
std::string format_of(input& in, bool with_widths) {
  static constexpr std::string_view conversions[] = {
      "d",  "i",  "u",  "x",     "o",    "X",     "ld",     "hhd",   "hu",   "lld",  "zu", "td",
      "jx", "qd", "f",  "lf",    "lg",   "La",    "e",      "s",     "c",    "p",    "n",  "hhn",
      "ln", "Id", "lE", "[a-f]", "[^,]", "[0-9]", "[^ \n]", "[]x-]", "[^]]", "[b-a]"};
  static constexpr std::string_view between[] = {"", "", "", " ", ",", "\n", "a", "-", "%%", " \t"};
  std::string format;
  for (std::size_t n = 1 + in.below(most_targets); n != 0; --n) {
    format += in.one_of(between);
    format += '%';
    std::string_view letter = in.one_of(conversions);
    const bool is_count = letter.ends_with('n');
    if (!is_count && in.below(6) == 0) format += '*';
    if (letter[0] == 'I') {  // a flag, which comes before the width
      format += 'I';
      letter.remove_prefix(1);
    }
    if (letter == "s" || letter[0] == '[')
      format += std::to_string(1 + in.below(90));
    else if (!is_count && with_widths && in.flag())
      format += std::to_string(1 + in.below(20));
    format += letter;
  }
  format += in.one_of(between);
  return format;
}

/// Returns a text without 'x', 'b' and 'e', because glibc, unlike leat, accepts incomplete numbers
/// such as "0x" and "1e".
std::string characters(input& in) {
  static constexpr std::string_view all = "0123456789+-. \t\n,acdfghz%(:]ADF'\v\x80\xff";
  std::string text = in.text(200);
  for (char& c : text) c = all[static_cast<unsigned char>(c) % all.size()];
  return text;
}

/// Returns complete numbers of all kinds, and words.
std::string fragments(input& in) {
  static constexpr std::string_view all[] = {
      "0x1f",      "1e5",      "-1.5e-3", "0x1.8p3", "0X0",
      "1e400",     "1e-310",   "1e-400",  "777",     "-12",
      "+0x2",      "abcdef",   "-0.0",    "3.25",    "1e22",
      "65536.5",   "hi",       "-0x1p-3", "0.1e+1",  "99999999999999999999",
      "inf",       "infinity", "-nan",    "(nil)",   "123456789012345678901234567890.5e-10",
      "0x1p-1022", "1e4932",   "4.9e-324"};
  static constexpr std::string_view delimiters[] = {" ", ",", "\n", ";", "  ", " \t "};
  std::string text;
  for (std::size_t n = in.below(8); n != 0; --n) {
    if (in.below(4) == 0)
      text += fmt::format("{}", std::bit_cast<double>(in.integer<std::uint64_t>()));
    else
      text += in.one_of(all);
    text += in.one_of(delimiters);
  }
  return text;
}

/// A cookie that delivers a text in pieces.
struct pieces {
  std::string_view text;
  std::string sizes;
  std::size_t next = 0;

  static ssize_t read(void* self, char* to, std::size_t size) {
    auto& from = *static_cast<pieces*>(self);
    if (from.next != from.sizes.size())
      size = std::min<std::size_t>(size, 1 + static_cast<unsigned char>(from.sizes[from.next++]));
    const std::size_t n = from.text.copy(to, size);
    from.text.remove_prefix(n);
    return static_cast<ssize_t>(n);
  }
};

/// Checks that a text in pieces and the same text in memory give the same values.
void scan_pieces(input& in, const std::string& text, const std::string& format) {
  const call_result wanted =
      result_of([&](auto... to) { return leat_sscanf(text.c_str(), format.c_str(), to...); });
  pieces from{text, in.text(20)};
  leat_file* const file =
      leat_fopencookie(&from, "r", {.read = pieces::read, .write = {}, .seek = {}, .close = {}});
  leat_setvbuf(file, nullptr, _IOFBF, 1 + in.below(16));
  const bool by_list = in.flag();
  expect_same_result(result_of([&](auto... to) {
                       return by_list
                                  ? fuzz::with_va_list(leat_vfscanf, file)(format.c_str(), to...)
                                  : leat_fscanf(file, format.c_str(), to...);
                     }),
                     wanted, fmt::format("'{}' as '{}', in pieces", text, format));
  leat_fclose(file);
}

/// Converts a text to wide characters. The text must be ASCII.
std::wstring widened(std::string_view text) { return {text.begin(), text.end()}; }

void drive(fuzz::input& in) {
  const bool has_characters = in.flag(), has_any_bytes = in.flag();
  const std::string format = format_of(in, has_characters || has_any_bytes);
  std::string text = has_any_bytes ? in.text(200) : has_characters ? characters(in) : fragments(in);
  text.resize(std::strlen(text.c_str()));
  scan_pieces(in, text, format);
  // A text of any bytes may have a known difference, so only leat's functions read this text.
  if (!has_any_bytes) {
    const auto result_by = [&](auto call) {
      return result_of([&](auto... to) { return call(text.c_str(), format.c_str(), to...); });
    };
    const call_result wanted = result_by(std::sscanf);
    const std::string description = fmt::format("'{}' as '{}'", text, format);
    expect_same_result(result_by(leat_sscanf), wanted, description);
    expect_same_result(result_of([&](auto... to) {
                         return fuzz::with_va_list(leat_vsscanf, text.c_str())(format.c_str(),
                                                                               to...);
                       }),
                       wanted, description);
    if (std::any_of(text.begin(), text.end(), [](char c) { return c < 0; })) return;
    // leat's wide functions store the same values, and are not compared with glibc's wide
    // functions, which put a second NUL after texts.
    const std::wstring wide = widened(text), wide_format = widened(format);
    const auto result_of_wide = [&](const auto& call) {
      return result_of([&](auto... to) { return call(wide_format.c_str(), to...); });
    };
    expect_same_result(
        result_of_wide([&](auto... all) { return leat_swscanf(wide.c_str(), all...); }), wanted,
        "wide " + description);
    expect_same_result(result_of_wide(fuzz::with_va_list(leat_vswscanf, wide.c_str())), wanted,
                       "wide " + description);
  }
}

const fuzz::driver self("scanf", drive);

}  // namespace
