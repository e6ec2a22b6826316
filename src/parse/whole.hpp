// Texts that are a number from end to end, as fields of a row are. Their length is known before
// they are read. So a vector is filled with them from the right, and there is no branch on it.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "parse/round_quickly.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

/// What a text is: digits, with a point before the last `decimals` of them.
struct whole_number {
  std::uint64_t digits;
  std::uint32_t decimals;
  bool found;  ///< false: it may be anything else
};

/// One set of vector instructions.
struct whole_way {
  const char* name;
  /// Reads a text of 1 to 19 digits.
  whole_number (*integer)(const char* text, std::size_t size) noexcept;
  /// The same with a point in it or beside it, or with none.
  whole_number (*decimal)(const char* text, std::size_t size) noexcept;
};

/// The ways that this processor has, the quickest first.
[[gnu::cold]] std::span<const whole_way> whole_ways() noexcept;

/// The quickest way, or null.
inline const whole_way* best_whole_way() noexcept {
  static constinit std::atomic<bool> known{false};
  static constinit std::atomic<const whole_way*> best{nullptr};
  if (!known.load(std::memory_order_acquire)) [[unlikely]] {
    const auto ways = whole_ways();
    best.store(ways.empty() ? nullptr : ways.data(), std::memory_order_relaxed);
    known.store(true, std::memory_order_release);
  }
  return best.load(std::memory_order_relaxed);
}

/// Reads a text that is nothing but a number in the form of parse_number(). False: it may be
/// anything else, and the value has not changed.
template <class Number>
[[gnu::always_inline]] inline bool parse_whole(const whole_way& way, const char* text,
                                               std::size_t size, Number& value) noexcept {
  using limits = std::numeric_limits<Number>;
  const bool negative = limits::is_signed && size != 0 && *text == '-';
  if constexpr (std::floating_point<Number>) {
    const whole_number n = way.decimal(text + negative, size - negative);
    if (!n.found) [[unlikely]]
      return false;
    if (n.digits == 0) [[unlikely]] {
      value = negative ? -Number{0} : Number{0};
      return true;
    }
    return round_quickly(n.digits, -static_cast<int>(n.decimals), negative, value);
  } else {
    const whole_number n = way.integer(text + negative, size - negative);
    if (!n.found || n.digits > static_cast<std::uint64_t>(limits::max())) [[unlikely]]
      return false;
    value = static_cast<Number>(negative ? 0 - n.digits : n.digits);
    return true;
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
