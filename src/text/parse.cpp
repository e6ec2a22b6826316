// reader::parse_slowly(). reader::parse() calls this function if a number needs more than the
// inline code, for example at the end of the buffer.
#include <leat/reader.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "parse/number.hpp"
#include "stream/source.hpp"

namespace leat {
inline namespace v0 {

namespace {

using detail::is_blank;

/// Returns true for characters that can continue a number. A floating-point number may also contain
/// letters and the other characters of "1.5e+10" and "nan(a_1)".
template <class T>
constexpr bool is_number_part(char c, int base = 10) {
  if ((c >= '0' && c <= '9') || c == '-') return true;
  const char lower = static_cast<char>(c | 0x20);
  if (base > 10 && lower >= 'a' && lower < 'a' + base - 10) return true;
  return std::floating_point<T> && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
                                    c == '.' || c == '_' || c == '(' || c == ')');
}

/// Returns the position of a failure for a message: "line 7", or "a byte-order mark". `before` has
/// the bytes before this position, and `after` the bytes from this position on. `start` is the
/// position of `before` in the input. If `start` is not 0, the line is unknown, and the result is
/// "".
std::string describe_position(std::string_view before, std::string_view after,
                              std::uint64_t start) {
  if (start != 0) return {};
  if (before.empty() && after.starts_with("\xEF\xBB\xBF")) return "a byte-order mark";
  return "line " + std::to_string(1 + std::ranges::count(before, '\n'));
}

}  // namespace

template <class T>
std::optional<T> reader::parse_slowly(std::error_code* ec, int base) {
  if (!detail::is_base(base)) {
    deliver({std::make_error_code(std::errc::invalid_argument), "parse", tell()}, ec);
    return std::nullopt;
  }
  std::size_t blanks = 0;
  for (;;) {
    while (blanks != available() && is_blank(next_[blanks])) ++blanks;
    if (blanks != available()) break;
    fill(blanks + 1);
    if (blanks < available()) continue;
    if (source_->is_failing())
      report(ec);
    else
      next_ = end_;
    return std::nullopt;
  }
  for (bool whole = false;;) {
    T value{};
    const auto [stop, error] = detail::parse_number(next_ + blanks, end_, value, base);
    const auto after = static_cast<std::size_t>(stop - next_);  // the buffer may move
    if (!whole && (stop == end_ || is_number_part<T>(*stop, base))) {
      // The number may continue after the buffer's end. parse_number() always begins at the
      // number's start, so read the whole number first.
      const std::size_t before = available();
      for (std::size_t part = after;;) {
        const std::size_t had = available();
        while (part != had && is_number_part<T>(next_[part], base)) ++part;
        if (part != had) break;
        fill(had + 1);
        if (available() > had) continue;
        if (!source_->is_failing()) break;
        report(ec);
        return std::nullopt;
      }
      whole = true;
      if (available() != before) continue;
    }
    if (error == std::errc{}) {
      next_ += after;
      return value;
    }
    const std::error_code code = error == std::errc::invalid_argument
                                     ? make_error_code(errc::not_a_number)
                                     : std::make_error_code(error);
    const failure failed{code, "parse", tell() + blanks};
    if (ec == nullptr) {  // an error code needs no line, and counting lines may take long
      const char* const at = next_ + blanks;
      throw io_error(failed, source_->name(), describe_position({begin_, at}, {at, end_}, base_));
    }
    deliver(failed, ec);
    return std::nullopt;
  }
}

template std::optional<signed char> reader::parse_slowly(std::error_code*, int);
template std::optional<unsigned char> reader::parse_slowly(std::error_code*, int);
template std::optional<short> reader::parse_slowly(std::error_code*, int);
template std::optional<unsigned short> reader::parse_slowly(std::error_code*, int);
template std::optional<int> reader::parse_slowly(std::error_code*, int);
template std::optional<unsigned> reader::parse_slowly(std::error_code*, int);
template std::optional<long> reader::parse_slowly(std::error_code*, int);
template std::optional<unsigned long> reader::parse_slowly(std::error_code*, int);
template std::optional<long long> reader::parse_slowly(std::error_code*, int);
template std::optional<unsigned long long> reader::parse_slowly(std::error_code*, int);
template std::optional<float> reader::parse_slowly(std::error_code*, int);
template std::optional<double> reader::parse_slowly(std::error_code*, int);
template std::optional<long double> reader::parse_slowly(std::error_code*, int);

}  // namespace v0
}  // namespace leat
