// The exact decimal expansion of a binary number, and exact comparisons. precise.cpp and
// shortest.cpp call these functions.
#include "format/exact.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "format/digits.hpp"
#include "number/big_number.hpp"
#include "number/binary_float.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

constexpr std::uint32_t billion = 1'000'000'000;
constexpr int billion_digits = 9;

/// A number in [0, 1) with up to 32 × Capacity bits.
template <std::size_t Capacity>
class binary_fraction {
 public:
  /// The part of mantissa × 2^-shift after the point. `shift` must be positive.
  binary_fraction(unsigned __int128 mantissa, int shift) noexcept
      : high_((static_cast<std::size_t>(shift) + 31) / 32) {
    std::fill_n(words_.begin(), high_, 0);
    const int up = static_cast<int>(32 * high_) - shift;
    std::size_t i = 0;
    words_[i++] = static_cast<std::uint32_t>(mantissa << up);
    for (mantissa >>= 32 - up; mantissa != 0 && i != high_; mantissa >>= 32)
      words_[i++] = static_cast<std::uint32_t>(mantissa);
    drop_zeros();
  }

  bool is_zero() const noexcept { return low_ == high_; }

  /// Returns the next nine digits and removes them from the number.
  std::uint32_t take_billion() noexcept {
    std::uint64_t carry = 0;
    for (std::size_t i = low_; i != high_; ++i) {
      carry += std::uint64_t{words_[i]} * billion;
      words_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    drop_zeros();
    return static_cast<std::uint32_t>(carry);
  }

 private:
  void drop_zeros() noexcept {
    while (low_ != high_ && words_[low_] == 0) ++low_;
  }

  std::array<std::uint32_t, Capacity> words_;  // the lowest word first
  std::size_t low_ = 0;
  std::size_t high_;
};

/// Returns the number of digits that rounding keeps. If the number is less than a tenth of a unit
/// of the last decimal, the result is negative. Example: -1 for 0.0001 with two decimals.
std::int64_t digits_to_keep(const decimal_text& text, int significant, int decimals) noexcept {
  return std::min<std::int64_t>(significant, std::int64_t{text.exponent} + 1 + decimals);
}

/// Rounds to `kept` digits. `more` says whether nonzero digits follow the text.
void round(decimal_text& text, std::int64_t kept, bool more) noexcept {
  if (kept >= text.count) return;
  if (kept < 0) {
    text.count = 0;
    return;
  }
  const char* const end = text.digits + text.count;
  const char* const cut = text.digits + kept;
  const bool odd = kept != 0 && (cut[-1] & 1) != 0;
  more = more || std::any_of(cut + 1, end, [](char c) { return c != '0'; });
  const bool up = *cut > '5' || (*cut == '5' && (more || odd));
  text.count = static_cast<int>(kept);
  if (!up) return;
  while (text.count != 0 && text.digits[text.count - 1] == '9') --text.count;
  if (text.count != 0) {
    ++text.digits[text.count - 1];
  } else {
    text.digits[0] = '1';
    text.count = 1;
    ++text.exponent;
  }
}

}  // namespace

template <class Float>
decimal_text write_exact(char* to, Float value, int significant, int decimals) noexcept {
  const auto [mantissa, exponent] = decompose(value);
  decimal_text text{to, 0, 0};
  if (mantissa == 0) return text;

  if (exponent > -binary_float<Float>::digits) {
    constexpr std::size_t words = std::numeric_limits<Float>::max_exponent / 32 + 1;
    big_number<words> whole = exponent >= 0 ? big_number<words>(mantissa, exponent)
                                            : big_number<words>(mantissa >> -exponent);
    // Repeated division makes the last digits first.
    char* const end = to + exact_size<Float>;
    char* begin = end;
    while (!whole.is_zero()) {
      begin -= billion_digits;
      char group[billion_digits];
      put_nine(group, whole.divide(billion));
      std::memcpy(begin, group, billion_digits);
    }
    while (begin != end && *begin == '0') ++begin;
    text.count = static_cast<int>(end - begin);
    std::memmove(to, begin, static_cast<std::size_t>(text.count));
  }
  text.exponent = text.count - 1;

  bool more = false;
  if (exponent < 0) {
    constexpr std::size_t words = (-binary_float<Float>::lowest_exponent + 31) / 32;
    binary_fraction<words> fraction(mantissa, -exponent);
    // The first digit that is not kept decides the rounding, together with `more`.
    const auto enough = [&] { return text.count > digits_to_keep(text, significant, decimals); };
    while (!fraction.is_zero() && !enough()) {
      char group[billion_digits];
      put_nine(group, fraction.take_billion());
      const char* digits = group;
      const char* const end = group + billion_digits;
      if (text.count == 0) {
        while (digits != end && *digits == '0') ++digits, --text.exponent;
      }
      std::memcpy(to + text.count, digits, static_cast<std::size_t>(end - digits));
      text.count += static_cast<int>(end - digits);
    }
    more = !fraction.is_zero();
  }
  round(text, digits_to_keep(text, significant, decimals), more);
  return text;
}

template decimal_text write_exact(char*, double, int, int) noexcept;
template decimal_text write_exact(char*, long double, int, int) noexcept;

int compare_exactly(std::uint64_t mantissa, int exponent, std::uint64_t digits,
                    int power) noexcept {
  // Both sides are multiplied by the powers that make them integers.
  exponent -= power;              // handles the powers of 2; the powers of 5 remain
  using number = big_number<28>;  // 64 bits times 5^324 (753 bits), or shifted by up to 752 bits
  number left(mantissa, std::max(exponent, 0));
  number right(digits, std::max(-exponent, 0));
  left.multiply_by_power_of_five(-power);
  right.multiply_by_power_of_five(power);
  const auto order = left <=> right;
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
