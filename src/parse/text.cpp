// Reads numbers from text in memory, for leat::parse and its variants.
#include <leat/parse.hpp>

#include <algorithm>

#include "parse/number.hpp"
#include "parse/whole.hpp"

namespace leat {
inline namespace v0 {

namespace detail {

namespace {

/// A longer text is not one number that parse_whole() reads.
constexpr std::size_t longest_whole = 21;

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

}  // namespace

template <class T>
parse_result<T> parse_text(std::string_view text) noexcept {
  // A long double of more than 8 bytes needs more than 64 bits.
  if constexpr (!std::floating_point<T> || sizeof(T) <= 8) {
    parse_result<T> result;
    if (text.size() > longest_whole) {
      const auto [stop, value] = take_first<first_type<T>>(text.data(), text.data() + text.size());
      result.value = static_cast<T>(value);
      if (stop != nullptr && result.value == value) [[likely]] {
        result.rest = text.substr(static_cast<std::size_t>(stop - text.data()));
        return result;
      }
      return parse_after_blanks<T>(text, 10);
    }
    const whole_implementation* const implementation = best_whole_implementation();
    if (implementation != nullptr &&
        parse_whole(*implementation, text.data(), text.size(), result.value)) [[likely]] {
      result.rest = text.substr(text.size());
      return result;
    }
    // A word. No integer begins with such a character.
    if constexpr (std::integral<T>)
      if (text.empty() || text.front() > '9') return {T{}, text, std::errc::invalid_argument};
  }
  return parse_after_blanks<T>(text, 10);
}

template <class T>
parse_result<T> parse_text(std::string_view text, int base) noexcept {
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
