#include "parse/exact.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

/// A non-negative integer of at most as many bits as the longest numerator or denominator.
class big_integer {
 public:
  explicit big_integer(std::uint64_t value) noexcept : size_(value != 0) { words_[0] = value; }

  bool zero() const noexcept { return size_ == 0; }

  int bits() const noexcept {
    return static_cast<int>(64 * size_) - std::countl_zero(words_[size_ - 1]);
  }

  void multiply_add(std::uint64_t factor, std::uint64_t carry) noexcept {
    for (std::size_t i = 0; i != size_; ++i) {
      const auto product = static_cast<unsigned __int128>(words_[i]) * factor + carry;
      words_[i] = static_cast<std::uint64_t>(product);
      carry = static_cast<std::uint64_t>(product >> 64);
    }
    if (carry != 0) words_[size_++] = carry;
  }

  void multiply_by_power_of_5(std::int64_t exponent) noexcept {
    constexpr std::uint64_t five_to_27 = 7450580596923828125;  // the last one below 2^64
    for (; exponent >= 27; exponent -= 27) multiply_add(five_to_27, 0);
    for (; exponent != 0; --exponent) multiply_add(5, 0);
  }

  void shift_left(int count) noexcept {
    const auto whole = static_cast<std::size_t>(count / 64);
    std::copy_backward(words_, words_ + size_, words_ + size_ + whole);
    std::fill_n(words_, whole, 0);
    size_ += whole;
    if (count % 64 != 0) multiply_add(std::uint64_t{1} << count % 64, 0);
  }

  bool operator<(const big_integer& other) const noexcept {
    if (size_ != other.size_) return size_ < other.size_;
    std::size_t i = size_;
    while (i != 0 && words_[i - 1] == other.words_[i - 1]) --i;
    return i != 0 && words_[i - 1] < other.words_[i - 1];
  }

  /// Subtracts what is not larger.
  void subtract(const big_integer& other) noexcept {
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i != size_; ++i) {
      const std::uint64_t word = i < other.size_ ? other.words_[i] : 0;
      const std::uint64_t difference = words_[i] - word;
      const std::uint64_t lower = difference - borrow;
      borrow = (words_[i] < word) | (difference < borrow);
      words_[i] = lower;
    }
    while (size_ != 0 && words_[size_ - 1] == 0) --size_;
  }

 private:
  // The digits take less than 10/3 bits each. The largest denominator is a power of five, with less
  // than 7/3 bits for each digit and each of the zeros in front of them, of which there are less
  // than a third as many as digits. The last word is for shifts.
  std::uint64_t words_[most_digits<long double> * 10 / 3 / 64 + 3];
  std::size_t size_;
};

}  // namespace

leading_bits exact_bits(const char* first, const char* end, std::int64_t exponent, int most,
                        int bits) noexcept {
  big_integer numerator(0);
  bool more = false;
  for (const char* at = first; at != end;) {
    std::uint64_t part = 0;
    std::uint64_t scale = 1;
    for (; at != end && scale != 10'000'000'000'000'000'000U; ++at) {
      if (*at == '.') continue;
      const auto digit = static_cast<unsigned>(*at - '0');
      if (most != 0) {
        part = 10 * part + digit;
        scale *= 10;
        --most;
      } else {
        more |= digit != 0;
        ++exponent;
      }
    }
    numerator.multiply_add(scale, part);
  }
  // 10 is 5 × 2, and the twos are the binary exponent's.
  big_integer denominator(1);
  (exponent < 0 ? denominator : numerator)
      .multiply_by_power_of_5(exponent < 0 ? -exponent : exponent);
  // Made of one length, and then so that the quotient is between 1 and 2.
  int shift = numerator.bits() - denominator.bits();
  if (shift > 0)
    denominator.shift_left(shift);
  else
    numerator.shift_left(-shift);
  if (numerator < denominator) {
    numerator.shift_left(1);
    --shift;
  }
  unsigned __int128 quotient = 0;
  for (int i = 0; i != bits; ++i) {
    quotient <<= 1;
    if (!(numerator < denominator)) {
      numerator.subtract(denominator);
      quotient |= 1;
    }
    numerator.shift_left(1);
  }
  return {quotient, exponent + shift - (bits - 1), more || !numerator.zero()};
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
