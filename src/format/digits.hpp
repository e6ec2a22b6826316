// Decimal digits, eight or sixteen at a time in one register, or three at a time from a table. The
// number writers of src/format, and printf in format_quickly.cpp, call these functions.
//
// Lines of real data have numbers of all lengths, so a branch on the length is often mispredicted.
// Therefore digits are made eight at a time, and leading zeros are shifted out. The stores have a
// fixed size, so they may write bytes after the number.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/vector.hpp"
#include "number/powers_of_ten.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

inline constexpr std::uint64_t eight_digits = 100'000'000;  // 10^8
inline constexpr std::uint64_t sixteen_digits = eight_digits * eight_digits;

inline constexpr std::uint64_t zeros = 0x3030'3030'3030'3030;  // "00000000"

/// Splits a number below 10^8 into its eight digits, one in each byte. The first digit is in the
/// lowest byte.
[[gnu::always_inline]] inline std::uint64_t split(std::uint32_t value) noexcept {
  // Splits into two halves of four digits, then four pairs of digits, then eight digits. All lanes
  // are split at once, by this formula. A lane x has 2n bits, d is the divisor, and the quotient is
  // q = x / d. Then (x << n) - q ((d << n) - 1) has q in the lower half of the lane and x - q d in
  // the upper half. Example: 1234 becomes 12 in the lower half and 34 in the upper half. The
  // factors replace divisions: 10486 / 2^20 is near enough to 1/100 for numbers up to 9999, and 103
  // / 2^10 is near enough to 1/10 for numbers up to 99.
  const std::uint64_t halves = (std::uint64_t{value} << 32) - value / 10000 * 0x270F'FFFF'FFFF;
  const std::uint64_t hundreds = halves * 10486 >> 20 & 0x7F'0000'007F;
  const std::uint64_t pairs = (halves << 16) - hundreds * 0x63'FFFF;
  const std::uint64_t tens = pairs * 103 >> 10 & 0x000F'000F'000F'000F;
  return (pairs << 8) - tens * 0x9FF;
}

/// Stores eight bytes, the lowest first.
[[gnu::always_inline]] inline void store(char* to, std::uint64_t bytes) noexcept {
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
  std::memcpy(to, &bytes, 8);
}

/// Writes all eight digits of a number below 10^8.
[[gnu::always_inline]] inline char* put_eight(char* to, std::uint32_t value) noexcept {
  store(to, split(value) | zeros);
  return to + 8;
}

/// Writes all nine digits of a number below 10^9. Needs room for 9 bytes.
[[gnu::always_inline]] inline char* put_nine(char* to, std::uint32_t value) noexcept {
  *to = static_cast<char>('0' + value / eight_digits);
  return put_eight(to + 1, static_cast<std::uint32_t>(value % eight_digits));
}

/// Writes the digits of a number below 10^8 without leading zeros. Stores eight bytes.
[[gnu::always_inline]] inline char* put_few(char* to, std::uint32_t value) noexcept {
  const std::uint64_t digits = split(value);
  constexpr std::uint64_t last = std::uint64_t{1} << 56;  // a zero has one digit
  const auto leading = static_cast<unsigned>(std::countr_zero(digits | last)) / 8;
  store(to, (digits | zeros) >> 8 * leading);
  return to + (8 - leading);
}

/// For each number below 1000: three characters in the lower three bytes, the first character in
/// the lowest byte. The highest byte is the count of the characters that belong to the number. If a
/// program's numbers are close together, only a small part of the tables is used.
struct three_digits {
  std::array<std::uint32_t, 1000> before;  ///< more digits follow: 0 has no characters, 7 is "7"
  std::array<std::uint32_t, 1000> alone;   ///< no other digits: 0 is "0"
  std::array<std::uint32_t, 1000> padded;  ///< more digits precede: 7 is "007"
};
extern const three_digits threes;

/// Stores an entry of three_digits: four bytes, the lowest first.
[[gnu::always_inline]] inline void store_three(char* to, std::uint32_t bytes) noexcept {
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap32(bytes);
  std::memcpy(to, &bytes, 4);
}

inline constexpr std::uint64_t six_digits = 1'000'000;  // 10^6

