// Numbers with a few decimals, for example prices. There is no branch on rounding, and below 10^6
// no branch on the length, because these branches cannot be predicted.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "format/digits.hpp"
#include "number/binary_float.hpp"
#include "number/powers_of_ten.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// Replaces the division by 10^i: n / 10^i is (n * factor) >> (64 + shift), for n <= 2^63.
struct reciprocal {
  std::uint64_t factor;
  int shift;
};

/// A finite non-negative value, rounded to 1 to 6 decimals. A tie goes to the even digit.
class few_decimals {
 public:
  static constexpr int most = 6;

  [[gnu::always_inline]] few_decimals(double value, int decimals) noexcept;

  /// False for 0, for numbers that are too small or too large, and if the count of decimals is not
  /// 1 to 6.
  bool is_supported() const noexcept { return is_supported_; }
  /// The number of characters that store() writes.
  std::size_t size() const noexcept {
    return count_digits(whole_) + 1 + static_cast<std::size_t>(decimals_);
  }
  /// Needs room for 7 bytes more than size().
  [[gnu::always_inline]] char* store(char* to) const noexcept;

 private:
  static constexpr auto reciprocals = [] {
    std::array<reciprocal, most + 1> table{};
    for (std::size_t i = 1; i != table.size(); ++i) {
      const std::uint64_t power = small_powers_of_ten[i];
      const int shift = static_cast<int>(std::bit_width(power)) - 1;
      const auto dividend = static_cast<unsigned __int128>(1) << (64 + shift);
      table[i] = {static_cast<std::uint64_t>(dividend / power) + 1, shift};
    }
    return table;
  }();

  std::uint64_t whole_ = 0;
  std::uint64_t millionths_ = 0;
  int decimals_;
  bool is_supported_ = false;
};

// A double is m × 2^e with m < 2^53. The product m × 10^decimals has at most 73 bits. A right shift
// by -e cuts the product exactly at the point. The bits that are cut off decide the rounding.
inline few_decimals::few_decimals(double value, int decimals) noexcept : decimals_(decimals) {
  const auto [mantissa, exponent] = decompose(value);
  const int cut = -exponent;
  if (static_cast<unsigned>(decimals) - 1 >= most || static_cast<unsigned>(cut) - 1 > 62) return;
  const auto index = static_cast<std::size_t>(decimals);
  const std::uint64_t scale = small_powers_of_ten[index];
  const auto scaled = static_cast<unsigned __int128>(mantissa) * scale;
  const auto low = static_cast<std::uint64_t>(scaled);
  const auto high = static_cast<std::uint64_t>(scaled >> 64);
  if (high >> (cut - 1) != 0) return;  // from here on, `rounded` is at most 2^63
  std::uint64_t rounded = low >> cut | high << (64 - cut);
  const std::uint64_t rest = low << (64 - cut);
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  rounded += rest > half - (rounded & 1);
  const reciprocal by = reciprocals[index];
  whole_ = static_cast<std::uint64_t>(static_cast<unsigned __int128>(rounded) * by.factor >> 64) >>
           by.shift;
  millionths_ = (rounded - whole_ * scale) * small_powers_of_ten[most - index];
  is_supported_ = true;
}

inline char* few_decimals::store(char* to) const noexcept {
  to = put_decimal(to, whole_);
  *to = '.';
  const std::uint64_t thousandths = millionths_ * 4'294'968 >> 32;  // 2^32 / 1000, rounded up
  const std::uint64_t rest = millionths_ - 1000 * thousandths;
  detail::store(
      to + 1, (threes.padded[thousandths] & 0xFF'FFFF) | std::uint64_t{threes.padded[rest]} << 24);
  return to + 1 + decimals_;
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
