// The number at the start of a text, for reader::parse, leat::parse and `>>`.
//
// The end of one number decides where the next number begins. So with AVX2 the end is computed
// first. All short numbers take one path, without a branch on the length, the sign or the position
// of the point.
#include "parse/first.hpp"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/cpu_dispatch.hpp"
#include "base/over_read.hpp"
#include "base/processor.hpp"
#include "parse/digits.hpp"
#include "parse/number.hpp"
#include "parse/read_value.hpp"
#include "parse/round_quickly.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

template <class Number>
[[gnu::noinline]] first_number<Number> first_by_words(const char* at, const char* end) noexcept {
  Number value{};
  while (at != end && is_blank(*at)) ++at;
  if constexpr (std::integral<Number>)
    if (const char* const stop = take_short_integer(at, end, value)) return {stop, value};
  const auto [stop, error] = parse_number(at, end, value);
  if (error != std::errc{} || stop == end) return {nullptr, value};
  // Bytes after the end could make "1.5e+7" of "1.5e+", "infinity" of "infin", "nan(1)" of "nan(".
  const char lower = static_cast<char>(*stop | 0x20);
  const bool may_continue =
      std::floating_point<Number> && ((lower >= 'a' && lower <= 'z') || lower == '(');
  return {may_continue ? nullptr : stop, value};
}

#if defined(LEAT_WIDE_VECTORS)

#  define LEAT_TARGET_AVX2 [[gnu::target("avx2,bmi,lzcnt")]]
#  define LEAT_INLINE [[gnu::target("avx2,bmi,lzcnt"), gnu::always_inline]] inline

LEAT_INLINE __m128i load_sixteen(const void* from) noexcept {
  return _mm_loadu_si128(static_cast<const __m128i_u*>(from));
}
LEAT_INLINE unsigned marks_of(__m128i bytes) noexcept {
  return static_cast<unsigned>(_mm_movemask_epi8(bytes));
}
LEAT_INLINE unsigned marks_of(__m256i bytes) noexcept {
  return static_cast<unsigned>(_mm256_movemask_epi8(bytes));
}

struct alignas(32) vector {
  explicit constexpr vector(int byte) noexcept {
    for (char& each : bytes) each = static_cast<char>(byte);
  }
  char bytes[32];
};
struct constant_vectors {
  // If digits_first is added to characters, '0' to '9' become the lowest signed values. If
  // points_first is added, '.', '/' and '0' to '9' become the lowest signed values.
  vector digits_first{-128 - '0'}, last_digit{-128 + 9};
  vector points_first{-128 - '.'}, last_after_points{-128 + '9' - '.'};
  vector minus_zero{-'0'}, points{'.'};
};
/// If GCC knew the values, GCC would make each vector by three instructions.
LEAT_INLINE const constant_vectors& constants() noexcept {
  static constexpr constant_vectors all;
  const constant_vectors* known = &all;
  __asm__("" : "+r"(known));
  return *known;
}
LEAT_INLINE __m128i half(const vector& v) noexcept {
  return _mm_load_si128(reinterpret_cast<const __m128i*>(v.bytes));
}
LEAT_INLINE __m256i whole(const vector& v) noexcept {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(v.bytes));
}

/// Masks for a shuffle of 16 bytes. The mask at offset n moves the first n bytes to the end, after
/// zeros.
constexpr signed char shuffle_to_end[32] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                            -1, -1, -1, -1, -1, 0,  1,  2,  3,  4,  5,
                                            6,  7,  8,  9,  10, 11, 12, 13, 14, 15};

/// Returns a mask of the characters that are not digits.
LEAT_INLINE __m128i non_digits_in(__m128i text, const constant_vectors& c) noexcept {
  return _mm_cmpgt_epi8(_mm_add_epi8(text, half(c.digits_first)), half(c.last_digit));
}
LEAT_INLINE __m256i non_digits_in(__m256i text, const constant_vectors& c) noexcept {
  return _mm256_cmpgt_epi8(_mm256_add_epi8(text, whole(c.digits_first)), whole(c.last_digit));
}
/// Returns a mask of the characters that end a number: all except digits, points and slashes.
LEAT_INLINE __m128i number_ends_in(__m128i text, const constant_vectors& c) noexcept {
  return _mm_cmpgt_epi8(_mm_add_epi8(text, half(c.points_first)), half(c.last_after_points));
}
LEAT_INLINE __m256i number_ends_in(__m256i text, const constant_vectors& c) noexcept {
  return _mm256_cmpgt_epi8(_mm256_add_epi8(text, whole(c.points_first)),
                           whole(c.last_after_points));
}
/// The values of digits; 0 for other characters.
LEAT_INLINE __m128i digits_in(__m128i text, __m128i others, const constant_vectors& c) noexcept {
  return _mm_andnot_si128(others, _mm_add_epi8(text, half(c.minus_zero)));
}

