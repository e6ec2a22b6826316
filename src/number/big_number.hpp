// Large integers of fixed capacity: exact arithmetic for the few numbers for which 128 bits are not
// enough. Used by src/format and src/parse.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace leat {
inline namespace v0 {
namespace detail {

/// A non-negative integer of up to 32 × Capacity bits. The caller ensures that each result fits.
template <std::size_t Capacity>
class big_number {
 public:
  big_number() = default;
  /// value × 2^shift
  explicit big_number(unsigned __int128 value, int shift = 0) noexcept { set(value, shift); }
  void set(unsigned __int128 value, int shift = 0) noexcept {
    size_ = 0;
    for (; value != 0; value >>= 32) append(static_cast<std::uint32_t>(value));
    shift_left(shift);
  }

  bool is_zero() const noexcept { return size_ == 0; }

  /// The number of bits up to the highest set bit. The number must not be zero.
  int bits() const noexcept {
    return static_cast<int>(32 * size_) - std::countl_zero(words_[size_ - 1]);
  }

  /// Multiplies by `factor` and adds `more`.
  void multiply(std::uint32_t factor, std::uint32_t more = 0) noexcept {
    std::uint64_t carry = more;
    for (std::size_t i = 0; i != size_; ++i) {
      carry += std::uint64_t{words_[i]} * factor;
      words_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) append(static_cast<std::uint32_t>(carry));
  }

  /// Multiplies by 5^exponent. If the exponent is negative, changes nothing.
  void multiply_by_power_of_five(int exponent) noexcept {
    constexpr int most = 13;  // 5^13 < 2^32
    for (; exponent >= most; exponent -= most) multiply(1'220'703'125);
    for (; exponent > 0; --exponent) multiply(5);
  }

  /// Divides by `divisor` and returns the remainder.
  std::uint32_t divide(std::uint32_t divisor) noexcept {
    std::uint64_t rest = 0;
    for (std::size_t i = size_; i-- != 0;) {
      rest = rest << 32 | words_[i];
      words_[i] = static_cast<std::uint32_t>(rest / divisor);
      rest %= divisor;
    }
    trim();
    return static_cast<std::uint32_t>(rest);
  }

  void shift_left(int count) noexcept {
    if (is_zero()) return;
    multiply(std::uint32_t{1} << count % 32);
    const auto whole = static_cast<std::size_t>(count / 32);
    std::uint32_t* const words = words_.data();
    std::copy_backward(words, words + size_, words + size_ + whole);
    std::fill_n(words, whole, 0);
    size_ += whole;
  }

  /// Subtracts `other`, which must not be larger.
  void subtract(const big_number& other) noexcept {
    std::int64_t carry = 0;  // 0 or -1
    for (std::size_t i = 0; i != size_; ++i) {
      carry += words_[i];
      if (i < other.size_) carry -= other.words_[i];
      words_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    trim();
  }

  friend bool operator==(const big_number& a, const big_number& b) noexcept {
    return (a <=> b) == 0;
  }
  friend std::strong_ordering operator<=>(const big_number& a, const big_number& b) noexcept {
    if (a.size_ != b.size_) return a.size_ <=> b.size_;
    for (std::size_t i = a.size_; i-- != 0;)
      if (a.words_[i] != b.words_[i]) return a.words_[i] <=> b.words_[i];
    return std::strong_ordering::equal;
  }

 private:
  void append(std::uint32_t word) noexcept { words_[size_++] = word; }
  void trim() noexcept {
    while (size_ != 0 && words_[size_ - 1] == 0) --size_;
  }

  std::array<std::uint32_t, Capacity> words_;  // the lowest word first
  std::size_t size_ = 0;
};

}  // namespace detail
}  // namespace v0
}  // namespace leat
