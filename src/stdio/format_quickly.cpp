// The fast path of printf: the most frequent conversions, straight into the buffer. Called by
// printf.cpp.
#include "stdio/format_quickly.hpp"

#include <string.h>
#include <leat/format.hpp>

#include <algorithm>
#include <bit>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/vector.hpp"
#include "format/digits.hpp"
#include "format/number_text.hpp"
#include "format/padding.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

namespace {

/// The last step of copy_text(), near the end of a page or with little room left: copies the whole
/// text, or nothing if the text does not fit. Not inline, so that copy_text() reserves no registers
/// for this case.
[[gnu::noinline]] copied_text copy_all_or_nothing(char* to, const char* end,
                                                  const char* text) noexcept {
  const std::size_t size = std::strlen(text);
  if (size > static_cast<std::size_t>(end - to)) return {to, text};
  // `to` is null if the stream has no buffer.
  // NOLINTNEXTLINE(bugprone-not-null-terminated-result): no NUL is wanted
  if (size != 0) std::memcpy(to, text, size);
  return {to + size, nullptr};
}

}  // namespace

// Reads whole vectors, which may reach beyond the text's end but never onto another page.
__attribute__((no_sanitize("address", "thread"))) copied_text copy_text(char* to,
                                                                        const char* const end,
                                                                        const char* text) noexcept {
  using vector = simd::native;
  constexpr std::ptrdiff_t step = vector::width;
  constexpr std::uintptr_t page = 4096;  // real pages have this size or a multiple
  for (; end - to >= step; to += step, text += step) {
    if ((reinterpret_cast<std::uintptr_t>(text) & (page - 1)) > page - step) break;
    const auto bytes = vector::load(text);
    const auto zeros = vector::equal(bytes, vector::splat('\0'));
    simd::store<vector>(to, bytes);
    if (vector::any(zeros)) return {to + std::countr_zero(vector::bits(zeros)), nullptr};
  }
  return copy_all_or_nothing(to, end, text);
}

