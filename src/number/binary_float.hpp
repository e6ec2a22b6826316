// The mantissa and the exponent of a floating-point number. Used by src/format.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace leat {
inline namespace v0 {
namespace detail {

/// A finite value without its sign: mantissa × 2^exponent. The mantissa of a normal number has
/// `digits` bits, and the highest of them is set.
template <class Float>
struct binary_float {
  using integer = std::conditional_t<sizeof(Float) == 4, std::uint32_t,
                                     std::conditional_t<std::numeric_limits<Float>::digits <= 64,
                                                        std::uint64_t, unsigned __int128>>;

  static constexpr int digits = std::numeric_limits<Float>::digits;
  static constexpr int lowest_exponent = std::numeric_limits<Float>::min_exponent - digits;

  integer mantissa;
  int exponent;
};

template <class Float>
  requires(std::numeric_limits<Float>::digits <= 53)
[[gnu::always_inline]] inline binary_float<Float> decompose(Float value) noexcept {
  using result = binary_float<Float>;
  using integer = typename result::integer;
  constexpr int stored = result::digits - 1;  // the first bit of a normal number is not stored
  const auto bits = static_cast<integer>(std::bit_cast<integer>(value) << 1) >> 1;
  const auto biased = static_cast<int>(bits >> stored);
  const integer fraction = bits & ((integer{1} << stored) - 1);
  if (biased == 0) return {fraction, result::lowest_exponent};
  return {fraction | integer{1} << stored, biased - 1 + result::lowest_exponent};
}

/// decompose() for long double, whose layout depends on the platform.
template <class Float>
  requires(std::numeric_limits<Float>::digits > 53)
binary_float<Float> decompose(Float value) noexcept {
  using result = binary_float<Float>;
  if (value == 0) return {0, result::lowest_exponent};
  int exponent;
  Float mantissa = std::frexp(std::fabs(value), &exponent);  // in [1/2, 1)
  exponent -= result::digits;
  int shift = result::digits;
  if (exponent < result::lowest_exponent) {  // subnormal
    shift -= result::lowest_exponent - exponent;
    exponent = result::lowest_exponent;
  }
  mantissa = std::ldexp(mantissa, shift);
  return {static_cast<typename result::integer>(mantissa), exponent};
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
