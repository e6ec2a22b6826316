// A value with its specification: padding, alignment, sign, base, precision.
#pragma once

#include <fmt/format.h>
#include <leat/format.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "format/number_text.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// A time with a '%' in its specification, by {fmt}.
std::string format_calendar(time_stamp time, std::string_view spec);

// An Output has write(std::string_view) and fill(std::string_view unit, std::size_t count).

/// Memory with room enough.
struct memory_output {
  char* at;
  void write(std::string_view text) noexcept {
    std::memcpy(at, text.data(), text.size());
    at += text.size();
  }
  void fill(std::string_view unit, std::size_t count) noexcept {
    if (unit.size() == 1) {
      std::memset(at, unit[0], count);
      at += count;
      return;
    }
    for (; count != 0; --count) write(unit);
  }
};

/// A string that grows.
struct string_output {
  std::string text;
  void write(std::string_view more) { text.append(more); }
  void fill(std::string_view unit, std::size_t count) {
    for (; count != 0; --count) text.append(unit);
  }
};

/// Calls content(out) with the padding around it. `natural` is the alignment without one given.
template <class Output, class Content>
void pad(Output& out, const field_spec& spec, std::size_t width, alignment natural,
         const Content& content) {
  const auto wanted = static_cast<std::size_t>(spec.width);
  if (wanted <= width) return content(out);
  const std::size_t padding = wanted - width;
  const alignment align = spec.align == alignment::none ? natural : spec.align;
  const std::size_t before = align == alignment::left     ? 0
                             : align == alignment::center ? padding / 2
                                                          : padding;
  const std::string_view unit(spec.fill, std::min<std::size_t>(spec.fill_size, sizeof spec.fill));
  out.fill(unit, before);
  content(out);
  out.fill(unit, padding - before);
}

template <class Output>
void write_number(Output& out, const field_spec& spec, const number_text& text) {
  const auto width = static_cast<std::size_t>(spec.width);
  const std::size_t size = text.size();
  const auto write = [&](Output& o, std::size_t leading_zeros) {
    o.write({text.prefix, text.prefix_size});
    o.fill("0", leading_zeros);
    o.write(text.digits);
    o.fill("0", text.zeros);
    o.write({text.suffix, text.suffix_size});
  };
  if (spec.align == alignment::numeric && text.finite)
    return write(out, width > size ? width - size : 0);
  const auto without = [&](Output& o) { write(o, 0); };
  if (text.finite) return pad(out, spec, size, alignment::right, without);
  field_spec padding = spec;
  if (spec.fill_size == 1 && spec.fill[0] == '0') padding.fill[0] = ' ';
  pad(out, padding, size, alignment::left, without);
}

inline void add_sign(number_text& text, const field_spec& spec, bool negative) noexcept {
  if (negative)
    text.add_prefix('-');
  else if (spec.sign != '-')
    text.add_prefix(spec.sign);
}

/// Writes sign, base and digits. Needs room for the digits and 12 bytes more.
template <class Unsigned>
[[gnu::always_inline]] inline char* put_integer(char* to, const field_spec& spec,
                                                Unsigned magnitude, bool negative,
                                                std::size_t& prefix) noexcept {
  char* const begin = to;
  if (negative)
    *to++ = '-';
  else if (spec.sign != '-')
    *to++ = spec.sign;
  const bool octal = spec.type == 'o';
  const bool decimal = spec.type == '\0' || spec.type == 'd';
  if (spec.alternate && !decimal && (!octal || magnitude != 0)) {
    *to++ = '0';
    if (!octal) *to++ = spec.type;
  }
  prefix = static_cast<std::size_t>(to - begin);
  if (decimal) return write_value(to, magnitude);
  if (octal) return write_in_base<3>(to, magnitude);
  return (spec.type | 0x20) == 'x' ? write_in_base<4>(to, magnitude, spec.type == 'X')
                                   : write_in_base<1>(to, magnitude);
}