/// Writes the digits of a number below 10^6. Most integers are below 10^6. Stores up to 7 bytes.
[[gnu::always_inline]] inline char* put_small(char* to, std::uint32_t value) noexcept {
  const std::uint64_t high = std::uint64_t{value} * 4'294'968 >> 32;  // 2^32 / 1000, rounded up
  const std::uint64_t low = value - 1000 * high;
  const std::uint32_t first = threes.before[high];
  const std::uint32_t second = (high != 0 ? threes.padded : threes.alone)[low];
  const std::size_t first_size = first >> 24;
  store_three(to, first);
  store_three(to + first_size, second);
  return to + (first_size + (second >> 24));  // the next output depends on one addition only
}

/// Writes the digits of a number, at most 20 digits. Successive numbers often have the same length.
/// If the length changes, a mispredicted branch on the length costs as much as making eight digits.
[[gnu::always_inline]] inline char* put_decimal(char* to, std::uint64_t value) noexcept {
  if (value < six_digits) return put_small(to, static_cast<std::uint32_t>(value));
  if (value < eight_digits) return put_few(to, static_cast<std::uint32_t>(value));
  const std::uint64_t high = value / eight_digits;
  const auto low = static_cast<std::uint32_t>(value % eight_digits);
  if (high < eight_digits) return put_eight(put_few(to, static_cast<std::uint32_t>(high)), low);
  to = put_few(to, static_cast<std::uint32_t>(high / eight_digits));
  return put_eight(put_eight(to, static_cast<std::uint32_t>(high % eight_digits)), low);
}

/// The counts of digits of numbers, by the index of their highest bit.
struct digit_counts {
  /// For 32 bits: the upper half of the sum of the number and this entry is the count. Example: the
  /// entry for 8 to 15 is 2 * 2^32 - 10, so the count is 1 for 9, and 2 for 10.
  std::array<std::uint64_t, 32> sums;
  /// For 64 bits: the count of digits of the largest number with that highest bit.
  std::array<std::uint8_t, 64> most;
};
inline constexpr auto counts_of_digits = [] {
  digit_counts table{};
  for (std::size_t bit = 0; bit != table.most.size(); ++bit) {
    const std::uint64_t least = std::uint64_t{1} << bit;
    const auto digits_of = [](std::uint64_t number) {
      std::uint8_t count = 1;
      for (; number >= 10; number /= 10) ++count;
      return count;
    };
    const std::uint8_t fewer = digits_of(least), most = digits_of(2 * (least - 1) + 1);
    table.most[bit] = most;
    if (bit >= table.sums.size()) continue;
    table.sums[bit] = std::uint64_t{most} << 32;
    if (fewer != most) table.sums[bit] -= small_powers_of_ten[fewer];
  }
  return table;
}();

/// Returns the index of the highest bit of a number that is not 0. The x86 instruction bsr keeps
/// its target register if the number is 0, so bsr depends on the old value of the target register.
/// Compilers choose the register of the last call's result as the target. Then bsr would wait for
/// that call. Here the target is the register of the number itself.
template <class Unsigned>
[[gnu::always_inline]] inline std::size_t highest_bit(Unsigned number) noexcept {
#if defined(__x86_64__) && !defined(__LZCNT__)
  asm("bsr %0, %0" : "+r"(number) : : "cc");
  return number;
#else
  return std::numeric_limits<Unsigned>::digits - 1 -
         static_cast<std::size_t>(std::countl_zero(number));
#endif
}

/// A fixed-point number whose integer part is the next digits of a text. The number has ten bits
/// before the point and 54 bits after the point. Three digits at a time are taken from before the
/// point.
class leading_digits {
 public:
  static constexpr int point = 54;

  explicit leading_digits(std::uint64_t number) noexcept : number_(number) {}

  /// Stores ten digits.
  [[gnu::always_inline]] void store(char* to) noexcept {
    store_next(to);
    for (int i = 3; i != 9; i += 3) {
      shift(1000);
      store_next(to + i);
    }
    shift(10);
    to[9] = static_cast<char>('0' + (number_ >> point));
  }

 private:
  void shift(std::uint64_t by) noexcept {
    number_ = (number_ & ((std::uint64_t{1} << point) - 1)) * by;
  }
  void store_next(char* to) const noexcept { store_three(to, threes.padded[number_ >> point]); }

