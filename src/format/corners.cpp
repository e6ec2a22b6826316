// The corner cases of the grammar as in the standard, for builds without {fmt}: characters given by
// their number, escaped text ('?'), '#' without a type, and the width of text on a terminal.
// field.hpp calls exotic_text().
#include <leat/format.hpp>

#if !LEAT_FORMAT_FMT

#  include <algorithm>
#  include <cmath>
#  include <cstdint>
#  include <iterator>
#  include <limits>
#  include <string>
#  include <type_traits>

#  include "format/field.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

struct code_range {
  char32_t first, last;
};

bool is_in(char32_t code, const code_range* begin, const code_range* end) noexcept {
  const auto* const found =
      std::lower_bound(begin, end, code, [](code_range r, char32_t c) { return r.last < c; });
  return found != end && found->first <= code;
}

/// Characters that are two columns wide: the ranges of C++20, [format.string.std].
constexpr code_range two_columns[] = {
    {0x1100, 0x115F},   {0x2329, 0x232A},   {0x2E80, 0x303E},   {0x3040, 0xA4CF},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F}, {0x1F900, 0x1F9FF},
    {0x20000, 0x2FFFD}, {0x30000, 0x3FFFD},
};

/// Characters that '?' escapes: Unicode's separators, controls, format characters, surrogates,
/// private characters and noncharacters. Unassigned characters between these characters are
/// escaped, too. Other unassigned characters depend on Unicode's version and are not escaped.
constexpr code_range escaped[] = {
    {0x0, 0x1F},         {0x7F, 0xA0},       {0xAD, 0xAD},       {0x600, 0x605},
    {0x61C, 0x61C},      {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x890, 0x891},
    {0x8E2, 0x8E2},      {0x1680, 0x1680},   {0x180E, 0x180E},   {0x2000, 0x200F},
    {0x2028, 0x202F},    {0x205F, 0x206F},   {0x3000, 0x3000},   {0xD800, 0xF8FF},
    {0xFEFF, 0xFEFF},    {0xFFF0, 0xFFFB},   {0xFFFE, 0xFFFF},   {0x110BD, 0x110BD},
    {0x110CD, 0x110CD},  {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
    {0x1FFFE, 0x1FFFF},  {0x2FFFE, 0x2FFFF}, {0x3FFFE, 0x3FFFF}, {0xE0000, 0xE00FF},
    {0xE01F0, 0x10FFFF},
};

/// The first character of a text. An invalid byte is a character of its own, with the code `bad`.
struct character {
  static constexpr char32_t bad = 0xFFFF'FFFF;
  char32_t code = bad;
  std::size_t size = 1;

  explicit character(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) {
      code = lead;
      return;
    }
    const std::size_t count = lead < 0xC2   ? 0
                              : lead < 0xE0 ? 2
                              : lead < 0xF0 ? 3
                              : lead < 0xF5 ? 4
                                            : 0;
    if (count == 0 || text.size() < count) return;
    char32_t value = lead & (0x7FU >> count);
    for (std::size_t i = 1; i != count; ++i) {
      if ((byte(i) & 0xC0) != 0x80) return;
      value = value << 6 | (byte(i) & 0x3FU);
    }
    constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (value < least[count] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return;
    code = value;
    size = count;
  }

  std::size_t columns() const noexcept {
    return is_in(code, two_columns, std::end(two_columns)) ? 2 : 1;
  }
};

/// Applies a width and a precision in columns to a text.
std::string fitted(const field_spec& spec, std::string_view text) {
  std::size_t columns = 0;
  std::size_t end = 0;
  const std::size_t most =
      spec.precision < 0 ? text.size() * 2 : static_cast<std::size_t>(spec.precision);
  while (end != text.size()) {
    const character next(text.substr(end));
    if (columns + next.columns() > most) break;
    columns += next.columns();
    end += next.size;
  }
  string_output out;
  pad<text_output>(out, padding_of(spec, alignment::left), columns,
                   [&] { out.write(text.substr(0, end)); });
  return std::move(out.text);
}

void append_escape(std::string& to, char letter, unsigned number) {
  char digits[16];
  const char* const end = write_in_base<4>(digits, std::uint64_t{number});
  to.append({'\\', letter, '{'}).append(digits, static_cast<std::size_t>(end - digits)) += '}';
}

std::string quoted(std::string_view text, char quote) {
  std::string result(1, quote);
  while (!text.empty()) {
    const character next(text);
    const std::string_view bytes = text.substr(0, next.size);
    constexpr std::string_view named = "\t\n\r\\";
    constexpr std::string_view names = "tnr\\";
    if (next.code == character::bad) {
      append_escape(result, 'x', static_cast<unsigned char>(bytes[0]));
    } else if (const auto at = named.find(bytes); at != std::string_view::npos) {
      result.append({'\\', names[at]});
    } else if (next.code == static_cast<unsigned char>(quote)) {
      result.append({'\\', quote});
    } else if (next.code != ' ' && is_in(next.code, escaped, std::end(escaped))) {
      append_escape(result, 'u', next.code);
    } else {
      result += bytes;
    }
    text.remove_prefix(next.size);
  }
  return result += quote;
}

/// Returns the text of "{:c}" for a number. If the number is not a char, throws format_error.
template <class Int>
std::string character_text(const field_spec& spec, Int number) {
  using limits = std::numeric_limits<char>;
  if (number < static_cast<Int>(std::is_signed_v<char> && Int(-1) < 0 ? limits::min() : 0) ||
      number > static_cast<Int>(limits::max()))
    throw format_error("the number is not a character", format_error::no_position);
  const char byte = static_cast<char>(number);
  string_output out;
  pad<text_output>(out, padding_of(spec, alignment::left), 1, [&] { out.write({&byte, 1}); });
  return std::move(out.text);
}

/// Returns the text of "{:#}" for a floating-point number: the shortest text, always with a point.
template <class Float>
std::string pointed_text(const field_spec& spec, Float value) {
  char buffer[64];
  char* end = write_value(buffer, std::fabs(value));
  number_text text;
  text.add_sign(std::signbit(value), spec.sign);
  text.finite = std::isfinite(value);
  if (text.finite && std::find(buffer, end, '.') == end) {
    char* const at = std::find(buffer, end, 'e');
    std::copy_backward(at, end, end + 1);
    *at = '.';
    ++end;
  }
  text.digits = {buffer, static_cast<std::size_t>(end - buffer)};
  string_output out;
  write_number<text_output>(out, padding_of(spec, text.finite ? alignment::right : alignment::left),
                            text);
  return std::move(out.text);
}

}  // namespace

std::string exotic_text(const field_spec& spec, const any_value& value) {
  return visit_value(value, [&](const auto& v) {
    constexpr arg_kind kind = kind_of<std::remove_cvref_t<decltype(v)>>();
    if constexpr (kind == arg_kind::character)
      return fitted(spec, quoted({&v, 1}, '\''));
    else if constexpr (is_integer(kind))
      return character_text(spec, v);
    else if constexpr (is_float(kind))
      return pointed_text(spec, v);
    else if constexpr (kind == arg_kind::text)
      return spec.type == '?' ? fitted(spec, quoted(v, '"')) : fitted(spec, v);
    else
      return std::string();  // a value of this type has no corner cases
  });
}

bool chars_are_signed() { return false; }

}  // namespace detail
}  // namespace v0
}  // namespace leat

#endif
