// Random values of each native kind, often extreme values, and random specifications, for tests of
// formatting.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <variant>

#include "support/sanitizer.hpp"

namespace leat::test {

// The divisor of the number of rounds under a sanitizer or an emulator.
inline constexpr int slowness = leat_test::emulated ? 80 : leat_test::sanitized ? 20 : 1;

using int128 = __int128;
using uint128 = unsigned __int128;

/// A value of any native kind, except C strings, times and std::error_code. A std::error_code has
/// no specifications.
using sample = std::variant<bool, char, signed char, short, int, long long, unsigned char, unsigned,
                            unsigned long long, int128, uint128, float, double, long double,
                            std::string, const void*, std::byte>;

/// Random choices, the same in each run.
class chooser {
 public:
  explicit chooser(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class Range>
  const auto& one_of(const Range& range) {
    return range[below(std::size(range))];
  }

 private:
  std::mt19937_64 engine_;
};

/// A number of up to 128 bits: a power of two or ten, the number before or after it, or random
/// bits.
inline uint128 any_magnitude(chooser& choose) {
  uint128 value = 1;
  switch (choose.below(3)) {
    case 0:
      value <<= choose.below(128);
      break;
    case 1:
      for (std::size_t n = choose.below(39); n != 0; --n) value *= 10;
      break;
    default:
      return (uint128{choose.bits()} << 64 | choose.bits()) >> choose.below(128);
  }
  return value + choose.below(3) - 1;
}

/// A random integer: often zero, the least value, or near a power of two or ten.
template <class Int>
Int any_integer(chooser& choose) {
  if (choose.one_in(10)) return Int{};
  if (choose.one_in(10)) return std::numeric_limits<Int>::min();
  const uint128 value = any_magnitude(choose);
  return static_cast<Int>(choose.one_in(2) ? value : 0 - value);
}

/// A random number: an extreme value, a fraction, or random bits. A long double may have more
/// digits and a larger exponent than a double.
template <class Float>
Float any_float(chooser& choose) {
  using limits = std::numeric_limits<Float>;
  static constexpr Float edges[] = {0,
                                    limits::min(),
                                    limits::denorm_min(),
                                    limits::max(),
                                    limits::epsilon(),
                                    limits::infinity(),
                                    limits::quiet_NaN(),
                                    1,
                                    10,
                                    0.1F,
                                    0.5F,
                                    1e4F,
                                    1e5F,
                                    1e-4F,
                                    1e-5F,
                                    1e15F,
                                    1e16F,
                                    1e17F,
                                    1e6F,
                                    1e7F,
                                    1e8F,
                                    16777216,
                                    0.3F,
                                    9.5F,
                                    99999.5F,
                                    0.00099995F,
                                    123456792};
  Float value;
  switch (choose.below(4)) {
    case 0:
      value = choose.one_of(edges);
      break;
    case 1:
      value = static_cast<Float>(any_integer<int>(choose) / (choose.one_in(2) ? 1000.0 : 1024.0));
      break;
    case 2:
      value = static_cast<Float>(std::bit_cast<float>(static_cast<std::uint32_t>(choose.bits())));
      break;
    default:
      if constexpr (sizeof(Float) == 4)
        value = std::bit_cast<float>(static_cast<std::uint32_t>(choose.bits()));
      else
        value = static_cast<Float>(std::bit_cast<double>(choose.bits()));
      if constexpr (sizeof(Float) > 8) {
        if (choose.one_in(2)) value *= value;  // beyond a double's exponents, with all digits
        if (choose.one_in(4)) value *= value;
      }
  }
  return choose.one_in(2) ? -value : value;
}

/// A random text of up to four pieces, some with invalid UTF-8; sometimes followed by many letters.
inline std::string any_text(chooser& choose) {
  using namespace std::string_view_literals;
  static constexpr std::string_view pieces[] = {
      ""sv,        "a"sv,    "hello"sv, "\0"sv,     "é"sv,
      "e\u0301"sv, "日本"sv, "😀"sv,    "\xff"sv,   "\xe3\x81"sv,
      "\n"sv,      "\""sv,   "{}"sv,    "\u200b"sv, "sixteen bytes..."sv,
      "0"sv,       "\x80"sv};
  std::string text;
  for (std::size_t n = choose.below(5); n != 0; --n) text += choose.one_of(pieces);
  if (choose.one_in(20)) text.append(choose.below(2000), 'x');
  return text;
}

/// A random value of a random kind.
inline sample any_sample(chooser& choose) {
  switch (choose.below(std::variant_size_v<sample>)) {
    case 0:
      return choose.one_in(2);
    case 1:
      return static_cast<char>(choose.one_in(4) ? choose.below(256) : 32 + choose.below(95));
    case 2:
      return any_integer<signed char>(choose);
    case 3:
      return any_integer<short>(choose);
    case 4:
      return any_integer<int>(choose);
    case 5:
      return any_integer<long long>(choose);
    case 6:
      return any_integer<unsigned char>(choose);
    case 7:
      return any_integer<unsigned>(choose);
    case 8:
      return any_integer<unsigned long long>(choose);
    case 9:
      return any_integer<int128>(choose);
    case 10:
      return any_integer<uint128>(choose);
    case 11:
      return any_float<float>(choose);
    case 12:
      return any_float<double>(choose);
    case 13:
      return any_float<long double>(choose);
    case 14:
      return any_text(choose);
    case 15:
      return reinterpret_cast<const void*>(any_integer<std::uintptr_t>(choose));
    default:
      return static_cast<std::byte>(choose.below(256));
  }
}

/// A random specification, valid for at least one kind in most cases.
inline std::string any_spec(chooser& choose) {
  static constexpr std::string_view fills[] = {"*", "0", " ", "é", "–", "😀", "x", "<", "+", ":"};
  static constexpr std::string_view precisions[] = {".0",  ".1",  ".2",  ".3",  ".6",  ".10",
                                                    ".15", ".16", ".17", ".18", ".20", ".40"};
  static constexpr std::string_view types[] = {"d", "x", "X", "o", "b", "B", "c", "s", "?",
                                               "p", "e", "E", "f", "F", "g", "G", "a", "A"};
  std::string spec;
  if (choose.one_in(3)) {
    if (choose.one_in(2)) spec += choose.one_of(fills);
    spec += "<>^"[choose.below(3)];
  }
  if (choose.one_in(5)) spec += "+- "[choose.below(3)];
  if (choose.one_in(6)) spec += '#';
  if (choose.one_in(6)) spec += '0';
  if (choose.one_in(2))
    spec += choose.one_in(5) ? "{}" : std::to_string(1 + choose.below(choose.one_in(9) ? 400 : 30));
  if (choose.one_in(3))
    spec += choose.one_in(5)    ? ".{}"
            : choose.one_in(50) ? "." + std::to_string(choose.below(5000))
                                : std::string(choose.one_of(precisions));
  if (choose.one_in(2)) spec += choose.one_of(types);
  return spec;
}

}  // namespace leat::test