/// In memory the padding is made around the number where it stands.
template <class Unsigned>
void write_integer(memory_output& out, const field_spec& spec, Unsigned magnitude,
                   bool negative) noexcept {
  char* const begin = out.at;
  std::size_t prefix;
  out.at = put_integer(begin, spec, magnitude, negative, prefix);
  const auto size = static_cast<std::size_t>(out.at - begin);
  const auto width = static_cast<std::size_t>(spec.width);
  if (size >= width) return;
  const std::size_t padding = width - size;
  if (spec.align == alignment::numeric) {
    std::memmove(begin + prefix + padding, begin + prefix, size - prefix);
    std::memset(begin + prefix, '0', padding);
    out.at += padding;
    return;
  }
  // Fixed sizes again: how much padding there is depends on the number.
  constexpr std::size_t most_padding = 16;
  char number[8 * sizeof(Unsigned) + 16];
  if (spec.fill_size == 1 && padding <= most_padding && size <= 32) {
    const std::size_t before = spec.align == alignment::left     ? 0
                               : spec.align == alignment::center ? padding / 2
                                                                 : padding;
    std::memcpy(number, begin, 32);
    std::memset(begin, spec.fill[0], most_padding);
    std::memcpy(begin + before, number, 32);
    std::memset(begin + before + size, spec.fill[0], most_padding);
    out.at = begin + width;
    return;
  }
  std::memcpy(number, begin, size);
  out.at = begin;
  pad(out, spec, size, alignment::right, [&](memory_output& o) { o.write({number, size}); });
}

template <class Output>
void write_integer_text(Output& out, const field_spec& spec, std::string_view number,
                        std::size_t prefix) {
  number_text text;
  text.prefix_size = prefix;
  std::memcpy(text.prefix, number.data(), prefix);
  text.digits = number.substr(prefix);
  write_number(out, spec, text);
}

template <class Output, class Unsigned>
void write_integer(Output& out, const field_spec& spec, Unsigned magnitude, bool negative) {
  char number[8 * sizeof(Unsigned) + 16];
  std::size_t prefix;
  const char* const end = put_integer(number, spec, magnitude, negative, prefix);
  write_integer_text(out, spec, {number, static_cast<std::size_t>(end - number)}, prefix);
}

/// Without type and precision the shortest text, which a float and a double of one value may have
/// different ones of; else what printf writes of a double.
template <class Output, class Float>
void write_float(Output& out, const field_spec& spec, Float value) {
  using wide = std::conditional_t<std::is_same_v<Float, float>, double, Float>;
  char buffer[precise_size<wide>];
  number_text text;
  add_sign(text, spec, std::signbit(value));
  value = std::signbit(value) ? -value : value;
  text.finite = std::isfinite(value);
  if (!text.finite) {
    const bool upper = spec.type >= 'A' && spec.type <= 'Z';
    text.digits = std::isnan(value) ? (upper ? "NAN" : "nan") : (upper ? "INF" : "inf");
  } else if (spec.type == '\0' && spec.precision < 0) {
    text.digits = {buffer, static_cast<std::size_t>(write_value(buffer, value) - buffer)};
  } else {
    const char type = spec.type == '\0' ? 'g' : spec.type;
    const bool any = (type | 0x20) == 'a';
    write_precise<wide>(text, buffer, value, type, spec.precision < 0 && !any ? 6 : spec.precision,
                        spec.alternate);
  }
  write_number(out, spec, text);
}

/// Leaves the field to {fmt}.
template <class Output, class T>
void write_exotic(Output& out, const field_spec& spec, const T& value) {
  std::string format = "{:";
  const auto align = spec.align == alignment::left     ? "<"
                     : spec.align == alignment::right  ? ">"
                     : spec.align == alignment::center ? "^"
                                                       : "";
  if (*align != '\0') format.append(spec.fill, spec.fill_size).append(align);
  if (spec.sign != '-') format += spec.sign;
  if (spec.alternate) format += '#';
  if (spec.zero) format += '0';
  if (spec.width != 0) format += std::to_string(spec.width);
  if (spec.precision >= 0) format.append(".").append(std::to_string(spec.precision));
  if (spec.type != '\0') format += spec.type;
  format += '}';
  fmt::memory_buffer text;
  fmt::vformat_to(fmt::appender(text), format, fmt::make_format_args(value));
  out.write({text.data(), text.size()});
}

/// True if '{:d}' shows a char above 127 as a negative number. That depends on the version of
/// {fmt}.
inline bool chars_are_signed() {
  static const bool answer = fmt::format("{:d}", '\x80') == "-128";
  return answer;
}

