// A value with its specification, as print writes it. Compiled and interpreted formats call these
// functions.
#pragma once

#include <leat/format.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "format/number_text.hpp"
#include "format/padding.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

inline std::string_view text_of(const char* text) {
  check_text(text);
  return {text, length_of(text)};
}

/// Calls use() with the value of the argument, whose kind is `kind`, and returns the result. For an
/// argument that has a formatter of its own (arg_kind::custom), returns a default value instead.
template <class Use>
[[gnu::always_inline]] inline auto visit_value(const any_value& value, arg_kind kind,
                                               const Use& use) {
  switch (kind) {
    case arg_kind::boolean:
      return use(value.boolean);
    case arg_kind::character:
      return use(value.character);
    case arg_kind::signed_32:
      return use(value.signed_32);
    case arg_kind::unsigned_32:
      return use(value.unsigned_32);
    case arg_kind::signed_64:
      return use(value.signed_64);
    case arg_kind::unsigned_64:
      return use(value.unsigned_64);
    case arg_kind::signed_128:
      return use(value.signed_128());
    case arg_kind::unsigned_128:
      return use(value.unsigned_128());
    case arg_kind::float_32:
      return use(value.float_32);
    case arg_kind::float_64:
      return use(value.float_64);
    case arg_kind::float_80:
      return use(value.float_80());
    case arg_kind::text:
      return use(value.text);
    case arg_kind::c_string:
      return use(text_of(value.c_string));
    case arg_kind::pointer:
      return use(value.pointer);
    case arg_kind::error_code:
      return use(value.error);
    case arg_kind::time:
      return use(value.time);
    case arg_kind::custom:
      break;
  }
  return decltype(use(value.boolean))();
}
template <class Use>
[[gnu::always_inline]] inline auto visit_value(const any_value& value, const Use& use) {
  return visit_value(value, value.kind(), use);
}

/// Returns the text of a time whose specification `text` has a '%'. Throws the format_error of
/// {fmt} or std.
std::string format_calendar(time_stamp time, const field_spec& spec, std::string_view text);

/// `natural` is the alignment of a field whose specification has no alignment.
inline padding padding_of(const field_spec& spec, alignment natural) noexcept {
  return {static_cast<std::size_t>(spec.width),
          spec.align == alignment::none ? natural : spec.align,
          {spec.fill, std::min<std::size_t>(spec.fill_size, sizeof spec.fill)}};
}

/// Writes sign, base and digits. Sets `prefix` to the count of characters before the digits. Needs
/// room for the digits and 12 more bytes, and for at least 21 bytes.
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
  return write_digits(to, magnitude, spec.type);
}

/// Pads a number in place. The number has `size` characters, fewer than the width. The first
/// `prefix` characters are sign and base. If the number or the padding is long, or if the fill
/// character has several bytes, returns null and does nothing. Needs room for the width and 48
/// bytes.
inline char* pad_in_place(char* begin, std::size_t size, std::size_t prefix,
                          const field_spec& spec) noexcept {
  // Copies have a fixed size: the length of the padding depends on the number, so a branch on
  // the length would be mispredicted.
  constexpr std::size_t most_missing = 16, most_digits = 32;
  const std::size_t missing = static_cast<std::size_t>(spec.width) - size;
  if (spec.fill_size != 1 || missing > most_missing || size > most_digits) return nullptr;
  const bool by_zeros = spec.align == alignment::numeric;
  const char fill = by_zeros ? '0' : spec.fill[0];
  const std::size_t kept = by_zeros ? prefix : 0;
  const std::size_t before = missing_before(spec.align, missing);
  char number[most_digits + 16];
  std::memcpy(number, begin, sizeof number);
  std::memset(begin + kept, fill, most_missing);
  std::memcpy(begin + kept + before, number + kept, most_digits);
  std::memset(begin + before + size, fill, most_missing);
  return begin + size + missing;
}

/// Writes an integer with any specification. The number is written to the memory first, and then
/// padded there.
template <class Unsigned>
void write_integer(memory_output& out, const field_spec& spec, Unsigned magnitude,
                   bool negative) noexcept {
  char* const begin = out.at;
  std::size_t prefix;
  out.at = put_integer(begin, spec, magnitude, negative, prefix);
  const auto size = static_cast<std::size_t>(out.at - begin);
  const auto width = static_cast<std::size_t>(spec.width);
  if (size >= width) return;
  if (char* const end = pad_in_place(begin, size, prefix, spec)) {
    out.at = end;
    return;
  }
  if (spec.align == alignment::numeric) {
    const std::size_t missing = width - size;
    std::memmove(begin + prefix + missing, begin + prefix, size - prefix);
    std::memset(begin + prefix, '0', missing);
    out.at += missing;
    return;
  }
  char number[8 * sizeof(Unsigned) + 16];
  std::memcpy(number, begin, size);
  out.at = begin;
  pad(out, padding_of(spec, alignment::right), size, [&] { out.write({number, size}); });
}

