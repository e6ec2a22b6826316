// Reads numbers from the buffer of a stream, for `>>`.
#include "parse/read_value.hpp"

#include <leat/parse.hpp>

#include <concepts>

#include "base/cpu_dispatch.hpp"
#include "base/processor.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

template <class T>
[[gnu::noinline]] const char* read_slowly(const char* at, const char* end, bool ends,
                                          T& value) noexcept {
  while (at != end && is_blank(*at)) ++at;
  return at == end ? nullptr : take_usual(at, end, ends, value);
}

// Usually one blank precedes the number. The end of one number decides where the next number
// begins. So the code must not branch on bytes whose values cannot be predicted, such as signs.

/// Reads an integer of up to eight characters; the first may be a minus sign. Returns null if the
/// integer is longer, if it does not fit in a type of less than 32 bits, or if there is no integer.
/// Reads nine bytes at `at`. The first character is handled apart, so that finding the end does not
/// wait for the sign.
template <class Int>
[[gnu::always_inline]] inline const char* take_eight(const char* at, Int& value) noexcept {
  const std::uint64_t bytes = load_word<std::uint64_t>(at + 1);
  // As other_bytes(), but one step shorter. Carries and borrows come only from bytes that are not
  // digits.
  const std::uint64_t others =
      ((bytes + (127 - '9') * every_byte) | (bytes - '0' * every_byte)) & 128 * every_byte;
  if (others == 0) return nullptr;
  const unsigned count = first_mark(others);
  const bool negative = std::numeric_limits<Int>::is_signed && *at == '-';
  const auto first = static_cast<std::uint64_t>(static_cast<unsigned char>(*at - '0')) &
                     (std::uint64_t{negative} - 1);
  const std::uint64_t magnitude =
      join_some(bytes ^ '0' * every_byte, count) + first * few_powers[count];
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Int>::max());
  const bool is_none = (first > 9) | (negative & (count == 0));
  if (is_none || (sizeof value < 4 && magnitude > most)) [[unlikely]]
    return nullptr;
  value = with_sign<Int>(magnitude, negative);
  return at + 1 + count;
}

template <class Int>
const char* read_by_words(const char* at, const char* end, bool ends, Int& value) noexcept {
  if (end - at > 17 && is_blank(*at)) [[likely]] {
    if (const char* const stop = take_eight(at + 1, value)) [[likely]]
      return stop;
    if (const char* const stop = take_short(at + 1, end, value)) return stop;
  }
  return read_slowly(at, end, ends, value);
}

#if defined(LEAT_WIDE_VECTORS)

/// Masks for a shuffle of 16 bytes. The mask at offset n moves the first n bytes to the end, after
/// zeros.
constexpr signed char to_the_end[32] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                        -1, -1, -1, -1, -1, 0,  1,  2,  3,  4,  5,
                                        6,  7,  8,  9,  10, 11, 12, 13, 14, 15};

/// read_by_words() for processors with AVX2: loads sixteen characters at once if the integer has
/// more than eight.
template <class Int>
[[gnu::target("avx2,bmi")]] const char* read_by_avx2(const char* at, const char* end, bool ends,
                                                     Int& value) noexcept {
  if (end - at <= 17 || !is_blank(*at)) [[unlikely]]
    return read_slowly(at, end, ends, value);
  if (const char* const stop = take_eight(at + 1, value)) return stop;
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i_u*>(at + 1));
  const __m128i digits = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
  const __m128i are = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
  const bool negative = std::numeric_limits<Int>::is_signed && at[1] == '-';
  // A sign counts as a digit 0.
  const std::uint32_t others = ~static_cast<std::uint32_t>(_mm_movemask_epi8(are)) - negative;
  const auto count = static_cast<unsigned>(std::countr_zero(others));
  // There is no digit, or there are more than fourteen digits.
  if (count - 1U - negative >= 14) [[unlikely]]
    return read_slowly(at, end, ends, value);
  const __m128i moved =
      _mm_shuffle_epi8(_mm_and_si128(digits, are),
                       _mm_loadu_si128(reinterpret_cast<const __m128i_u*>(to_the_end + count)));
  // Each lane joins two neighbours, so lanes hold two digits, then four, then eight.
  const __m128i twos = _mm_maddubs_epi16(moved, _mm_set1_epi16(1 << 8 | 10));
  const __m128i fours = _mm_madd_epi16(twos, _mm_set1_epi32(1 << 16 | 100));
  const __m128i eights =
      _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(1 << 16 | 10000));
  const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
  const std::uint64_t magnitude = (both & 0xFFFF'FFFF) * 100'000'000 + (both >> 32);
  if (magnitude > static_cast<std::uint64_t>(std::numeric_limits<Int>::max())) [[unlikely]]
    return read_slowly(at, end, ends, value);
  value = with_sign<Int>(magnitude, negative);
  return at + 1 + count;
}

#endif

}  // namespace

template <class Int>
std::span<const read_implementation<Int>> read_implementations() noexcept {
  static constexpr read_implementation<Int> all[] = {
#if defined(LEAT_WIDE_VECTORS)
      &read_by_avx2<Int>,
#endif
      &read_by_words<Int>};
#if defined(LEAT_WIDE_VECTORS)
  if (!processor::has_avx2()) return std::span(all).subspan(1);
#endif
  return all;
}

template <class T>
const char* read_value(const char* at, const char* end, bool ends, T& value) noexcept {
  if constexpr (std::integral<T>)
    return cpu_dispatch<&read_implementations<T>>::call(at, end, ends, value);
  else
    return read_slowly(at, end, ends, value);
}
template const char* read_value(const char*, const char*, bool, short&) noexcept;
template const char* read_value(const char*, const char*, bool, unsigned short&) noexcept;
template const char* read_value(const char*, const char*, bool, int&) noexcept;
template const char* read_value(const char*, const char*, bool, unsigned&) noexcept;
template const char* read_value(const char*, const char*, bool, long&) noexcept;
template const char* read_value(const char*, const char*, bool, unsigned long&) noexcept;
template const char* read_value(const char*, const char*, bool, long long&) noexcept;
template const char* read_value(const char*, const char*, bool, unsigned long long&) noexcept;
template const char* read_value(const char*, const char*, bool, float&) noexcept;
template const char* read_value(const char*, const char*, bool, double&) noexcept;
template const char* read_value(const char*, const char*, bool, long double&) noexcept;

template std::span<const read_implementation<short>> read_implementations() noexcept;
template std::span<const read_implementation<unsigned short>> read_implementations() noexcept;
template std::span<const read_implementation<int>> read_implementations() noexcept;
template std::span<const read_implementation<unsigned>> read_implementations() noexcept;
template std::span<const read_implementation<long>> read_implementations() noexcept;
template std::span<const read_implementation<unsigned long>> read_implementations() noexcept;
template std::span<const read_implementation<long long>> read_implementations() noexcept;
template std::span<const read_implementation<unsigned long long>> read_implementations() noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
