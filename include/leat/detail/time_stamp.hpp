// Times of std::chrono in one form for all units. print and format write times in this form.
#pragma once

#include <leat/detail/chrono.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <ratio>
#include <type_traits>

namespace leat {
inline namespace v0 {
namespace detail {

/// A point in time of the system's clock.
struct time_stamp {
  static constexpr std::uint32_t date_only = 10;
  static constexpr std::uint32_t local = 16;

  std::int64_t seconds;    ///< since 1970, in UTC
  std::uint32_t fraction;  ///< of the second, in units of the last decimal
  /// The number of decimals of the fraction, 0 to 9, or date_only; plus `local` for a local time.
  std::uint32_t decimals;
};

template <class T>
inline constexpr bool is_time = false;
template <class Duration>
inline constexpr bool is_time<std::chrono::time_point<std::chrono::system_clock, Duration>> =
    std::is_integral_v<typename Duration::rep>;

/// A type that is printed as a time, such as leat::stamp.
template <class T>
concept stamped = requires(const T& value) {
  { value.parts() } noexcept -> std::same_as<const time_stamp&>;
};

/// The number of decimals of a second in units of 1/`den`: as std::chrono::hh_mm_ss, but at most 9
/// decimals.
consteval unsigned decimals_of(std::intmax_t den) {
  std::intmax_t power = 1;
  for (unsigned n = 0; n <= 9; ++n, power *= 10)
    if (power % den == 0) return n;
  return 1'000'000'000'000'000'000 % den == 0 ? 9 : 6;
}

template <class Duration>
[[gnu::always_inline]] inline time_stamp stamp_of(
    const std::chrono::time_point<std::chrono::system_clock, Duration>& time) noexcept {
  using period = typename Duration::period;
  const auto count = static_cast<std::int64_t>(time.time_since_epoch().count());
  if constexpr (period::den == 1) {  // seconds or longer; saturates at the ends of int64_t
    const bool is_date = period::num % 86400 == 0;
    std::int64_t all;
    if (__builtin_mul_overflow(count, std::int64_t{period::num}, &all))
      all = (std::numeric_limits<std::int64_t>::max)() ^ (count >> 63);
    return {all, 0, is_date ? time_stamp::date_only : 0};
  } else {
    constexpr unsigned decimals = decimals_of(period::den);
    constexpr auto units = [] {
      std::intmax_t power = 1;
      for (unsigned i = 0; i != decimals; ++i) power *= 10;
      return power;
    }();
    using fractions = std::chrono::duration<std::int64_t, std::ratio<1, units>>;
    const auto whole = std::chrono::floor<std::chrono::seconds>(time);
    const auto fraction = std::chrono::duration_cast<fractions>(time - whole);
    return {whole.time_since_epoch().count(), static_cast<std::uint32_t>(fraction.count()),
            decimals};
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
