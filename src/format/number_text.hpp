// Numbers as text, before padding: the functions that make the digits, except write_value(). print,
// printf and operator<< call these functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/large_object.hpp"
#include "format/exact.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// A number without its padding: prefix, zeros, digits, zeros, suffix. Example: for "%.20e" of -1.5
/// the prefix is "-", then no zeros, "1.5", 19 zeros, and the suffix "e+00".
struct number_text {
  char prefix[4];  ///< sign and base: "-0x"
  std::size_t prefix_size = 0;
  std::size_t leading_zeros = 0;   ///< for the precision of an integer
  std::string_view digits;         ///< with the decimal point, in the caller's buffer
  std::size_t trailing_zeros = 0;  ///< for a large precision
  char suffix[12];                 ///< the exponent
  std::size_t suffix_size = 0;
  bool finite = true;

  void add_prefix(char c) noexcept { prefix[prefix_size++] = c; }
  /// `sign`: the character before a number that is not negative: '+', ' ', or '-' for none.
  void add_sign(bool negative, char sign) noexcept {
    if (negative)
      add_prefix('-');
    else if (sign != '-')
      add_prefix(sign);
  }
  std::size_t size() const noexcept {
    return prefix_size + leading_zeros + digits.size() + trailing_zeros + suffix_size;
  }
};

/// Writes the digits of a value in base 2^Bits, for 1, 3 and 4 bits. Returns the end of the digits.
/// Needs room for 8 more bytes, and in base 16 for at least 16 bytes, because the stores have a
/// fixed size. (For base 10, see write_value.)
template <int Bits>
char* write_in_base(char* to, std::uint64_t value, bool upper = false) noexcept;
template <int Bits>
char* write_in_base(char* to, unsigned __int128 value, bool upper = false) noexcept;

/// Writes a finite, non-negative value with `decimals` decimals. A tie goes to the even digit.
/// Returns null if `decimals` is more than 17, and for most values for which value * 10^decimals is
/// at least 2^64. Needs room for 48 bytes.
char* write_fixed(char* to, double value, int decimals) noexcept;

/// Writes a finite, non-negative value as printf's 'g' does, with this letter before an exponent.
/// Returns null if 128 bits do not decide the digits, or if `precision` is more than 17. Needs room
/// for 40 bytes.
char* write_general(char* to, double value, int precision, char letter) noexcept;

/// Writes a finite, non-negative value as write_precise() does, for the types e, f, g and their
/// capitals. Returns null for other types. For f and g, returns null if write_fixed() or
/// write_general() returns null; for e, if 128 bits do not decide the digits, or if `precision` is
/// more than 16. Also returns null for g if `alternate` is true, and for e if `alternate` is true
/// and `precision` is 0. Needs room for 48 bytes.
char* write_few(char* to, double value, char type, int precision, bool alternate) noexcept;

/// The bytes that write_precise needs: for the expansion, and for the text that is made of the
/// expansion, with zeros before the text if needed.
template <class Float>
inline constexpr std::size_t precise_size =
    2 * exact_size<Float> + std::numeric_limits<Float>::max_exponent10;

template <class Float>
struct precise_memory {
  char bytes[precise_size<Float>];
};

/// Calls use(memory) with the memory for write_precise, and returns the result. The memory is 2 KiB
/// for a double, on the stack, and 28 KiB for a long double, by with_large_object().
template <class Float, class Use>
[[gnu::always_inline]] inline auto with_precise_memory(const Use& use) {
  const auto of_object = [&use](precise_memory<Float>& memory) { return use(memory.bytes); };
  constexpr std::size_t most_on_stack = 4096;
  if constexpr (sizeof(precise_memory<Float>) > most_on_stack) {
    return with_large_object<precise_memory<Float>>(of_object);
  } else {
    precise_memory<Float> memory;
    return of_object(memory);
  }
}

/// Writes the digits of a finite, non-negative value for printf's types a, e, f, g and their
/// capitals. `buffer` has precise_size<Float> bytes, to which out.digits refers. `alternate` is
/// printf's '#': the point is always written, and for g also the zeros at the end. Only 'a' accepts
/// a precision of -1: as many digits as the value has.
template <class Float>
void write_precise(number_text& out, char* buffer, Float value, char type, int precision,
                   bool alternate) noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