inline bool is_ascii(std::string_view text) noexcept {
  unsigned char all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return all < 0x80;
}

template <class Output>
void write_text(Output& out, const field_spec& spec, std::string_view text) {
  if (!is_ascii(text)) {  // its width on a terminal is {fmt}'s to know
    write_exotic(out, spec, fmt::string_view(text.data(), text.size()));
    return;
  }
  if (spec.precision >= 0) text = text.substr(0, static_cast<std::size_t>(spec.precision));
  pad(out, spec, text.size(), alignment::left, [&](Output& o) { o.write(text); });
}

template <class Output>
void write_pointer(Output& out, const field_spec& spec, const void* pointer) {
  char buffer[24];
  const char* const end = write_value(buffer, pointer);
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  pad(out, spec, text.size(), alignment::right, [&](Output& o) { o.write(text); });
}

/// A value of one of the types that value_of() gives.
template <class Output, class T>
void write_field(Output& out, const field_spec& spec, T value) {
  constexpr arg_kind kind = kind_of<T>();
  if constexpr (std::is_same_v<T, const std::error_code*>) {
    out.write(value->category().name());
    char buffer[24] = {':'};
    const char* const end = write_value(buffer + 1, std::int32_t{value->value()});
    out.write({buffer, static_cast<std::size_t>(end - buffer)});
  } else if constexpr (kind == arg_kind::time) {
    char buffer[64];
    const char* const end = write_value(buffer, value);
    const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
    pad(out, spec, text.size(), alignment::left, [&](Output& o) { o.write(text); });
  } else if (spec.exotic) {
    if constexpr (kind == arg_kind::text)
      write_exotic(out, spec, fmt::string_view(value.data(), value.size()));
    else
      write_exotic(out, spec, value);
  } else if constexpr (is_integer(kind)) {
    using magnitude = std::conditional_t<(sizeof(T) > 8), unsigned __int128, std::uint64_t>;
    const bool negative = value < 0;
    const auto bits = static_cast<magnitude>(value);
    write_integer(out, spec, negative ? 0 - bits : bits, negative);
  } else if constexpr (is_float(kind)) {
    write_float(out, spec, value);
  } else if constexpr (kind == arg_kind::boolean) {
    if (spec.type == '\0' || spec.type == 's')
      write_text(out, spec, value ? "true" : "false");
    else
      write_integer(out, spec, std::uint64_t{value}, false);
  } else if constexpr (kind == arg_kind::character) {
    if (spec.type == '\0' || spec.type == 'c')
      pad(out, spec, 1, alignment::left, [&](Output& o) { o.write({&value, 1}); });
    else
      write_field(out, spec,
                  chars_are_signed() ? std::int64_t{static_cast<signed char>(value)}
                                     : std::int64_t{static_cast<unsigned char>(value)});
  } else if constexpr (kind == arg_kind::text) {
    if (spec.plain)
      out.write(value);
    else
      write_text(out, spec, value);
  } else {
    write_pointer(out, spec, value);
  }
}

template <class Output>
void write_field(Output& out, const field_spec& spec, const any_value& value) {
  switch (value.kind) {
    case arg_kind::boolean:
      return write_field(out, spec, value.boolean);
    case arg_kind::character:
      return write_field(out, spec, value.character);
    case arg_kind::signed_64:
      return write_field(out, spec, value.signed_64);
    case arg_kind::unsigned_64:
      return write_field(out, spec, value.unsigned_64);
    case arg_kind::signed_128:
      return write_field(out, spec, value.signed_128);
    case arg_kind::unsigned_128:
      return write_field(out, spec, value.unsigned_128);
    case arg_kind::float_32:
      return write_field(out, spec, value.float_32);
    case arg_kind::float_64:
      return write_field(out, spec, value.float_64);
    case arg_kind::float_80:
      return write_field(out, spec, value.float_80);
    case arg_kind::text:
      return write_field(out, spec, value.text);
    case arg_kind::pointer:
      return write_field(out, spec, value.pointer);
    case arg_kind::error_code:
      return write_field(out, spec, value.error_code);
    case arg_kind::time:
      return write_field(out, spec, value.time);
    case arg_kind::custom:
      return;  // goes through {fmt} as a whole
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
