// scanf's integers: reading and storing. scanner.hpp calls this code.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "parse/number.hpp"
#include "stdio/scan/directive.hpp"
#include "stdio/scan/input.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

inline void store_integer(void* to, std::uint64_t value, unsigned char size) noexcept {
  const auto store = [to](auto number) { std::memcpy(to, &number, sizeof number); };
  switch (size) {
    case 1:
      return store(static_cast<std::uint8_t>(value));
    case 2:
      return store(static_cast<std::uint16_t>(value));
    case 4:
      return store(static_cast<std::uint32_t>(value));
    default:
      return store(value);
  }
}

/// Returns the value of a magnitude and a sign. If the value is out of range, sets errno to ERANGE
/// and returns the nearest signed value, for example -2^63 for "-9999999999999999999". For unsigned
/// numbers returns 2^64-1. `fits`: the magnitude is less than 2^64.
inline std::uint64_t with_sign(std::uint64_t magnitude, bool fits, bool negative,
                               bool is_signed) noexcept {
  constexpr auto least = std::uint64_t{1} << 63;
  if (is_signed && fits && magnitude > least - 1 + negative) fits = false;
  if (!fits) [[unlikely]] {
    errno = ERANGE;
    if (!is_signed) return UINT64_MAX;
    return negative ? least : least - 1;
  }
  return (magnitude ^ (0 - std::uint64_t{negative})) + negative;
}

/// The fast path: reads an integer, with leading white space, that is in the buffer together with
/// the byte after it. Returns false, and takes nothing, if the integer may continue after the
/// buffer, if there is no integer, or if only read_integer() can read the integer, for example
/// "0b101". The processor needs this integer's end before it can start on the next integer, so the
/// path is short.
template <class Input>
[[gnu::always_inline]] inline bool quick_integer(Input& in, const scan_directive& directive,
                                                 int base, bool is_signed,
                                                 std::uint64_t& value) noexcept {
  if constexpr (Input::has_buffer) {
    const char* at = after_space(in);
    const char* end = in.end();
    const bool cut = directive.width <= static_cast<std::size_t>(end - at);
    if (cut) end = at + directive.width;
    if (at == end) return false;
    const bool negative = *at == '-';
    at += negative | (*at == '+');  // no branch: signs are hard to predict
    if (base != 10 && base != 8 && at != end && *at == '0') {
      if (base == 2 || end - at < 3 || (at[1] | 0x20) != 'x') return false;
      at += 2;
      base = 16;
    }
    std::uint64_t magnitude = 0;
    const auto [stop, error] = detail::parse_integer(at, end, magnitude, base == 0 ? 10 : base);
    if (error == std::errc::invalid_argument || (stop == end && !cut)) return false;
    in.advance_to(stop);
    value = with_sign(magnitude, error == std::errc{}, negative, is_signed);
    return true;
  } else {
    return false;
  }
}

/// Reads an integer from any input, symbol by symbol. Leading white space has been taken already.
/// `binary`: if `base` is 0, "0b101" is 5.
template <class Input>
[[gnu::noinline]] outcome read_integer(Input& in, const scan_directive& directive, int base,
                                       bool is_signed, bool binary, std::uint64_t& value) noexcept {
  if (in.peek() == Input::none) return outcome::no_input;
  field text(in, directive.width);
  const bool negative = text.peek() == '-';
  text.take('-', '+');
  bool any = false;
  if (base != 10 && base != 8 && text.take('0', '0')) {
    any = true;
    if (base != 2 && text.take('x', 'X')) {
      base = 16;
      any = false;
    } else if ((base == 2 || (base == 0 && binary)) && text.take('b', 'B')) {
      base = 2;
      any = false;
    } else if (base == 0) {
      base = 8;
    }
  }
  if (base == 0) base = 10;
  // `digits` gets no leading zeros. A number with more than 64 digits is out of range in any base.
  char digits[65];
  std::size_t count = 0;
  for (auto c = text.peek(); c != Input::none && is_digit_of(c, base); c = text.peek()) {
    text.take();
    any = true;
    if ((count != 0 || c != '0') && count != sizeof digits) digits[count++] = static_cast<char>(c);
  }
  if (!any) return outcome::mismatch;
  std::uint64_t magnitude = 0;
  const auto error = detail::parse_integer(digits, digits + count, magnitude, base).ec;
  value = with_sign(magnitude, error != std::errc::result_out_of_range, negative, is_signed);
  return outcome::matched;
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
