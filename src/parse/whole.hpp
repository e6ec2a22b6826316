// Reads texts that consist of one number, such as fields of a row. Called by text.cpp. The length
// of a text is known before the text is read. So the text fills a vector from the right, without a
// branch on the length.
#pragma once

#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "base/processor.hpp"
#include "parse/round_quickly.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// The content of a text: digits, with a point before the last `decimals` of them.
struct whole_number {
  std::uint64_t digits;
  std::uint32_t decimals;
  bool is_valid;  ///< false if the text does not have this form; other forms may be numbers, too
};

/// The implementation for one set of vector instructions.
struct whole_implementation {
  const char* name;
  /// Reads a text of 1 to 19 digits.
  whole_number (*integer)(const char* text, std::size_t size) noexcept;
  /// Reads a text of 1 to 19 digits, with at most one point before, between or after the digits.
  whole_number (*decimal)(const char* text, std::size_t size) noexcept;
};

/// The implementations that this processor supports, the fastest first.
[[gnu::cold]] std::span<const whole_implementation> whole_implementations() noexcept;

/// CPU dispatch: returns the fastest implementation, or null if the processor supports none.
inline const whole_implementation* best_whole_implementation() noexcept {
  static constinit std::atomic<bool> is_chosen{false};
  static constinit std::atomic<const whole_implementation*> best{nullptr};
  if (!is_chosen.load(std::memory_order_acquire)) [[unlikely]] {
    const auto implementations = whole_implementations();
    best.store(implementations.empty() ? nullptr : implementations.data(),
               std::memory_order_relaxed);
    is_chosen.store(true, std::memory_order_release);
  }
  return best.load(std::memory_order_relaxed);
}

/// Stores the number in `value`. Returns false, with `value` unchanged, if the text has another
/// form, if the number is too large, or if round_quickly() does not decide.
template <class Number>
[[gnu::always_inline]] inline bool take_whole(const whole_number& n, bool negative, Number& value,
                                              int exponent) noexcept {
  if (!n.is_valid) [[unlikely]]
    return false;
  if constexpr (std::floating_point<Number>) {
    if (n.digits != 0) [[likely]]
      return round_quickly(n.digits, exponent - static_cast<int>(n.decimals), negative, value);
    value = negative ? -Number{0} : Number{0};
  } else {
    if (n.digits > static_cast<std::uint64_t>(std::numeric_limits<Number>::max())) [[unlikely]]
      return false;
    value = static_cast<Number>(negative ? 0 - n.digits : n.digits);
  }
  return true;
}

/// Reads a text that consists of one number in the form of parse_number(). Returns false, with
/// `value` unchanged, if the text is not one number, or if this function does not read the number's
/// form, for example more than 19 digits or an exponent. Multiplies a floating-point number by
/// 10^exponent; the table must have the powers from `exponent` - 19 to `exponent`.
template <class Number>
[[gnu::always_inline]] inline bool parse_whole(const whole_implementation& implementation,
                                               const char* text, std::size_t size, Number& value,
                                               int exponent = 0) noexcept {
  const bool negative = std::numeric_limits<Number>::is_signed && size != 0 && *text == '-';
  text += negative;
  size -= negative;
  return take_whole(std::floating_point<Number> ? implementation.decimal(text, size)
                                                : implementation.integer(text, size),
                    negative, value, exponent);
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
