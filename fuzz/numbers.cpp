// Numbers to text and back: the shortest text has the same digits as the text of std::to_chars.
// leat::parse and C's functions parse any text in the same way as std::from_chars.
#include <leat/leat.h>
#include <leat/file_stream.hpp>
#include <leat/format.hpp>
#include <leat/memory.hpp>
#include <leat/parse.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>

#include "device.hpp"
#include "fuzz.hpp"

namespace {

using fuzz::input;

/// Returns the significant digits: "15" for both "-1.50e+10" and "15000000000".
std::string digits_of(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, text.find('e')))
    if (c >= '0' && c <= '9') result += c;
  result.erase(0, std::min(result.find_first_not_of('0'), result.size()));
  result.resize(result.find_last_not_of('0') + 1);
  return result;
}

template <class T>
std::string by_to_chars(T value, auto... format_options) {
  std::array<char, 200> text;
  const auto result =
      std::to_chars(text.data(), text.data() + text.size(), value, format_options...);
  return {text.data(), result.ptr};
}

/// Returns whether the values are equal, with equal signs if both are zero. NaN equals NaN.
template <class T>
bool are_same(T a, T b) {
  if constexpr (std::floating_point<T>)
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(static_cast<double>(a)) == std::signbit(static_cast<double>(b));
}

/// Formats the value, compares the text with std::to_chars, and parses the text again.
template <class T>
void round_trip(T value) {
  const std::string text = leat::format("{}", value);
  if constexpr (std::floating_point<T>) {
    if (std::isfinite(value)) {
      const std::string digits = digits_of(text);
      std::string wanted = digits_of(by_to_chars(value, std::chars_format::scientific));
      // If a long double has several shortest texts, libstdc++ does not always choose the text
      // that is nearest to the value.
      if (std::same_as<T, long double> && digits != wanted && digits.size() == wanted.size())
        wanted = digits_of(
            by_to_chars(value, std::chars_format::scientific, static_cast<int>(digits.size()) - 1));
      fuzz::expect_equal(digits, wanted, text);
    }
  } else {
    fuzz::expect_equal(text, by_to_chars(value), "the text in base 10");
    // The sign comes first, as in "-ff".
    fuzz::expect_equal(leat::format("{:x}", value), by_to_chars(value, 16), "the text in base 16");
    fuzz::expect_equal(leat::format("{:o}", value), by_to_chars(value, 8), "the text in base 8");
    fuzz::expect_equal(leat::format("{:b}", value), by_to_chars(value, 2), "the text in base 2");
  }
  const auto back = leat::parse<T>(text);
  fuzz::expect(back && back.rest.empty() && are_same(back.value, value),
               "parse() of the formatted text returns another value: " + text);
}

/// Returns the text after leading blanks, which std::from_chars does not skip.
std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n\v\f\r");
  return begin == text.npos ? std::string_view() : text.substr(begin);
}

/// Compares C's function with the result of leat::parse.
template <class T>
void expect_parsed_by_c(std::string_view text, const leat::parse_result<T>& wanted,
                        const auto& call, auto... base) {
  std::conditional_t<std::floating_point<T>, double,
                     std::conditional_t<std::signed_integral<T>, std::int64_t, std::uint64_t>>
      value = 7;
  leat_text rest{};
  const int result = call({text.data(), text.size()}, base..., &value, &rest);
  fuzz::expect_equal(result, wanted ? 0 : -1, "the result of C's function");
  if (!wanted) fuzz::expect_equal(errno, static_cast<int>(wanted.ec), "errno of C's function");
  fuzz::expect(wanted ? are_same(static_cast<T>(value), wanted.value) : value == 7,
               "C's function returns another value");
  fuzz::expect(rest.bytes == wanted.rest.data() && rest.size == wanted.rest.size(),
               "C's function returns another rest");
}

/// Compares the result of leat::parse with std::from_chars.
template <class T>
void expect_parsed(const leat::parse_result<T>& ours, std::string_view all, auto... base) {
  const std::string_view text = without_blanks(all);
  T value{};
  const auto wanted = std::from_chars(text.data(), text.data() + text.size(), value, base...);
  const std::string description = fmt::format("'{}' as {}", all, typeid(T).name());
  fuzz::expect_equal(static_cast<int>(ours.ec), static_cast<int>(wanted.ec), description);
  if (wanted.ec == std::errc{})
    fuzz::expect(are_same(ours.value, value), "the value of " + description);
  const bool none = wanted.ec == std::errc::invalid_argument;
  fuzz::expect(ours.rest.data() == (none ? all.data() : wanted.ptr), "the rest of " + description);
}

/// Parses the same number from a file that is read in pieces.
template <class T>
void expect_read(input& in, const leat::parse_result<T>& wanted, const std::string& text) {
  fuzz::disk disk = fuzz::disk::from_input(in, false);
  disk.content = text;
  leat::file_reader file(std::make_unique<fuzz::device>(disk), {.buffer_size = 1 + in.below(20)});
  std::error_code ec;
  const auto ours = file.parse<T>(ec);
  fuzz::expect_equal(ours.has_value(), static_cast<bool>(wanted),
                     "whether a file has a number: " + text);
  if (!ours) return;
  fuzz::expect(are_same(*ours, wanted.value), "the value from a file: " + text);
  fuzz::expect_equal(file.tell(), text.size() - wanted.rest.size(),
                     "the position after the number");
}

template <class T>
void parse(input& in, const std::string& text) {
  const auto ours = leat::parse<T>(text);
  expect_parsed(ours, text);
  expect_read(in, ours, text);
  if constexpr (std::integral<T>) {
    const int base = 2 + static_cast<int>(in.below(35));
    const auto in_base = leat::parse<T>(text, base);
    expect_parsed(in_base, text, base);
    if constexpr (std::same_as<T, long long>)
      expect_parsed_by_c(text, in_base, leat_parse_int64, base);
    else if constexpr (std::same_as<T, unsigned long long>)
      expect_parsed_by_c(text, in_base, leat_parse_uint64, base);
  } else if constexpr (std::same_as<T, double>) {
    expect_parsed_by_c(text, ours, leat_parse_double);
  }
}

/// Returns a random text, or a text of characters that occur in numbers.
std::string text_of(input& in) {
  static constexpr std::string_view all = "0123456789.eE+-infatyx ()\t_,0000099999";
  std::string result = in.text(400);
  if (in.flag())
    for (char& c : result) c = all[static_cast<unsigned char>(c) % all.size()];
  return result;
}

template <class T>
void try_type(input& in) {
  if constexpr (std::same_as<T, long double>)
    round_trip(in.long_real());
  else if constexpr (std::floating_point<T>)
    round_trip(std::bit_cast<T>(
        in.integer<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>()));
  else
    round_trip(in.integer<T>());
  parse<T>(in, text_of(in));
}

void drive(fuzz::input& in) {
  constexpr void (*types[])(input&) = {
      try_type<double>,      try_type<float>,          try_type<long double>,
      try_type<int>,         try_type<unsigned>,       try_type<long long>,
      try_type<short>,       try_type<unsigned short>, try_type<unsigned long long>,
      try_type<signed char>, try_type<unsigned char>};
  in.one_of(types)(in);
  std::int64_t kept = 7;
  for (const int base : {1, 37})
    fuzz::expect(leat_parse_int64({"1", 1}, base, &kept, nullptr) == -1 && errno == EINVAL,
                 "leat_parse_int64() accepts a wrong base");
}

const fuzz::driver self("numbers", drive);

}  // namespace
