// What all fuzz targets share: the input as a list of choices, and the end of a run that found
// something.
#pragma once

#include <fmt/format.h>
#include <fuzzer/FuzzedDataProvider.h>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <source_location>
#include <string>
#include <string_view>

namespace fuzz {

/// Ends the program, so that libFuzzer keeps the input as a finding.
[[noreturn]] inline void fail(std::string_view why,
                              std::source_location at = std::source_location::current()) {
  fmt::print(stderr, "{}:{}: {}\n", at.file_name(), at.line(), why);
  std::abort();
}

inline void expect(bool truth, std::string_view what,
                   std::source_location at = std::source_location::current()) {
  if (!truth) fail(what, at);
}

template <class A, class B>
void expect_equal(const A& ours, const B& wanted, std::string_view what,
                  std::source_location at = std::source_location::current()) {
  if (ours == wanted) return;
  if constexpr (fmt::is_formattable<A>::value && fmt::is_formattable<B>::value)
    fail(fmt::format("{}: '{}' instead of '{}'", what, ours, wanted), at);
  else
    fail(what, at);
}

/// The input, taken as choices from its two ends. Behind its end all numbers are 0 and all texts
/// are empty.
class input {
 public:
  input(const std::uint8_t* data, std::size_t size) : data_(data, size) {}

  bool more() { return data_.remaining_bytes() != 0; }
  bool flag() { return data_.ConsumeBool(); }
  template <std::integral Int>
  Int integer() {
    return data_.ConsumeIntegral<Int>();
  }
  /// A number below n, which is not 0.
  std::size_t below(std::size_t n) { return data_.ConsumeIntegralInRange<std::size_t>(0, n - 1); }
  /// Any long double that processors make. Mostly it is near 1, because others take long.
  long double long_real() {
    const int exponent = below(16) == 0 ? integer<std::int16_t>() : integer<std::int8_t>();
    const auto made = std::ldexp(static_cast<long double>(integer<std::uint64_t>()), exponent - 64);
    return flag() ? -made : made;
  }
  template <class List>
  const auto& one_of(const List& list) {
    return list[below(std::size(list))];
  }
  std::string text(std::size_t most) { return data_.ConsumeRandomLengthString(most); }
  std::string rest() { return data_.ConsumeRemainingBytesAsString(); }

 private:
  FuzzedDataProvider data_;
};

}  // namespace fuzz
