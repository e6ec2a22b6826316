// Random numbers, texts and values of all types, for tests and fuzz drivers.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>

namespace leat_test {

/// Generates random numbers from a seed, or numbers from the input of a fuzz driver.
class random_engine {
 public:
  using result_type = std::uint64_t;
  explicit random_engine(std::uint64_t seed) : generator_(seed) {}
  /// `next` returns the next byte of the input. If n is at most 256, below(n) uses this byte alone.
  /// operator() mixes the byte with the bytes of all earlier calls of operator().
  explicit random_engine(std::function<unsigned char()> next) : next_byte_(std::move(next)) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  result_type operator()() {
    if (!next_byte_) return generator_();
    state_ = (state_ + next_byte_() + 1) * 0x9E37'79B9'7F4A'7C15;
    return state_ ^ state_ >> 31;
  }
  /// Returns a number below n. n must not be 0.
  result_type below(result_type n) {
    return next_byte_ && n <= 256 ? next_byte_() % n : (*this)() % n;
  }
  /// Returns a random text of these letters.
  std::string text(std::size_t size, std::string_view letters) {
    std::minstd_rand letter_choice(static_cast<unsigned>((*this)()));
    std::string result(size, ' ');
    constexpr std::size_t period = 4999;  // a longer text repeats its first bytes
    for (std::size_t i = 0; i != size; ++i)
      result[i] = i < period ? letters[letter_choice() % letters.size()] : result[i - period];
    return result;
  }

 private:
  std::mt19937_64 generator_;
  std::uint64_t state_ = 0;
  std::function<unsigned char()> next_byte_;
};

inline std::uint64_t below(random_engine& random, std::uint64_t n) { return random.below(n); }

/// Returns a random number. All lengths up to 64 bits are about equally likely. Half of the numbers
/// are negated. The number is converted to T.
template <class T>
T random_integer(random_engine& random) {
  const std::uint64_t bits = random() >> below(random, 64);
  return static_cast<T>(below(random, 2) != 0 ? bits : 0 - bits);
}

/// Returns a random number, which is often short or special, for example infinite.
template <class T>
T random_float(random_engine& random) {
  switch (below(random, 8)) {
    case 0:
      return static_cast<T>(static_cast<std::int64_t>(random_integer<std::int32_t>(random)));
    case 1:
      return static_cast<T>(static_cast<double>(random_integer<std::int32_t>(random)) / 1000);
    case 2: {
      constexpr T special_values[] = {T(0),
                                      -T(0),
                                      std::numeric_limits<T>::infinity(),
                                      -std::numeric_limits<T>::infinity(),
                                      std::numeric_limits<T>::quiet_NaN(),
                                      std::numeric_limits<T>::min(),
                                      std::numeric_limits<T>::denorm_min(),
                                      std::numeric_limits<T>::max(),
                                      T(0.5),
                                      T(9.5),
                                      T(999999.5),
                                      T(0.0001),
                                      T(1e15),
                                      T(1e16)};
      return special_values[below(random, std::size(special_values))];
    }
    case 3: {
      const T value = static_cast<T>(std::bit_cast<double>(random()));
      return std::isfinite(value) ? value : T(1);
    }
    default: {
      const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
      const int exponent = static_cast<int>(below(random, 60)) - 30;
      const double value = std::ldexp(unit, exponent);
      return static_cast<T>(below(random, 2) != 0 ? value : -value);
    }
  }
}

/// Calls use() with a value of a random type.
template <class Use>
void with_random_value(random_engine& random, const Use& use) {
  static const char* const texts[] = {"", "x", "text", "a longer text that is not short", "\t"};
  switch (below(random, 20)) {
    case 0:
      return use(random_integer<short>(random));
    case 1:
      return use(random_integer<unsigned short>(random));
    case 2:
    case 3:
      return use(random_integer<int>(random));
    case 4:
      return use(random_integer<unsigned>(random));
    case 5:
      return use(random_integer<long>(random));
    case 6:
      return use(random_integer<unsigned long>(random));
    case 7:
      return use(random_integer<long long>(random));
    case 8:
      return use(random_integer<unsigned long long>(random));
    case 9:
      return use(random_float<float>(random));
    case 10:
    case 11:
    case 12:
      return use(random_float<double>(random));
    case 13:
      return use(random_float<long double>(random));
    case 14:
      return use(static_cast<char>('!' + below(random, 90)));
    case 15:
      return use(static_cast<unsigned char>('!' + below(random, 90)));
    case 16:
      return use(below(random, 2) != 0);
    case 17:
      return use(texts[below(random, std::size(texts))]);
    case 18:
      return use(std::string(texts[below(random, std::size(texts))]));
    default:
      return use(reinterpret_cast<const void*>(  // NOLINT(performance-no-int-to-ptr)
          static_cast<std::uintptr_t>(random_integer<unsigned long>(random))));
  }
}

}  // namespace leat_test