/// Joins digits to pairs, and pairs to fours: the value of four digits in each lane of 32 bits.
LEAT_INLINE __m128i join_four(__m128i digits) noexcept {
  return _mm_madd_epi16(_mm_maddubs_epi16(digits, _mm_set1_epi16(1 << 8 | 10)),
                        _mm_set1_epi32(1 << 16 | 100));
}
/// The value of sixteen digits.
LEAT_INLINE std::uint64_t join_sixteen(__m128i digits) noexcept {
  const __m128i fours = join_four(digits);
  const __m128i eights =
      _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(1 << 16 | 10000));
  const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
  return (both & 0xFFFF'FFFF) * 100'000'000 + (both >> 32);
}

/// The value of up to 24 digits: the last sixteen digits are in `last`, the digits before them at
/// the end of `before`. If the value has more than 19 digits, returns a number of more than 19
/// digits.
LEAT_INLINE std::uint64_t join_long(__m128i before, __m128i last) noexcept {
  const auto fours = static_cast<std::uint64_t>(_mm_extract_epi64(join_four(before), 1));
  const std::uint64_t high = (fours & 0xFFFF'FFFF) * 10'000 + (fours >> 32);
  if (high >= 1000) [[unlikely]]
    return ~std::uint64_t{0};
  return high * 10'000'000'000'000'000 + join_sixteen(last);
}
constexpr std::uint64_t most_joined = 9'999'999'999'999'999'999U;

/// Skips one blank. Branches on the blank, so that the address of the number does not wait for the
/// blank. For integers, no branch distinguishes spaces from newlines: texts have both characters,
/// and the processor can't predict which character comes next. For floating-point numbers, the
/// additional instructions would cost 3 %.
template <class Number>
[[gnu::always_inline]] inline const char* skip_blank(const char* at) noexcept {
  bool blank = is_blank(*at);
  if constexpr (std::integral<Number>) __asm__("" : "+r"(blank));
  if (blank) [[likely]] {
    ++at;
    __asm__("" : "+r"(at));
  }
  return at;
}

/// The implementations load at most a blank, 32 characters and an exponent of 6 characters.
constexpr std::ptrdiff_t max_loaded = 39;
/// Reads a number that has fewer than `max_loaded` bytes up to the text's end. `by` loads bytes
/// beyond the text, so a number may seem to end at `end` or later. Such an integer reaches the end
/// of the text. Such a floating-point number is read again, by words: "1.2.3" seems to be one
/// number.
template <class Number>
[[gnu::noinline]] first_number<Number> first_near_end(
    const char* at, const char* end,
    first_number<Number> (*by)(const char* at, const char* end) noexcept) noexcept {
  if (at == end || skip_blank<Number>(at) == end) return {nullptr, 0};
  const bool can_load = may_read_beyond(end, static_cast<std::size_t>(max_loaded));
  return can_load ? by(at, end) : first_by_words<Number>(at, end);
}

/// An integer of at least 16 characters: leading zeros and up to 19 digits after them, together at
/// most 24 digits.
template <class Int>
LEAT_TARGET_AVX2 [[gnu::noinline]] first_number<Int> long_integer_by_avx2(
    const char* at, const char* end) noexcept {
  const char* const first = skip_blank<Int>(at);
  const bool negative = std::numeric_limits<Int>::is_signed && *first == '-';
  const constant_vectors& c = constants();
  const __m256i both = _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(first));
  const __m256i others = non_digits_in(both, c);
  const auto count = static_cast<unsigned>(std::countr_zero(marks_of(others) - negative));
  if (count < 16 || count - negative > 24 || first + count >= end) [[unlikely]]
    return first_by_words<Int>(at, end);
  const __m128i text = _mm256_castsi256_si128(both), last = load_sixteen(first + count - 16);
  const std::uint64_t magnitude =
      join_long(_mm_shuffle_epi8(digits_in(text, _mm256_castsi256_si128(others), c),
                                 load_sixteen(shuffle_to_end + count - 16)),
                digits_in(last, non_digits_in(last, c), c));
  if (magnitude > std::min<std::uint64_t>(most_joined, std::numeric_limits<Int>::max()))
      [[unlikely]]
    return first_by_words<Int>(at, end);
  return {first + count, with_sign<Int>(magnitude, negative)};
}

