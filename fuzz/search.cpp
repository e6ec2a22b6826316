// Searches in memory: fields, bytes, needles and numbers, compared with plain code and the
// standard library.
#include <leat/fields.hpp>
#include <leat/finder.hpp>
#include <leat/parse.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "fuzz.hpp"

namespace {

using fuzz::input, fuzz::expect, fuzz::expect_equal, fuzz::expect_text;
using std::string_view;
using texts = std::vector<std::string>;

texts split(string_view text, char delimiter) {
  texts result(1);
  for (const char c : text)
    if (c == delimiter)
      result.emplace_back();
    else
      result.back() += c;
  return result;
}

void try_fields(input& in, string_view text) {
  const char delimiter = in.flag() ? ',' : in.flag() ? 'a' : in.integer<char>();
  const texts wanted = split(text, delimiter);
  texts found;
  if (in.flag()) {
    for (const auto field : leat::fields(std::string(text), delimiter)) found.emplace_back(field);
  } else {
    const leat::field_range range = leat::fields(text, delimiter);
    auto other = range.begin();
    for (auto i = range.begin(); i != range.end(); ++i) {
      expect(i == other++, "a copy of an iterator is not equal");
      expect_equal(i->size(), (*i).size(), "the size by operator->");
      found.emplace_back(*i);
    }
    expect(other == range.end(), "a copy of an iterator is not at the end");
  }
  expect(found == wanted, "other fields than the text has");
}

void try_count(input& in, string_view text) {
  const char byte = in.flag() ? '\n' : in.flag() ? 'a' : in.integer<char>();
  const string_view part = text.substr(in.below(text.size() + 1));
  expect_equal(leat::count(part, byte), static_cast<std::size_t>(std::ranges::count(part, byte)),
               "count()");
}

/// A finder adapts to the texts that it has searched, so one finder searches many texts.
void try_finder(input& in, string_view text) {
  const std::size_t at = in.below(text.size() + 1);
  std::string needle(text.substr(at, in.below(80)));
  if (in.flag()) needle += in.text(3);
  leat::finder prepared{string_view(needle)};
  for (int calls = 0; calls != 20 && in.has_more(); ++calls) {
    expect_text(prepared.needle(), needle, "needle()");
    const string_view part = text.substr(in.below(text.size() + 1));
    const std::size_t from = in.below(part.size() + 3);
    fuzz::step("find_in {} bytes from {}", part.size(), from);
    expect_equal(prepared.find_in(part, from), part.find(needle, from), "find_in()");
    if (in.rarely(4)) {
      leat::finder copy = prepared;
      expect_equal(copy.find_in(part), part.find(needle), "find_in() of a copy");
      prepared = std::move(copy);
    } else if (in.rarely(8)) {
      const leat::finder moved = std::move(prepared);
      expect_text(prepared.needle(), "", "needle() of a finder that was moved from");
      expect_equal(prepared.find_in(part, from), part.find(string_view(), from),
                   "find_in() of a finder that was moved from");
      prepared = moved;
    }
  }
}

template <class T>
void expect_same_number(string_view text, int base) {
  std::size_t begin = 0;
  while (begin != text.size() && leat::detail::is_blank(text[begin])) ++begin;
  T wanted{};
  std::from_chars_result result{};
  leat::parse_result<T> ours;
  if constexpr (std::is_integral_v<T>) {
    result = std::from_chars(text.data() + begin, text.data() + text.size(), wanted, base);
    ours = base == 10 ? leat::parse<T>(text) : leat::parse<T>(text, base);
  } else {
    result = std::from_chars(text.data() + begin, text.data() + text.size(), wanted);
    ours = leat::parse<T>(text);
  }
  expect(ours.ec == result.ec, "parse() has another error");
  expect(static_cast<bool>(ours) == (result.ec == std::errc{}),
         "parse() fails or succeeds unlike std::from_chars");
  expect(ours.value == (ours ? wanted : T{}) || wanted != wanted, "parse() returns another value");
  const auto consumed = static_cast<std::size_t>(result.ptr - text.data());
  if (result.ec != std::errc::result_out_of_range)
    expect_text(ours.rest, text.substr(ours ? consumed : 0), "the rest of parse()");
}

void try_number(input& in, string_view text) {
  std::string digits;
  for (std::size_t n = in.below(24); n != 0; --n) digits += "0123456789abz.-e"[in.below(16)];
  const std::string number = std::string(in.below(3), ' ') + (in.flag() ? "-" : "") + digits;
  const std::string chosen =
      in.flag() ? number : std::string(text.substr(in.below(text.size() + 1)));
  const int base = in.flag() ? 10 : 2 + static_cast<int>(in.below(35));
  switch (in.below(6)) {
    case 0:
      return expect_same_number<int>(chosen, base);
    case 1:
      return expect_same_number<std::uint64_t>(chosen, base);
    case 2:
      return expect_same_number<std::int64_t>(chosen, base);
    case 3:
      return expect_same_number<signed char>(chosen, base);
    case 4:
      return expect_same_number<unsigned short>(chosen, base);
    default:
      expect_same_number<double>(chosen, base);
  }
}

void drive(fuzz::input& in) {
  constexpr void (*trials[])(input&, string_view) = {try_fields, try_count, try_finder, try_number};
  const auto trial = in.one_of(trials);
  // Long texts repeat a text, with a number after each copy.
  const std::size_t copies = in.rarely(16) ? 1 + in.below(100) : 1;
  const std::string piece = in.flag() ? in.text(4096) : in.bytes(in.boundary_size(5'000));
  std::string text;
  for (std::size_t i = 0; i != copies; ++i) {
    text += piece;
    if (copies > 1) text += fmt::format("{}\n", i);
  }
  trial(in, text);
}

const fuzz::driver self("search", drive);

}  // namespace