namespace {

// Each function put_…() writes one conversion. put_text() and put_decimals() return false if they
// can't write the whole argument; then `arguments.rest` has the remaining part.

[[gnu::always_inline]] inline bool put_text(char*& to, char* end,
                                            print_arguments& arguments) noexcept {
  const char* text = va_arg(arguments.list, const char*);
  if (text == nullptr) [[unlikely]] {
    constexpr std::string_view null = "(null)";
    to += null.copy(to, null.size());
    return true;
  }
  const copied_text copy = copy_text(to, end, text);
  to = copy.to;
  if (copy.rest == nullptr) return true;
  arguments.rest.value.pointer = copy.rest;
  return false;
}

/// Returns false for values that write_fixed() does not support, such as infinity and 1e300.
[[gnu::always_inline]] inline bool put_decimals(char*& to, int decimals,
                                                print_arguments& arguments) noexcept {
  const double value = va_arg(arguments.list, double);
  if (std::isfinite(value)) {
    *to = '-';
    char* const end = detail::write_fixed(to + std::signbit(value), std::fabs(value), decimals);
    if (end != nullptr) {
      to = end;
      return true;
    }
  }
  arguments.rest.value.real = value;
  return false;
}

struct put_result {
  char* to;        ///< the end of the written text
  const char* at;  ///< a position in the format; null if nothing was written
};

/// Writes an integer with a width of one digit, as in `%02x` and `%5ld`. `at` is after the `%`.
/// Returns the position of the conversion's last character, or null for all other conversions. Not
/// inline, so that format_quickly() reserves no registers for this case.
[[gnu::noinline]] put_result put_padded(char* to, const char* at,
                                        print_arguments& arguments) noexcept {
  const bool zeros = *at == '0';
  at += zeros;
  if (*at < '1' || *at > '9') return {to, nullptr};
  const std::ptrdiff_t width = *at - '0';
  const bool is_long = *++at == 'l';
  at += is_long;
  char* end = to;
  if (*at == 'd') {
    const std::int64_t value = is_long ? va_arg(arguments.list, long) : va_arg(arguments.list, int);
    end = detail::write_value(to, value);
  } else if (*at == 'u' || *at == 'x') {
    const std::uint64_t value =
        is_long ? va_arg(arguments.list, unsigned long) : va_arg(arguments.list, unsigned);
    end = *at == 'u' ? detail::write_value(to, value) : detail::write_in_base<4>(to, value);
  } else {
    return {to, nullptr};
  }
  const std::ptrdiff_t missing = width - (end - to);
  if (missing <= 0) return {end, at};
  if (zeros && *to == '-') ++to;
  // At most eight bytes are shifted by at most eight, and the caller has room.
  std::uint64_t text;
  std::memcpy(&text, to, sizeof text);
  std::memset(to, zeros ? '0' : ' ', sizeof text);
  std::memcpy(to + missing, &text, sizeof text);
  return {end + missing, at};
}

/// Writes `count` copies of a character. If `count` is negative, writes no copy. Returns the end.
/// May overwrite 32 bytes after the end.
[[gnu::always_inline]] inline char* fill(char* to, char filler, std::ptrdiff_t count) noexcept {
  constexpr std::ptrdiff_t few = 32;
  std::memset(to, filler, few);  // with a fixed size, the compiler needs no call
  if (count <= 0) return to;
  if (count > few) [[unlikely]]
    std::memset(to, filler, static_cast<std::size_t>(count));
  return to + count;
}

/// The characters before the digits of a number: a sign, or "0x".
struct number_prefix {
  char characters[2];
  std::ptrdiff_t size;
};

number_prefix prefix_of_sign(bool negative, const print_conversion& c) noexcept {
  return {{negative ? '-' : c.plus ? '+' : ' ', '\0'}, negative || c.plus || c.blank};
}

/// Writes a field: the prefix, at least `zeros` zeros, and the `size` characters that write(at)
/// writes. Pads the field to its width with spaces or zeros. Returns the field's end.
template <class Write>
char* write_field(char* to, const print_conversion& c, bool pad_by_zeros, number_prefix prefix,
                  std::ptrdiff_t zeros, std::ptrdiff_t size, const Write& write) noexcept {
  size += prefix.size;
  if (pad_by_zeros && !c.left) zeros = std::max(zeros, c.width - size);
  const std::ptrdiff_t missing = c.width - (size + std::max<std::ptrdiff_t>(zeros, 0));
  if (!c.left) to = fill(to, ' ', missing);
  to[0] = prefix.characters[0];
  to[1] = prefix.characters[1];
  to = fill(to + prefix.size, '0', zeros);
  write(to);
  to += size - prefix.size;
  return c.left ? fill(to, ' ', missing) : to;
}

std::ptrdiff_t count_digits_in_base(std::uint64_t value, char type) noexcept {
  const int bits = 64 - std::countl_zero(value | 1);
  switch (type | 0x20) {
    case 'x':
      return (bits + 3) / 4;
    case 'o':
      return (bits + 2) / 3;
    case 'b':
      return bits;
    default:
      return static_cast<std::ptrdiff_t>(detail::count_digits(value));
  }
}

char* write_integer(char* to, const print_conversion& c, std::int64_t value) noexcept {
  number_prefix prefix{};
  std::uint64_t magnitude;
  if (c.type == 'd' || c.type == 'i') {
    value = narrowed(value, c.size);
    prefix = prefix_of_sign(value < 0, c);
    magnitude = static_cast<std::uint64_t>(value);
    if (value < 0) magnitude = 0 - magnitude;
  } else {
    magnitude = narrowed(static_cast<std::uint64_t>(value), c.size);
    if (c.alternate && magnitude != 0 && c.type != 'u' && c.type != 'o')
      prefix = {{'0', c.type}, 2};
  }
  // "%.0d" of 0 has no digits.
  const std::ptrdiff_t size =
      magnitude == 0 && c.precision == 0 ? 0 : count_digits_in_base(magnitude, c.type);
  std::ptrdiff_t zeros = c.precision - size;
  // An octal number with '#' begins with a zero, which the precision may have added already.
  if (c.alternate && c.type == 'o' && zeros <= 0 && (magnitude != 0 || size == 0)) zeros = 1;
  return write_field(to, c, c.zero && c.precision < 0, prefix, zeros, size,
                     [&](char* at) { detail::write_digits(at, magnitude, c.type); });
}

/// Returns null for values that write_few() does not support, such as infinity and 1e300.
char* write_real(char* to, const print_conversion& c, double value) noexcept {
  if (!std::isfinite(value)) return nullptr;
  char digits[48];
  const int precision = c.precision < 0 ? 6 : c.precision;
  const char* const end =
      detail::write_few(digits, std::fabs(value), c.type, precision, c.alternate);
  if (end == nullptr) return nullptr;
  return write_field(to, c, c.zero, prefix_of_sign(std::signbit(value), c), 0, end - digits,
                     [&](char* at) { std::memcpy(at, digits, sizeof digits); });
}

char* write_characters(char* to, const print_conversion& c, const char* text,
                       std::size_t size) noexcept {
  return write_field(to, c, false, {}, 0, static_cast<std::ptrdiff_t>(size),
                     [&](char* at) { std::memcpy(at, text, size); });
}

/// Returns null if the text has more than `room` bytes.
char* write_string(char* to, std::ptrdiff_t room, const print_conversion& c,
                   const char* text) noexcept {
  const std::size_t size =
      c.precision < 0 ? std::strlen(text) : ::strnlen(text, static_cast<std::size_t>(c.precision));
  return size <= static_cast<std::size_t>(room) ? write_characters(to, c, text, size) : nullptr;
}

/// Writes a value. May overwrite all of [to, end). Returns null for values that only the general
/// engine supports, and if there is not enough room.
char* write_quickly(char* to, const char* end, print_conversion& c, argument_type type,
                    const argument& value) noexcept {
  // The longest number without its padding has 64 digits and a prefix of two characters, and
  // fill() needs 32 bytes.
  constexpr std::ptrdiff_t most_unpadded = 128;
  const std::ptrdiff_t room = end - to - most_unpadded;
  if (c.width < 0 || c.width > room || c.precision == print_conversion::too_large) return nullptr;
  // A precision makes a number longer, but not a text.
  if (c.precision > room && c.type != 's') return nullptr;
  if (type == argument_type::pointer) {
    const auto* text = static_cast<const char*>(value.pointer);
    if (c.type == 's')
      return c.size == print_conversion::length::l || text == nullptr
                 ? nullptr
                 : write_string(to, room, c, text);
    if (text == nullptr) return nullptr;
    c.type = 'x';
    c.alternate = true;
    c.size = print_conversion::length::ll;
    return write_integer(to, c,
                         static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(value.pointer)));
  }
  switch (type) {
    case argument_type::plain_double:
      return write_real(to, c, value.real);
    case argument_type::long_double:
    case argument_type::wide_char:
      return nullptr;
    default:
      if (c.type != 'c') return write_integer(to, c, value.integer);
      const auto character = static_cast<char>(value.integer);
      return write_characters(to, c, &character, 1);
  }
}