template <class Int, bool IsNearEnd = false>
LEAT_TARGET_AVX2 first_number<Int> integer_by_avx2(const char* at, const char* end) noexcept {
  if constexpr (!IsNearEnd)
    if (end - at < max_loaded) [[unlikely]]
      return first_near_end<Int>(at, end, integer_by_avx2<Int, true>);
  const char* const first = skip_blank<Int>(at);
  const bool negative = std::numeric_limits<Int>::is_signed && *first == '-';
  const constant_vectors& c = constants();
  const __m128i text = load_sixteen(first);
  const __m128i others = non_digits_in(text, c);
  const auto count = static_cast<unsigned>(std::countr_zero(marks_of(others) - negative));
  if (count - negative - 1 >= 15) [[unlikely]]
    return long_integer_by_avx2<Int>(at, end);
  if constexpr (IsNearEnd)
    if (first + count >= end) return {nullptr, 0};
  const std::uint64_t magnitude = join_sixteen(
      _mm_shuffle_epi8(digits_in(text, others, c), load_sixteen(shuffle_to_end + count)));
  return {first + count, with_sign<Int>(magnitude, negative)};
}

/// Removes the character at `point`: moves the bytes before `point` by one position. If `point` is
/// -1, removes nothing. `moves` is a mask for a shuffle.
LEAT_INLINE __m128i remove_point(__m128i moves, int point) noexcept {
  const __m128i after_point = _mm_cmpgt_epi8(moves, _mm_set1_epi8(static_cast<char>(point)));
  return _mm_sub_epi8(_mm_add_epi8(moves, _mm_set1_epi8(-1)), after_point);
}

/// The offset of a number's point; -1 if there is none. `others`: a bit for the point.
LEAT_INLINE int point_of(unsigned others) noexcept {
  return 31 - static_cast<int>(_lzcnt_u32(others));
}
/// `others` has a bit for each character that is not a digit. True if these characters are at most
/// one point, and if there are 1 to 24 digits. `points` may have more bits.
LEAT_INLINE bool is_number(unsigned count, unsigned others, unsigned points) noexcept {
  const unsigned digits = count - (others != 0);
  return ((others & (others - 1)) | (others & ~points)) == 0 && digits - 1 < 24;
}
LEAT_INLINE unsigned decimals_of(unsigned count, unsigned others) noexcept {
  return others == 0 ? 0 : count - 32 + _lzcnt_u32(others);
}

/// Reads an exponent and adds it to `exponent`. Returns the end, or null if the exponent does not
/// have one to three digits.
[[gnu::always_inline]] inline const char* take_exponent(const char* at, int& exponent) noexcept {
  const bool negative = *at == '-';
  at += negative || *at == '+';
  const auto is_digit = [&] { return *at >= '0' && *at <= '9'; };
  if (!is_digit()) return nullptr;
  int value = 0;
  for (int left = 3; left != 0 && is_digit(); --left) value = 10 * value + (*at++ - '0');
  if (is_digit()) return nullptr;
  exponent += negative ? -value : value;
  return at;
}

/// A number of up to 31 characters and perhaps an exponent: leading zeros and up to 19 digits after
/// them, together at most 24 digits.
template <class Float>
LEAT_TARGET_AVX2 [[gnu::noinline]] first_number<Float> long_decimal_by_avx2(
    const char* at, const char* end) noexcept {
  const char* const first = skip_blank<Float>(at);
  const bool negative = *first == '-';
  const constant_vectors& c = constants();
  const __m256i both = _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(first));
  const auto count =
      static_cast<unsigned>(std::countr_zero(marks_of(number_ends_in(both, c)) - negative));
  if (count >= 32 || first + count >= end) [[unlikely]]
    return first_by_words<Float>(at, end);
  const __m256i are_others = non_digits_in(both, c);
  const unsigned others = (marks_of(are_others) - negative) & ~(~0U << count);
  if (!is_number(count - negative, others, marks_of(_mm256_cmpeq_epi8(both, whole(c.points)))))
      [[unlikely]]
    return first_by_words<Float>(at, end);
  const int point = point_of(others);
  const __m128i digits =
      digits_in(_mm256_castsi256_si128(both), _mm256_castsi256_si128(are_others), c);
  std::uint64_t magnitude;
  if (count <= 16) {
    magnitude = join_sixteen(
        _mm_shuffle_epi8(digits, remove_point(load_sixteen(shuffle_to_end + count), point)));
  } else {
    const int from = static_cast<int>(count) - 16;
    const __m128i after_point = _mm_cmpgt_epi8(load_sixteen(shuffle_to_end + 16),
                                               _mm_set1_epi8(static_cast<char>(point - from)));
    const __m128i last =
        _mm_blendv_epi8(load_sixteen(first + from - 1), load_sixteen(first + from), after_point);
    magnitude = join_long(
        _mm_shuffle_epi8(digits, remove_point(load_sixteen(shuffle_to_end + from), point)),
        digits_in(last, non_digits_in(last, c), c));
  }
  int exponent = -static_cast<int>(decimals_of(count, others));
  const char* stop = first + count;
  if ((*stop | 0x20) == 'e') {
    stop = take_exponent(stop + 1, exponent);
    if (stop == nullptr || stop >= end || exponent < -340 || exponent > 300) [[unlikely]]
      return first_by_words<Float>(at, end);
  }
  if (magnitude > most_joined) [[unlikely]]
    return first_by_words<Float>(at, end);
  Float value = negative ? -Float{0} : Float{0};
  if (magnitude != 0 && !round_quickly(magnitude, exponent, negative, value)) [[unlikely]]
    return first_by_words<Float>(at, end);
  return {stop, value};
}