  std::uint64_t number_;
};

/// 10^(3 - count) in the unit of leading_digits, rounded up. The product with a number of `count`
/// digits, at most 10, has the digits of that number: the excess of the product is less than one
/// unit of the last digit. For example, 12345 becomes 123.45.
inline constexpr auto leading_digit_factors = [] {
  std::array<std::uint64_t, 11> table{};
  for (std::size_t count = 1; count != table.size(); ++count) {
    const auto thousand = static_cast<unsigned __int128>(1000) << leading_digits::point;
    table[count] = static_cast<std::uint64_t>((thousand - 1) / small_powers_of_ten[count]) + 1;
  }
  return table;
}();

inline constexpr std::uint64_t ten_digits = 10'000'000'000;  // 10^10

[[gnu::always_inline]] inline std::size_t count_digits(std::uint32_t value) noexcept {
  return static_cast<std::size_t>((value + counts_of_digits.sums[highest_bit(value | 1)]) >> 32);
}

/// Writes the digits of a number that has `count` digits. Stores ten bytes.
[[gnu::always_inline]] inline char* put_counted(char* to, std::uint32_t value,
                                                std::size_t count) noexcept {
  leading_digits(value * leading_digit_factors[count]).store(to);
  return to + count;
}

/// Writes the digits of a number without a branch on their count. Stores ten bytes.
[[gnu::always_inline]] inline char* put_branchless(char* to, std::uint32_t value) noexcept {
  return put_counted(to, value, count_digits(value));
}

[[gnu::always_inline]] inline std::size_t count_digits(std::uint64_t value) noexcept {
  const std::size_t most = counts_of_digits.most[highest_bit(value | 1)];
  return most - ((value | 1) < small_powers_of_ten[most - 1]);
}

/// Writes the digits of a number without a branch on their count, in two halves of ten digits.
/// Stores twenty bytes.
[[gnu::always_inline]] inline char* put_branchless(char* to, std::uint64_t value) noexcept {
  const std::size_t count = count_digits(value);
  // The number with zeros appended, so that it has twenty digits.
  const auto twenty = static_cast<unsigned __int128>(value) * small_powers_of_ten[20 - count];
  // 10^10 is 2^10 times 9765625, and the factor is 2^87 / 9765625, rounded up.
  constexpr std::uint64_t factor = 15'845'632'502'852'867'519U;
  const auto high = static_cast<std::uint64_t>(
      static_cast<unsigned __int128>(static_cast<std::uint64_t>(twenty >> 10)) * factor >> 87);
  const std::uint64_t low = static_cast<std::uint64_t>(twenty) - high * ten_digits;
  leading_digits(high * leading_digit_factors[10]).store(to);
  leading_digits(low * leading_digit_factors[10]).store(to + 10);
  return to + count;
}

/// The text of eight digits, for floating-point numbers.
class eight_characters {
 public:
  explicit eight_characters(std::uint64_t number) noexcept
      : digits_(split(static_cast<std::uint32_t>(number))) {}

  /// Returns the count of characters up to the last character that is not '0', for example 2 for
  /// "12000000". If `has_more` is true, a nonzero digit follows the eight digits. In this case
  /// returns 9.
  int significant(bool has_more = false) const noexcept {
    return has_more ? 9 : 8 - std::countl_zero(digits_) / 8;
  }
  void store(char* to) const noexcept { detail::store(to, digits_ | zeros); }
  /// Stores the text with a point before the character of this index, 0 to 8.
  void store(char* to, int point) const noexcept {
    store(to);
    to += point;
    // Shifts in two steps, because a shift by 64 would be undefined.
    detail::store(to + 1, (digits_ | zeros) >> 4 * point >> 4 * point);
    *to = '.';
  }

 private:
  std::uint64_t digits_;
};

/// The text of sixteen digits, given as two numbers of eight digits.
class two_eight_characters {
 public:
  two_eight_characters(std::uint64_t high, std::uint64_t low) noexcept : high_(high), low_(low) {}