/// Writes a conversion with flags, a width, a precision or a length. `at` is after the '%'. Returns
/// the end of the conversion, or null if this function has written nothing: then `arguments.rest`
/// says where to continue. Not inline, so that format_quickly() reserves no registers for this
/// case.
[[gnu::noinline]] put_result put_specified(char* to, const char* end, const char* at,
                                           print_arguments& arguments) noexcept {
  unfinished_conversion& rest = arguments.rest;
  rest.to = to;
  rest.at = at - 1;
  print_conversion& c = rest.conversion;
  const char* next = at;
  if (!read_conversion(next, c)) c.type = '\0';
  const argument_type type = c.type_of_value();
  if (type == argument_type::none || c.type == 'n' ||
      (c.argument | c.width_argument | c.precision_argument) != 0) {
    c.type = '\0';
    return {to, nullptr};
  }
  rest.at = next;
  take_counts(c, [&arguments](int) { return va_arg(arguments.list, int); });
  take_argument(arguments, type, rest.value);
  char* const written = write_quickly(to, end, c, type, rest.value);
  return written != nullptr ? put_result{written, next} : put_result{to, nullptr};
}

}  // namespace

char* format_quickly(char* to, char* const end, const char* at,
                     print_arguments& arguments) noexcept {
  // Room for the longest conversion below, so that one comparison is enough for all of them.
  constexpr std::ptrdiff_t enough = 64;
  const auto stop = [&](const char* next, char unfinished_type = '\0', int precision = -1) {
    arguments.rest.at = next;
    arguments.rest.to = to;
    arguments.rest.conversion = {};
    arguments.rest.conversion.type = unfinished_type;
    arguments.rest.conversion.precision = precision;
    return nullptr;
  };
  const std::ptrdiff_t room = end - to;
  if (room < enough || room > INT_MAX) return stop(at);
  const char* const limit = end - enough;
  for (; to <= limit; ++at) {
    if (*at != '%') {
      *to = *at;
      if (*at == '\0') return to;
      ++to;
      continue;
    }
    switch (*++at) {
      case 's':
        if (!put_text(to, end, arguments)) return stop(at + 1, 's');
        continue;
      case 'd':
        to = detail::write_value(to, std::int32_t{va_arg(arguments.list, int)});
        continue;
      case 'u':
        to = detail::write_value(to, std::uint32_t{va_arg(arguments.list, unsigned)});
        continue;
      case 'x':
        to = detail::write_in_base<4>(to, std::uint64_t{va_arg(arguments.list, unsigned)});
        continue;
      case 'c':
        *to++ = static_cast<char>(va_arg(arguments.list, int));
        continue;
      case '%':
        *to++ = '%';
        continue;
      case 'z':
        if (sizeof(std::size_t) != sizeof(long)) break;
        [[fallthrough]];
      case 'l':
        if (at[1] == 'f') {
          if (!put_decimals(to, 6, arguments)) return stop(at + 2, 'f', 6);
        } else if (at[1] == 'd')
          to = detail::write_value(to, std::int64_t{va_arg(arguments.list, long)});
        else if (at[1] == 'u')
          to = detail::write_value(to, std::uint64_t{va_arg(arguments.list, unsigned long)});
        else
          break;
        ++at;
        continue;
      case 'f':
        if (!put_decimals(to, 6, arguments)) return stop(at + 1, 'f', 6);
        continue;
      case '.':
        if (at[1] < '0' || at[1] > '9' || at[2] != 'f') break;
        at += 2;
        if (!put_decimals(to, at[-1] - '0', arguments)) return stop(at + 1, 'f', at[-1] - '0');
        continue;
      case '0':
      case '1':
      case '2':
      case '3':
      case '4':
      case '5':
      case '6':
      case '7':
      case '8':
      case '9': {
        const put_result padded = put_padded(to, at, arguments);
        if (padded.at == nullptr) break;
        to = padded.to;
        at = padded.at;
        continue;
      }
      default:
        break;
    }
    const put_result written = put_specified(to, end, at, arguments);
    if (written.at == nullptr) return nullptr;
    to = written.to;
    at = written.at - 1;
  }
  return stop(at);
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