template <class Output, class Unsigned>
void write_integer(Output& out, const field_spec& spec, Unsigned magnitude, bool negative) {
  char number[8 * sizeof(Unsigned) + 16];
  number_text text;
  const char* const end = put_integer(number, spec, magnitude, negative, text.prefix_size);
  std::memcpy(text.prefix, number, text.prefix_size);
  const char* const digits = number + text.prefix_size;
  text.digits = {digits, static_cast<std::size_t>(end - digits)};
  write_number(out, padding_of(spec, alignment::right), text);
}

/// Without type and precision, writes the shortest text, which may differ for a float and a double
/// of the same value. Otherwise writes the number as printf does, and a float as a double.
template <class Output, class Float>
void write_float(Output& out, const field_spec& spec, Float value) {
  using wide = std::conditional_t<std::is_same_v<Float, float>, double, Float>;
  with_precise_memory<wide>([&](char* buffer) {
    number_text text;
    if (spec.type == '\0' && spec.precision < 0 && std::isfinite(value)) {
      text.add_sign(std::signbit(value), spec.sign);
      const char* const end = write_value(buffer, std::fabs(value));
      text.digits = {buffer, static_cast<std::size_t>(end - buffer)};
    } else {
      set_float<wide>(text, buffer, value, spec.sign, spec.type == '\0' ? 'g' : spec.type,
                      spec.precision, spec.alternate);
    }
    write_number(out, padding_of(spec, text.finite ? alignment::right : alignment::left), text);
  });
}

/// Returns the output of a field in a corner case of the grammar, or of a text that has a
/// specification and is not ASCII. With {fmt} the output is the output of the linked {fmt}, without
/// {fmt} the output of the standard. If the value does not fit, throws the format_error of {fmt} or
/// of leat.
std::string exotic_text(const field_spec& spec, const any_value& value);

/// True if '{:d}' shows a char above 127 as a negative number. The result depends on the version of
/// {fmt}.
bool chars_are_signed();

inline bool is_ascii(std::string_view text) noexcept {
  const char* at = text.data();
  std::uint64_t all = 0, word;
  for (std::size_t left = text.size(); left >= 8; left -= 8, at += 8) {
    std::memcpy(&word, at, 8);
    all |= word;
  }
  for (const char* const end = text.data() + text.size(); at != end; ++at)
    all |= static_cast<unsigned char>(*at);
  return (all & 0x8080'8080'8080'8080) == 0;
}

template <class Output>
void write_text(Output& out, const field_spec& spec, std::string_view text) {
  if (!is_ascii(text)) {  // the text's width on a terminal may differ from its size
    out.write(exotic_text(spec, {format_step::of(arg_kind::text), text}));
    return;
  }
  if (spec.precision >= 0) text = text.substr(0, static_cast<std::size_t>(spec.precision));
  pad(out, padding_of(spec, alignment::left), text.size(), [&] { out.write(text); });
}

template <class Output>
void write_pointer(Output& out, const field_spec& spec, const void* pointer) {
  char buffer[24];
  const char* const end = write_value(buffer, pointer);
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  pad(out, padding_of(spec, alignment::right), text.size(), [&] { out.write(text); });
}

/// Writes a value of one of the types that value_of() returns.
template <class Output, class T>
void write_field(Output& out, const field_spec& spec, T value) {
  constexpr arg_kind kind = kind_of<T>();
  if constexpr (std::is_same_v<T, named_error>) {
    out.write({value.category, value.category_size});
    char buffer[24] = {':'};
    const char* const end = write_value(buffer + 1, value.value);
    out.write({buffer, static_cast<std::size_t>(end - buffer)});
  } else if constexpr (kind == arg_kind::time) {
    char buffer[64];
    const char* const end = write_value(buffer, value);
    const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
    pad(out, padding_of(spec, alignment::left), text.size(), [&] { out.write(text); });
  } else if (spec.exotic) {
    out.write(exotic_text(spec, {format_step::of(kind), value}));
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
      pad(out, padding_of(spec, alignment::left), 1, [&] { out.write({&value, 1}); });
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
  visit_value(value, [&](const auto& v) { write_field(out, spec, v); });
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
