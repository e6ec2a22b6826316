// Reads numbers from text in memory, for leat::parse and its variants.
#include <leat/parse.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/over_read.hpp"
#include "parse/digits.hpp"
#include "parse/number.hpp"
#include "parse/read_value.hpp"
#include "parse/whole.hpp"

namespace leat {
inline namespace v0 {

namespace detail {

namespace {

/// The length of the longest text that parse_whole() reads.
constexpr std::size_t longest_whole = 21;

/// Reads a text of up to 8 characters: digits, perhaps after a minus sign. No branch depends on the
/// length or the sign. Returns false, with `value` unchanged, if the text has another form, or if
/// the absolute value exceeds the type's maximum.
template <class Int>
[[gnu::always_inline]] inline bool parse_few_digits(std::string_view text, Int& value) noexcept {
  const std::size_t size = text.size();
  if (size - 1 >= 8) return false;
  char copy[8];
  const auto shift = static_cast<unsigned>(8 * (8 - size));
  // The bytes after the text are shifted out, and zeros come before the digits.
  std::uint64_t digits =
      (load_word<std::uint64_t>(extend_to(text.data(), size, copy)) ^ '0' * every_byte) << shift;
  const bool negative = std::numeric_limits<Int>::is_signed && size != 1 && text.front() == '-';
  digits &= ~(std::uint64_t{negative} * 0xFF << shift);  // without the sign
  if (mark_non_digits(digits) != 0) return false;
  const std::uint64_t magnitude = join_eight(digits);
  if constexpr (sizeof value < 4)
    if (magnitude > static_cast<std::uint64_t>(std::numeric_limits<Int>::max())) return false;
  value = with_sign<Int>(magnitude, negative);
  return true;
}

template <class T>
parse_result<T> parse_after_blanks(std::string_view text, int base) noexcept {
  const char* const end = text.data() + text.size();
  const char* const first = std::find_if_not(text.data(), end, is_blank);
  parse_result<T> result;
  const auto [stop, error] = parse_number(first, end, result.value, base);
  result.ec = error;
  result.rest = error == std::errc::invalid_argument ? text : std::string_view(stop, end);
  return result;
}

/// Reads a number with an exponent of one to three digits, for example "1.5e-7". Returns false,
/// with `value` unchanged, if the text has another form, or if only parse_number() can read the
/// number.
template <class Float>
[[gnu::always_inline]] inline bool parse_with_exponent(const whole_implementation& implementation,
                                                       std::string_view text,
                                                       Float& value) noexcept {
  std::size_t left = text.size();
  int exponent = 0;
  int scale = 1;
  for (; left != 0 && scale < 1000 && text[left - 1] >= '0' && text[left - 1] <= '9'; --left) {
    exponent += scale * (text[left - 1] - '0');
    scale *= 10;
  }
  if (left < 2 || scale == 1) return false;
  if (text[left - 1] == '-' || text[left - 1] == '+') {
    if (text[left - 1] == '-') exponent = -exponent;
    --left;
  }
  if (left < 2 || (text[left - 1] | 0x20) != 'e' || exponent < -300 || exponent > 300) return false;
  return parse_whole(implementation, text.data(), left - 1, value, exponent);
}

/// Reads a text that is more than a number, or an unusual number. This call ends parse_text(), so
/// that the usual case keeps no registers for it.
template <class T>
[[gnu::noinline]] parse_result<T> parse_unusual_text(std::string_view text) noexcept {
  if constexpr (std::integral<T>) {
    // The text is empty or a word: no integer begins with a character above '9'.
    if (text.empty() || text.front() > '9') return {T{}, text, std::errc::invalid_argument};
  }
  // A long double of more than 8 bytes needs more than 64 bits.
  if constexpr (!std::floating_point<T> || sizeof(T) <= 8) {
    if constexpr (std::floating_point<T>) {
      const whole_implementation* const implementation = best_whole_implementation();
      if (T value; implementation != nullptr && parse_with_exponent(*implementation, text, value))
        return {value, text.substr(text.size()), std::errc{}};
    }
    if (text.size() > longest_whole) {
      const auto [stop, value] = take_first<first_type<T>>(text.data(), text.data() + text.size());
      const T result = static_cast<T>(value);
      if (stop != nullptr && result == value) [[likely]]
        return {result, text.substr(static_cast<std::size_t>(stop - text.data())), std::errc{}};
    }
  }
  return parse_after_blanks<T>(text, 10);
}

}  // namespace

template <class T>
parse_result<T> parse_text(std::string_view text) noexcept {
  if constexpr (!std::floating_point<T> || sizeof(T) <= 8) {
    parse_result<T> result;
    // Numbers of 64 bits often have more than 8 characters. Then this branch would be mispredicted.
    if constexpr (std::integral<T> && sizeof(T) <= 4) {
      if (parse_few_digits(text, result.value)) [[likely]] {
        result.rest = text.substr(text.size());
        return result;
      }
    }
    const whole_implementation* const implementation = best_whole_implementation();
    if (implementation != nullptr &&
        parse_whole(*implementation, text.data(), text.size(), result.value)) [[likely]] {
      result.rest = text.substr(text.size());
      return result;
    }
  }
  return parse_unusual_text<T>(text);
}

template <class T>
parse_result<T> parse_text(std::string_view text, int base) noexcept {
  if (base == 10) return parse_text<T>(text);
  if (!is_base(base)) return {T{}, text, std::errc::invalid_argument};
  return parse_after_blanks<T>(text, base);
}

template parse_result<signed char> parse_text(std::string_view) noexcept;
template parse_result<unsigned char> parse_text(std::string_view) noexcept;
template parse_result<short> parse_text(std::string_view) noexcept;
template parse_result<unsigned short> parse_text(std::string_view) noexcept;
template parse_result<int> parse_text(std::string_view) noexcept;
template parse_result<unsigned> parse_text(std::string_view) noexcept;
template parse_result<long> parse_text(std::string_view) noexcept;
template parse_result<unsigned long> parse_text(std::string_view) noexcept;
template parse_result<long long> parse_text(std::string_view) noexcept;
template parse_result<unsigned long long> parse_text(std::string_view) noexcept;
template parse_result<float> parse_text(std::string_view) noexcept;
template parse_result<double> parse_text(std::string_view) noexcept;
template parse_result<long double> parse_text(std::string_view) noexcept;

template parse_result<signed char> parse_text(std::string_view, int) noexcept;
template parse_result<unsigned char> parse_text(std::string_view, int) noexcept;
template parse_result<short> parse_text(std::string_view, int) noexcept;
template parse_result<unsigned short> parse_text(std::string_view, int) noexcept;
template parse_result<int> parse_text(std::string_view, int) noexcept;
template parse_result<unsigned> parse_text(std::string_view, int) noexcept;
template parse_result<long> parse_text(std::string_view, int) noexcept;
template parse_result<unsigned long> parse_text(std::string_view, int) noexcept;
template parse_result<long long> parse_text(std::string_view, int) noexcept;
template parse_result<unsigned long long> parse_text(std::string_view, int) noexcept;

}  // namespace detail
}  // namespace v0
}  // namespace leat
