// Exact arithmetic for the few numbers where 128 bits do not decide.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace leat {
inline namespace v0 {
namespace detail {

/// A non-negative integer of up to 32 Capacity bits. The caller knows that a result fits.
template <std::size_t Capacity>
class big_number {
 public:
  big_number() = default;
  /// value 2^shift
  explicit big_number(unsigned __int128 value, int shift = 0) noexcept {
    size_ = static_cast<std::size_t>(shift) / 32;
    std::fill_n(words_.begin(), size_, 0);
    const int bits = shift % 32;
    append(static_cast<std::uint32_t>(value << bits));
    for (value >>= 32 - bits; value != 0; value >>= 32) append(static_cast<std::uint32_t>(value));
    trim();
  }

  bool is_zero() const noexcept { return size_ == 0; }

  void multiply(std::uint32_t factor) noexcept {
    if (const std::uint32_t carry = multiply_within(factor)) append(carry);
  }

  void multiply_by_power_of_five(int exponent) noexcept {
    constexpr int most = 13;  // 5^13 < 2^32
    for (; exponent >= most; exponent -= most) multiply(1'220'703'125);
    for (; exponent > 0; --exponent) multiply(5);
  }

  /// Divides and returns the remainder.
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

  friend std::strong_ordering operator<=>(const big_number& a, const big_number& b) noexcept {
    if (a.size_ != b.size_) return a.size_ <=> b.size_;
    for (std::size_t i = a.size_; i-- != 0;)
      if (a.words_[i] != b.words_[i]) return a.words_[i] <=> b.words_[i];
    return std::strong_ordering::equal;
  }

 protected:
  /// Multiplies and returns what does not fit the size.
  std::uint32_t multiply_within(std::uint32_t factor) noexcept {
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i != size_; ++i) {
      carry += std::uint64_t{words_[i]} * factor;
      words_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    return static_cast<std::uint32_t>(carry);
  }

  void append(std::uint32_t word) noexcept { words_[size_++] = word; }
  void trim() noexcept {
    while (size_ != 0 && words_[size_ - 1] == 0) --size_;
  }

  std::array<std::uint32_t, Capacity> words_;  // the lowest first
  std::size_t size_ = 0;
};

}  // namespace detail
}  // namespace v0
}  // namespace leat
