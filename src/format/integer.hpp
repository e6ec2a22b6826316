// Decimal integers of up to 64 bits, inline. write_value() and the steps of print use these
// functions.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "format/digits.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

// The fastest way to write a number branches on the number's size. A misprediction costs more than
// writing two numbers. So each thread remembers the sizes of the last numbers of a field. If these
// sizes were all alike, the number is written with a branch on its size. Otherwise put_branchless()
// writes the number without a branch.
#if defined(__GLIBC__) && __has_builtin(__builtin_thread_pointer)
#  define LEAT_KNOWS_SIZES
/// One or two bits for each of the last sixteen numbers. Threads may share a row, so the bits are
/// atomic.
class last_bits {
 public:
  operator std::uint32_t() const noexcept { return bits_.load(std::memory_order_relaxed); }
  last_bits& operator=(std::uint32_t bits) noexcept {
    bits_.store(bits, std::memory_order_relaxed);
    return *this;
  }

 private:
  std::atomic<std::uint32_t> bits_{0};
};
/// The sizes of the last sixteen numbers of a field.
struct last_sizes {
  last_bits not_small;  ///< 10^6 or more; from the bit `first_sign` on: negative
  last_bits not_32;     ///< 2^32 or more, of the numbers that put_mixed() wrote
};
constexpr std::uint32_t all_sixteen = 0xFFFF, first_sign = 0x1'0000;
constexpr std::size_t remembered_fields = 16;
// A thread_local variable would be fast only in static TLS. A library that is loaded late, for
// example an extension of Python, may find no room in static TLS. So each thread has a row of a
// table. If two threads share a row, the only effect is that wrong sizes are remembered.
constexpr int log2_of_rows = 6;
alignas(64) inline constinit last_sizes sizes_of_fields[1 << log2_of_rows][remembered_fields];

/// The thread's row of the table.
class number_sizes {
 public:
  [[gnu::always_inline]] number_sizes() noexcept {
    // 32 bits are enough to tell threads apart, and cheaper to multiply than 64 bits.
    const auto thread =
        static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer()));
    constexpr std::uint32_t hash_factor = 0x9E37'79B9;  // 2^32 / golden ratio
    row_ = sizes_of_fields[thread * hash_factor >> (32 - log2_of_rows)];
  }
  /// `field` identifies the field, for example by its code address. Some fields share an entry.
  [[gnu::always_inline]] last_sizes& of(std::uintptr_t field) const noexcept {
    // A mask of a byte offset, so that nothing is shifted.
    constexpr std::uintptr_t bits = sizeof(last_sizes) * (remembered_fields - 1);
    return *reinterpret_cast<last_sizes*>(reinterpret_cast<char*>(row_) + (field & bits));
  }

 private:
  last_sizes* row_;
};

[[gnu::always_inline]] inline std::uint32_t shift_in(std::uint32_t last, bool next) noexcept {
  return (2 * last + next) & all_sixteen;
}

/// Computes `last == 0 && value < end` in this order. Compilers would otherwise test `value < end`
/// first, and this test cannot be predicted.
template <class Unsigned>
[[gnu::always_inline]] inline bool all_below(std::uint32_t last, Unsigned value,
                                             std::uint64_t end) noexcept {
  if (last != 0) return false;
  asm volatile("");
  return value < end;
}

/// Writes a number after numbers of different sizes.
[[gnu::always_inline]] inline char* put_mixed(char* to, std::uint32_t value,
                                              last_sizes& /*sizes*/) noexcept {
  return put_branchless(to, value);
}
[[gnu::always_inline]] inline char* put_mixed(char* to, std::uint64_t value,
                                              last_sizes& sizes) noexcept {
  constexpr std::uint64_t end = std::uint64_t{1} << 32;
  if (all_below(sizes.not_32, value, end))
    return put_branchless(to, static_cast<std::uint32_t>(value));
  sizes.not_32 = shift_in(sizes.not_32, value >= end);
  return put_branchless(to, value);
}
#else
struct last_sizes {};
struct number_sizes {
  last_sizes& of(std::uintptr_t) const noexcept {
    static last_sizes none;
    return none;
  }
};
#endif

template <class Unsigned>
[[gnu::always_inline]] inline char* put_unsigned(char* to, Unsigned value,
                                                 [[maybe_unused]] last_sizes& sizes) noexcept {
#if defined(LEAT_KNOWS_SIZES)
  const std::uint32_t last = sizes.not_small;
  if (all_below(last, value, six_digits)) [[likely]]
    return put_small(to, static_cast<std::uint32_t>(value));
  sizes.not_small = shift_in(last, value >= six_digits);
  if (last != all_sixteen) return put_mixed(to, value, sizes);
#endif
  return put_decimal(to, value);
}

template <class Unsigned, class Signed>
[[gnu::always_inline]] inline char* put_signed(char* to, Signed value,
                                               [[maybe_unused]] last_sizes& sizes) noexcept {
  auto magnitude = static_cast<Unsigned>(value);
#if defined(LEAT_KNOWS_SIZES)
  const std::uint32_t last = sizes.not_small;
  if (all_below(last, magnitude, six_digits)) [[likely]]
    return put_small(to, static_cast<std::uint32_t>(magnitude));
#else
  if (magnitude < six_digits) return put_small(to, static_cast<std::uint32_t>(magnitude));
#endif
  // All ones if the value is negative. For `if` and `?`, compilers would make a branch.
  const auto sign = static_cast<Unsigned>(value >> (8 * sizeof value - 1));
  *to = '-';
  to -= static_cast<Signed>(sign);
  magnitude = (magnitude ^ sign) - sign;
#if defined(LEAT_KNOWS_SIZES)
  sizes.not_small = (2 * last & ~(all_sixteen | first_sign)) |
                    static_cast<std::uint32_t>(sign & first_sign) |
                    shift_in(last, magnitude >= six_digits);
  if ((last & all_sixteen) != 0 && (last & all_sixteen) != all_sixteen)
    return put_mixed(to, magnitude, sizes);
#endif
  return put_decimal(to, magnitude);
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