  int significant(bool has_more = false) const noexcept {
    const int low = low_.significant(has_more);
    return low != 0 ? 8 + low : high_.significant();
  }
  void store(char* to) const noexcept {
    high_.store(to);
    low_.store(to + 8);
  }
  /// Stores the text with a point before the character of this index, 0 to 16.
  void store(char* to, int point) const noexcept {
    if (point < 8) {
      high_.store(to, point);
      low_.store(to + 9);  // overwrites the extra bytes of the first store
    } else {
      high_.store(to);
      low_.store(to + 8, point - 8);
    }
  }

 private:
  eight_characters high_, low_;
};

namespace {

/// The text of sixteen digits in one vector of 16 bytes.
template <class Vector>
class sixteen_in_vector {
  using lanes = simd::lanes<Vector>;
  using vector = typename Vector::type;

 public:
  sixteen_in_vector(std::uint64_t high, std::uint64_t low) noexcept {
    // The algorithm of split(), for two numbers in one vector.
    const vector eights = lanes::pair(high, low);
    const vector upper =
        lanes::template shift_right_64<45>(lanes::multiply_32(eights, 3'518'437'209));
    const vector rest = lanes::template shift_left_64<32>(lanes::multiply_32(upper, 10000));
    const vector fours =
        lanes::subtract_64(lanes::add_64(lanes::template shift_left_64<32>(eights), upper), rest);
    const vector hundreds = lanes::template shift_right_16<3>(lanes::multiply_high_16(fours, 5243));
    const vector ones = lanes::subtract_16(fours, lanes::multiply_16(hundreds, 100));
    const vector twos = Vector::bit_or(hundreds, lanes::template shift_left_32<16>(ones));
    const vector tens = lanes::multiply_high_16(twos, 6554);
    digits_ =
        lanes::subtract_16(lanes::template shift_left_16<8>(twos), lanes::multiply_16(tens, 0x9FF));
  }

  int significant(bool has_more = false) const noexcept {
    const auto others =
        static_cast<unsigned>(Vector::bits(lanes::greater(digits_, Vector::splat('\0'))));
    return 31 ^ std::countl_zero(2 * (unsigned{has_more} << 16 | others) + 1);
  }
  void store(char* to) const noexcept { simd::store<Vector>(to, characters()); }
  void store(char* to, int point) const noexcept {
    // First the whole text is stored one byte to the right, where the part after the point belongs.
    // Then the characters before the point are stored at their own offsets.
    alignas(16) static constexpr auto before = [] {
      std::array<char, 32> bytes{};
      for (std::size_t i = 0; i != 16; ++i) bytes[i] = '\xFF';
      return bytes;
    }();
    const vector mask = Vector::load(before.data() + 16 - point);
    const vector text = characters();
    store(to + 1);
    simd::store<Vector>(to, lanes::select(mask, text, lanes::shift_bytes(text)));
    to[point] = '.';
  }

 private:
  vector characters() const noexcept { return Vector::bit_or(digits_, Vector::splat('0')); }

  vector digits_;
};

using sixteen_characters =
    std::conditional_t<simd::native::width == 16, sixteen_in_vector<simd::native>,
                       two_eight_characters>;

}  // namespace

/// "00" to "99"
inline constexpr auto pairs = [] {
  std::array<std::array<char, 2>, 100> table{};
  for (std::size_t i = 0; i != table.size(); ++i)
    table[i] = {static_cast<char>('0' + i / 10), static_cast<char>('0' + i % 10)};
  return table;
}();

/// Writes a decimal exponent of two to four digits, with its letter and its sign.
[[gnu::always_inline]] inline char* put_exponent(char* to, int exponent, char letter) noexcept {
  to[0] = letter;
  to[1] = exponent < 0 ? '-' : '+';
  to += 2;
  auto magnitude = static_cast<unsigned>(exponent < 0 ? -exponent : exponent);
  if (magnitude >= 1000) {  // only for long double
    *to++ = static_cast<char>('0' + magnitude / 1000);
    *to++ = static_cast<char>('0' + magnitude / 100 % 10);
  } else {
    *to = static_cast<char>('0' + magnitude / 100);
    to += magnitude >= 100;
  }
  std::memcpy(to, pairs[magnitude % 100].data(), 2);
  return to + 2;
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
