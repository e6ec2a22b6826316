// Numbers out of a reader.
#include <leat/reader.hpp>

#include <charconv>

#include "stream/source.hpp"

namespace leat {
inline namespace v0 {

namespace {

constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// What a number may go on with, "nan(…)" and "0x" forms included.
constexpr bool is_number_part(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
         c == '-' || c == '.' || c == '_' || c == '(' || c == ')';
}

}  // namespace

template <parsable T>
std::optional<T> reader::parse(std::error_code* ec) {
  std::size_t blanks = 0;
  for (;;) {
    while (blanks != available() && is_blank(next_[blanks])) ++blanks;
    if (blanks != available()) break;
    fill(blanks + 1);
    if (blanks != available()) continue;
    if (source_->failing())
      report(ec);
    else
      next_ = end_;
    return std::nullopt;
  }
  for (;;) {
    T value{};
    const auto [stop, error] = std::from_chars(next_ + blanks, end_, value);
    if (const char* rest = stop; rest == end_ || is_number_part(*rest)) {
      // More of it may be behind the window.
      while (rest != end_ && is_number_part(*rest)) ++rest;
      if (const std::size_t had = available(); rest == end_) {
        fill(had + 1);
        if (available() != had) continue;
        if (source_->failing()) {
          report(ec);
          return std::nullopt;
        }
      }
    }
    if (error == std::errc{}) {
      next_ = stop;
      return value;
    }
    const std::error_code code = error == std::errc::result_out_of_range
                                     ? std::make_error_code(error)
                                     : make_error_code(errc::not_a_number);
    deliver({code, "parse", tell() + blanks}, ec);
    return std::nullopt;
  }
}

template std::optional<signed char> reader::parse(std::error_code*);
template std::optional<unsigned char> reader::parse(std::error_code*);
template std::optional<short> reader::parse(std::error_code*);
template std::optional<unsigned short> reader::parse(std::error_code*);
template std::optional<int> reader::parse(std::error_code*);
template std::optional<unsigned> reader::parse(std::error_code*);
template std::optional<long> reader::parse(std::error_code*);
template std::optional<unsigned long> reader::parse(std::error_code*);
template std::optional<long long> reader::parse(std::error_code*);
template std::optional<unsigned long long> reader::parse(std::error_code*);
template std::optional<float> reader::parse(std::error_code*);
template std::optional<double> reader::parse(std::error_code*);
template std::optional<long double> reader::parse(std::error_code*);

}  // namespace v0
}  // namespace leat