/// A number of up to 15 characters: its digits and the power of ten are exact in a double.
template <bool IsNearEnd = false>
LEAT_TARGET_AVX2 first_number<double> decimal_by_avx2(const char* at, const char* end) noexcept {
  if constexpr (!IsNearEnd)
    if (end - at < max_loaded) [[unlikely]]
      return first_near_end<double>(at, end, decimal_by_avx2<true>);
  const char* const first = skip_blank<double>(at);
  const bool negative = *first == '-';
  const constant_vectors& c = constants();
  const __m128i text = load_sixteen(first);
  const auto count =
      static_cast<unsigned>(std::countr_zero(marks_of(number_ends_in(text, c)) - negative));
  const bool rounds_to_nearest = (_mm_getcsr() & _MM_ROUND_MASK) == _MM_ROUND_NEAREST;
  if (count >= 16 || !rounds_to_nearest || (first[count] | 0x20) == 'e')
    return long_decimal_by_avx2<double>(at, end);
  if constexpr (IsNearEnd)
    if (first + count >= end) return first_by_words<double>(at, end);
  const __m128i are_others = non_digits_in(text, c);
  const unsigned others = (marks_of(are_others) - negative) & ~(~0U << count);
  if (!is_number(count - negative, others, marks_of(_mm_cmpeq_epi8(text, half(c.points)))))
      [[unlikely]]
    return first_by_words<double>(at, end);
  static constexpr double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6, 1e7,
                                      1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};
  const auto digits = static_cast<std::int64_t>(join_sixteen(
      _mm_shuffle_epi8(digits_in(text, are_others, c),
                       remove_point(load_sixteen(shuffle_to_end + count), point_of(others)))));
  const double value = static_cast<double>(digits) / powers[decimals_of(count, others)];
  return {first + count, std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) |
                                               std::uint64_t{negative} << 63)};
}
LEAT_TARGET_AVX2 first_number<float> float_by_avx2(const char* at, const char* end) noexcept {
  return end - at >= max_loaded ? long_decimal_by_avx2<float>(at, end)
                                : first_near_end<float>(at, end, long_decimal_by_avx2<float>);
}

#endif

}  // namespace

template <class Number>
std::span<const first_implementation<Number>> first_implementations() noexcept {
  static constexpr first_implementation<Number> all[] = {
#if defined(LEAT_WIDE_VECTORS)
      [] {
        if constexpr (std::same_as<Number, float>)
          return &float_by_avx2;
        else if constexpr (std::same_as<Number, double>)
          return &decimal_by_avx2<>;
        else
          return &integer_by_avx2<Number>;
      }(),
#endif
      &first_by_words<Number>};
#if defined(LEAT_WIDE_VECTORS)
  if (!processor::has_avx2()) return std::span(all).subspan(1);
#endif
  return all;
}

template <class Number>
first_number<Number> take_first(const char* at, const char* end) noexcept {
  return cpu_dispatch<&first_implementations<Number>>::call(at, end);
}

template first_number<std::int64_t> take_first(const char*, const char*) noexcept;
template first_number<std::uint64_t> take_first(const char*, const char*) noexcept;
template first_number<float> take_first(const char*, const char*) noexcept;
template first_number<double> take_first(const char*, const char*) noexcept;

template std::span<const first_implementation<std::int64_t>> first_implementations() noexcept;
template std::span<const first_implementation<std::uint64_t>> first_implementations() noexcept;
template std::span<const first_implementation<float>> first_implementations() noexcept;
template std::span<const first_implementation<double>> first_implementations() noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
