// A field of a format: the kind of its argument, its specification, and its step. The parser and
// the writers of fields use these types.
#pragma once

#include <leat/config.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

// Marks a function that each call of print uses. In optimized builds, GCC would spend much time on
// the decision to inline it. In other builds, all calls with the same argument types share a
// function.
#if defined(__OPTIMIZE__)
#  define LEAT_INLINE_CALL [[gnu::always_inline]] inline
#else
#  define LEAT_INLINE_CALL inline
#endif

namespace leat {
inline namespace v0 {
namespace detail {

enum class arg_kind : std::uint8_t {
  boolean,
  character,
  signed_32,
  unsigned_32,
  signed_64,
  unsigned_64,
  signed_128,
  unsigned_128,
  float_32,
  float_64,
  float_80,
  text,
  c_string,
  pointer,
  error_code,
  time,
  custom,
};

constexpr bool is_integer(arg_kind kind) {
  return kind >= arg_kind::signed_32 && kind <= arg_kind::unsigned_128;
}
/// True if a value of this kind without a specification takes a few nanoseconds.
constexpr bool is_quick(arg_kind kind) {
  return kind <= arg_kind::unsigned_64 || kind == arg_kind::text;
}
constexpr bool is_string(arg_kind kind) {
  return kind == arg_kind::text || kind == arg_kind::c_string;
}
constexpr bool is_float(arg_kind kind) {
  return kind >= arg_kind::float_32 && kind <= arg_kind::float_80;
}

enum class alignment : std::uint8_t { none, left, right, center, numeric };

/// The specification of a field, as parsed from the text after the colon.
struct field_spec {
  int width = 0;
  int precision = -1;  ///< -1: none
  char fill[4] = {' '};
  std::uint8_t fill_size = 1;
  alignment align = alignment::none;
  char sign = '-';
  char type = '\0';
  bool alternate = false;
  bool zero = false;    ///< the flag '0'
  bool plain = true;    ///< "{}": nothing is specified
  bool exotic = false;  ///< rare, or different between versions of {fmt}; see exotic_text()
  /// Exotic, but write_specified() and quote_ascii() write the usual values, for example "{:c}" of
  /// a number, and "{:?}".
  bool mostly_quick = false;
};

/// One step of a call in one word: copy a literal, then write a field. So a compiled format is a
/// few constants. Most steps, such as "x={}" and "{:.2f}", fit in 31 bits, for which CPUs have
/// shorter instructions.
class format_step {
 public:
  LEAT_INLINE_CALL constexpr explicit format_step(std::uint64_t bits) : bits_(bits) {}
  /// Returns the bits of a step: in the format's text, `literal` bytes of literal text, then
  /// `field` bytes of the field. For example, "x={}" has a literal of 2 bytes and a field of 2
  /// bytes.
  static constexpr std::uint64_t of(std::size_t literal, bool escaped, std::size_t field,
                                    arg_kind kind, const field_spec& spec) {
    return of(kind) | std::uint64_t{literal + (escaped ? escaped_offset : 0)} << 8 |
           std::uint64_t{literal + field} << 16 | (spec.plain ? 0 : of(spec));
  }
  static constexpr std::uint64_t of(arg_kind kind) { return static_cast<std::uint64_t>(kind); }
  /// Returns the bits of a specification alone.
  static constexpr std::uint64_t of(const field_spec& spec) {
    const auto in = [](auto value, int shift) {
      return static_cast<std::uint64_t>(value) << shift;
    };
    return specified | in(spec.precision + 1, 24) | in(spec.width, 32) | in(spec.type ^ 'f', 44) |
           in(spec.align, 51) | in(spec.fill[0] ^ ' ', 54) |
           in(spec.sign == '-'   ? 0
              : spec.sign == '+' ? 1
                                 : 2,
              61) |
           in(spec.alternate, 63);
  }
  /// The specification of a field that a formatter writes, or text_too_long if the specification
  /// has more than five bytes.
  static constexpr std::uint64_t of_formatter(std::string_view spec) {
    std::uint64_t bits = spec.size() > 5 ? text_too_long : 0;
    for (std::size_t i = 0; i != spec.size() && bits != text_too_long; ++i)
      bits |= std::uint64_t{static_cast<unsigned char>(spec[i])} << 8 * i;
    return specified | bits << 24;
  }
  static constexpr std::uint64_t text_too_long = 0xFF'FFFF'FFFF;
  /// The specification of a field that a formatter writes, or text_too_long.
  constexpr std::uint64_t formatter_text() const { return bits_ >> 24; }

  /// True if a step can hold this literal and field. Otherwise the format is interpreted.
  static constexpr bool can_hold(std::size_t literal, bool escaped, std::size_t field,
                                 const field_spec& spec) {
    return literal + field < 256 && literal < (escaped ? 256 - escaped_offset : escaped_offset) &&
           has_room(spec) && (!spec.exotic || spec.mostly_quick);
  }
  /// True if write_specified() can write all values with this specification.
  static constexpr bool can_hold(const field_spec& spec) { return has_room(spec) && !spec.exotic; }

  static constexpr std::uint64_t specified = 32;
  /// The kind and `specified`: how to write the field.
  constexpr unsigned field_form() const { return static_cast<unsigned>(bits_ & 63); }
  constexpr arg_kind kind() const { return static_cast<arg_kind>(bits_ & 31); }
  LEAT_INLINE_CALL constexpr bool is_specified() const { return (bits_ & specified) != 0; }
  /// The size of the literal in bytes; plus escaped_offset if it contains "{{" or "}}".
  LEAT_INLINE_CALL constexpr std::size_t literal_code() const { return bits_ >> 8 & 255; }
  static constexpr std::size_t escaped_offset = 192;
  constexpr std::size_t literal_size() const {
    return literal_code() < escaped_offset ? literal_code() : literal_code() - escaped_offset;
  }
  /// The size of the literal and the field in bytes.
  LEAT_INLINE_CALL constexpr std::size_t text_size() const { return bits_ >> 16 & 255; }

  // A width or a precision that is an argument: the step has the argument's index.
  static constexpr std::uint64_t width_is_argument = 64, precision_is_argument = 128;
  static constexpr std::uint64_t with_arguments(std::uint64_t bits, int width, int precision) {
    if (width >= 0) bits |= width_is_argument | static_cast<std::uint64_t>(width) << 32;
    if (precision >= 0) bits |= precision_is_argument | static_cast<std::uint64_t>(precision) << 24;
    return bits;
  }
  constexpr bool has_arguments() const {
    return (bits_ & (width_is_argument | precision_is_argument)) != 0;
  }
  constexpr std::size_t precision_argument() const { return bits_ >> 24 & 127; }
  constexpr std::size_t width_argument() const { return bits_ >> 32 & 0xFFF; }
  static constexpr std::uint64_t most_width = 4095, most_precision = 126;
  /// A step with a width in the place of the argument's index.
  constexpr format_step with_width(std::uint64_t width) const {
    return format_step((bits_ & ~(width_is_argument | most_width << 32)) | width << 32);
  }
  constexpr format_step with_precision(std::uint64_t precision) const {
    return format_step((bits_ & ~(precision_is_argument | std::uint64_t{127} << 24)) |
                       (precision + 1) << 24);
  }

  /// True if write_specified() may return null: field_spec::mostly_quick.
  LEAT_INLINE_CALL constexpr bool is_mostly_quick() const {
    return is_specified() && (type() == 'c' || type() == '?');
  }

  constexpr int precision() const { return static_cast<int>(bits_ >> 24 & 127) - 1; }
  LEAT_INLINE_CALL constexpr int width() const { return static_cast<int>(bits_ >> 32 & 0xFFF); }
  LEAT_INLINE_CALL constexpr char type() const {
    return static_cast<char>((bits_ >> 44 & 127) ^ 'f');
  }
  constexpr alignment align() const { return static_cast<alignment>(bits_ >> 51 & 7); }
  constexpr format_step without_precision() const {
    return format_step(bits_ & ~(std::uint64_t{127} << 24));
  }
  constexpr std::uint64_t bits() const { return bits_; }
  constexpr char fill() const { return static_cast<char>((bits_ >> 54 & 127) ^ ' '); }
  constexpr char sign() const { return "-+ "[bits_ >> 61 & 3]; }
  constexpr bool alternate() const { return bits_ >> 63 != 0; }
  /// "{:.3f}" or "{:08.3f}": a precision and the type 'f', perhaps with a width and an alignment.
  constexpr bool is_fixed_point() const {
    constexpr std::uint64_t others = std::uint64_t{0xE007'F000} << 32;  // type, sign, alternate
    return (bits_ & others) == 0 && precision() >= 0;
  }

  /// "{:x}": nothing except the type is specified.
  constexpr bool has_only_type() const {
    constexpr std::uint64_t type = std::uint64_t{127} << 44;
    return (bits_ & ~type) >> 24 == 0;
  }

  constexpr field_spec spec() const {
    field_spec spec;
    spec.width = width();
    spec.precision = precision();
    spec.fill[0] = fill();
    spec.align = align();
    spec.sign = sign();
    spec.type = type();
    spec.alternate = alternate();
    spec.plain = false;
    return spec;
  }

 private:
  static constexpr bool has_room(const field_spec& spec) {
    return spec.precision <= static_cast<int>(most_precision) &&
           spec.width <= static_cast<int>(most_width) && spec.fill_size == 1 &&
           static_cast<unsigned char>(spec.fill[0]) < 128;
  }

  std::uint64_t bits_;
};

/// The most bytes that a value of this kind takes with this specification, without the size of a
/// text and of the name of an error's category.
constexpr std::uint64_t max_size(arg_kind kind, const field_spec& spec) {
  std::uint64_t content = 0;
  const std::uint64_t precision =
      spec.precision < 0 ? 6 : static_cast<std::uint64_t>(spec.precision);
  switch (kind) {
    case arg_kind::boolean:
      content = 8;  // stored for "true" and "false"
      break;
    case arg_kind::character:
      content = 1;
      break;
    case arg_kind::signed_32:
    case arg_kind::signed_64:
      content = 21;  // the sign, and 20 digits that are stored for 19
      break;
    case arg_kind::unsigned_32:
    case arg_kind::unsigned_64:
      content = 20;
      break;
    case arg_kind::signed_128:
    case arg_kind::unsigned_128:
      content = 40;
      break;
    case arg_kind::float_32:
    case arg_kind::float_64:
      content = 32;
      break;
    case arg_kind::float_80:
      content = 48;
      break;
    case arg_kind::text:
    case arg_kind::c_string:
      content = 0;
      break;
    case arg_kind::pointer:
      content = 18;
      break;
    case arg_kind::error_code:
      content = 12;
      break;
    case arg_kind::time:
      content = 48;
      break;
    case arg_kind::custom:
      break;
  }
  if (!spec.plain) {
    if (kind <= arg_kind::unsigned_128)
      content = spec.mostly_quick ? 8 : 128 + 3;  // sign, "0b" and the bits
    if (is_float(kind)) {
      const std::uint64_t whole_digits = kind == arg_kind::float_80 ? 4933 : 309;
      content = 16 + precision + (spec.type == 'f' || spec.type == 'F' ? whole_digits : 0) + 32;
    }
    content += static_cast<std::uint64_t>(spec.width) * spec.fill_size;
  }
  return content;
}

/// The letters after a '%' that leat writes natively, because they mean the same everywhere. {fmt}
/// or the standard library writes the others, such as "%c" and "%z".
inline constexpr std::string_view native_conversions = "aAbBCdDeFgGhHIjmMnpRStTuUVwWyY%";
/// The most bytes that one of these conversions writes.
inline constexpr std::size_t longest_conversion = 24;

}  // namespace detail
}  // namespace v0
}  // namespace leat
