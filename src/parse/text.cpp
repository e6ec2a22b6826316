// Numbers from text that is in memory.
#include <leat/parse.hpp>

#include <algorithm>

#include "parse/number.hpp"

namespace leat {
inline namespace v0 {

namespace {

template <parsable T>
parse_result<T> parse_text(std::string_view text, int base) noexcept {
  const char* const end = text.data() + text.size();
  const char* const first = std::find_if_not(text.data(), end, detail::is_blank);
  parse_result<T> result;
  const auto [stop, error] = detail::parse_number(first, end, result.value, base);
  result.ec = error;
  result.rest = error == std::errc::invalid_argument ? text : std::string_view(stop, end);
  return result;
}

}  // namespace

template <parsable T>
parse_result<T> parse(std::string_view text) noexcept {
  return parse_text<T>(text, 10);
}

template <parsable_integer T>
parse_result<T> parse(std::string_view text, int base) noexcept {
  if (!detail::is_base(base)) return {T{}, text, std::errc::invalid_argument};
  return parse_text<T>(text, base);
}

template parse_result<signed char> parse(std::string_view) noexcept;
template parse_result<unsigned char> parse(std::string_view) noexcept;
template parse_result<short> parse(std::string_view) noexcept;
template parse_result<unsigned short> parse(std::string_view) noexcept;
template parse_result<int> parse(std::string_view) noexcept;
template parse_result<unsigned> parse(std::string_view) noexcept;
template parse_result<long> parse(std::string_view) noexcept;
template parse_result<unsigned long> parse(std::string_view) noexcept;
template parse_result<long long> parse(std::string_view) noexcept;
template parse_result<unsigned long long> parse(std::string_view) noexcept;
template parse_result<float> parse(std::string_view) noexcept;
template parse_result<double> parse(std::string_view) noexcept;
template parse_result<long double> parse(std::string_view) noexcept;

template parse_result<signed char> parse(std::string_view, int) noexcept;
template parse_result<unsigned char> parse(std::string_view, int) noexcept;
template parse_result<short> parse(std::string_view, int) noexcept;
template parse_result<unsigned short> parse(std::string_view, int) noexcept;
template parse_result<int> parse(std::string_view, int) noexcept;
template parse_result<unsigned> parse(std::string_view, int) noexcept;
template parse_result<long> parse(std::string_view, int) noexcept;
template parse_result<unsigned long> parse(std::string_view, int) noexcept;
template parse_result<long long> parse(std::string_view, int) noexcept;
template parse_result<unsigned long long> parse(std::string_view, int) noexcept;

}  // namespace v0
}  // namespace leat
