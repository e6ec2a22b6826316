// The parts of a field around its digits: padding, sign, zeros, "inf" and "nan". print, printf and
// operator<< write their fields through these functions.
//
// An Output has write(std::string_view text) and fill(std::string_view unit, std::size_t count).
// printf's Output is in stdio/output.hpp: its write() accepts only ASCII.
#pragma once

#include <leat/format.hpp>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "format/number_text.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// An Output to memory that has enough room.
struct memory_output {
  char* at;
  void write(std::string_view text) noexcept {
    if (text.empty()) return;  // text.data() may be null
    std::memcpy(at, text.data(), text.size());
    at += text.size();
  }
  void fill(std::string_view unit, std::size_t count) noexcept {
    if (count == 0) return;  // the usual case
    if (unit.size() == 1) {
      std::memset(at, unit[0], count);
      at += count;
      return;
    }
    for (; count != 0; --count) write(unit);
  }
};

/// The base class of print's Outputs, except memory_output. write() is virtual, so that the code
/// for fields with a specification parsed at run time exists once.
class text_output {
 public:
  virtual void write(std::string_view text) = 0;
  void fill(std::string_view unit, std::size_t count) {
    for (; count != 0; --count) write(unit);
  }

 protected:
  ~text_output() = default;
};

/// A string that grows.
class string_output final : public text_output {
 public:
  std::string text;
  void write(std::string_view more) override { text.append(more); }
};

/// How a field is padded to its width.
struct padding {
  std::size_t width;
  alignment align;        ///< not `none`; `numeric`: zeros between a number's prefix and its digits
  std::string_view unit;  ///< one character
};

/// The count of the missing characters that come before the content.
inline std::size_t missing_before(alignment align, std::size_t missing) noexcept {
  return align == alignment::left ? 0 : align == alignment::center ? missing / 2 : missing;
}

/// Calls content(), which writes `size` characters, and writes the padding around them.
template <class Output, class Content>
void pad(Output& out, const padding& around, std::size_t size, const Content& content) {
  if (around.width <= size) return content();
  const std::size_t missing = around.width - size;
  const std::size_t before = missing_before(around.align, missing);
  out.fill(around.unit, before);
  content();
  out.fill(around.unit, missing - before);
}

/// Writes a number with its padding. "inf" and "nan" never get zeros before them.
template <class Output>
void write_number(Output& out, const padding& around, const number_text& text) {
  std::size_t size = text.size();
  std::size_t leading_zeros = text.leading_zeros;
  std::string_view unit = around.unit;
  if (!text.finite) {
    if (unit == "0") unit = " ";
  } else if (around.align == alignment::numeric && around.width > size) {
    leading_zeros += around.width - size;
    size = around.width;
  }
  pad(out, {around.width, around.align, unit}, size, [&] {
    out.write({text.prefix, text.prefix_size});
    out.fill("0", leading_zeros);
    out.write(text.digits);
    out.fill("0", text.trailing_zeros);
    out.write({text.suffix, text.suffix_size});
  });
}

/// Writes the digits of an integer: for the types 'o', 'x', 'X', 'b' and 'B' in the base of the
/// type, for all other types in base 10. Needs room for the digits and 9 more bytes, and for at
/// least 20 bytes.
template <class Unsigned>
[[gnu::always_inline]] inline char* write_digits(char* to, Unsigned magnitude, char type) noexcept {
  const char letter = static_cast<char>(type | 0x20);
  if (letter == 'x') return write_in_base<4>(to, magnitude, type == 'X');
  if (letter == 'o') return write_in_base<3>(to, magnitude);
  if (letter == 'b') return write_in_base<1>(to, magnitude);
  return write_value(to, magnitude);
}

/// Makes the text of any value for the types a, e, f, g and their capitals, with its sign. A
/// precision of -1 means that the format has no precision: then the precision is 6, or for 'a' the
/// text has as many digits as the value. The buffer has precise_size<Float> bytes.
template <class Float>
void set_float(number_text& text, char* buffer, Float value, char sign, char type, int precision,
               bool alternate) noexcept {
  text.add_sign(std::signbit(value), sign);
  text.finite = std::isfinite(value);
  if (!text.finite) {
    const bool upper = type < 'a';
    text.digits = std::isnan(value) ? (upper ? "NAN" : "nan") : (upper ? "INF" : "inf");
    return;
  }
  if (precision < 0 && (type | 0x20) != 'a') precision = 6;
  write_precise<Float>(text, buffer, std::fabs(value), type, precision, alternate);
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
