// The input of a driver: bytes that are used as choices. The bytes come from libFuzzer or from the
// suite. The suite takes the bytes from a corpus, or generates random bytes.
#pragma once

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>

namespace fuzz {

/// Numbers are taken from the end of the bytes and texts from the beginning, so that a longer text
/// does not change the numbers. After the last byte all numbers are 0, and text() and rest() are
/// empty.
class input {
 public:
  explicit input(std::string_view bytes) : bytes_(bytes) {}

  /// Returns whether bytes are left.
  bool has_more() const { return !bytes_.empty(); }
  bool flag() { return (number(1) & 1) != 0; }
  template <std::integral Int>
  Int integer() {
    if constexpr (std::is_same_v<Int, bool>) return flag();
    return static_cast<Int>(number(sizeof(Int)));
  }
  /// Returns a number below n. n must not be 0.
  std::size_t below(std::size_t n) {
    std::size_t bytes = 0;
    while (bytes != sizeof(n) && (n - 1) >> (bytes * CHAR_BIT) != 0) ++bytes;
    return static_cast<std::size_t>(number(bytes)) % n;
  }
  /// Returns true in about one of n cases. After the last byte returns false if n > 1.
  bool rarely(std::size_t n) { return below(n) == n - 1; }

  /// Returns a size near a typical buffer size: a power of two from 1 to 1 MiB, or one byte less or
  /// more, but at most `most`.
  std::size_t boundary_size(std::size_t most = std::size_t{1} << 20) {
    static constexpr std::array<unsigned, 8> powers{0, 3, 6, 9, 12, 13, 16, 18};
    const unsigned power = rarely(32) ? 20 : powers[below(rarely(4) ? powers.size() : 5)];
    const std::size_t size = (std::size_t{1} << power) + below(3) - 1;
    return std::min(size, most);
  }
  /// Returns n bytes that are derived from one byte of the input: only letters, or also newlines,
  /// delimiters, and bytes that are not text.
  std::string bytes(std::size_t n) {
    static constexpr std::string_view common = "\n\nab,;\"' \t\r01";
    std::uint32_t state = integer<std::uint8_t>();
    const bool plain = state % 2 == 0;
    std::string result(n, '\0');
    for (char& byte : result) {
      state = state * 1'664'525 + 1'013'904'223;
      const std::uint32_t random = state >> 16;
      byte = plain || random % 4 != 0 ? static_cast<char>('a' + random % 26)
                                      : (random % 8 == 0 ? static_cast<char>(random >> 8)
                                                         : common[(random >> 8) % common.size()]);
    }
    return result;
  }

  /// Returns a long double with up to 64 significant bits, mostly with a small exponent, because
  /// large exponents are slow. The number may be infinite, but is never NaN.
  long double long_real() {
    const int exponent = below(16) == 0 ? integer<std::int16_t>() : integer<std::int8_t>();
    const auto result =
        std::ldexp(static_cast<long double>(integer<std::uint64_t>()), exponent - 64);
    return flag() ? -result : result;
  }
  template <class List>
  const auto& one_of(const List& list) {
    return list[below(std::size(list))];
  }
  /// Returns the bytes up to a backslash, at most `most`. The backslash and the next byte are
  /// dropped. Two backslashes become one backslash of the text, and do not end the text. A
  /// backslash that is the last byte belongs to the text.
  std::string text(std::size_t most) {
    std::string result;
    while (result.size() != most && !bytes_.empty()) {
      const char byte = take_front();
      if (byte == '\\' && !bytes_.empty() && take_front() != '\\') break;
      result += byte;
    }
    return result;
  }
  /// Returns all bytes that are left.
  std::string rest() {
    std::string result(bytes_);
    bytes_ = {};
    return result;
  }

 private:
  char take_front() {
    const char byte = bytes_.front();
    bytes_.remove_prefix(1);
    return byte;
  }
  std::uint64_t number(std::size_t size) {
    std::uint64_t result = 0;
    for (; size != 0 && !bytes_.empty(); --size, bytes_.remove_suffix(1))
      result = result << CHAR_BIT | static_cast<unsigned char>(bytes_.back());
    return result;
  }

  std::string_view bytes_;
};

}  // namespace fuzz
