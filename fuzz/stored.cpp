// Numbers with an order of bytes: every operation beside the plain number's, and the bytes beside
// shifts.
#include <leat/bytes.hpp>
#include <leat/endian.hpp>
#include <leat/memory.hpp>
#include <leat/print.hpp>

#include <climits>
#include <cstdint>
#include <string>
#include <type_traits>

#include "fuzz.hpp"

namespace {

using fuzz::input, fuzz::step;

template <class T>
std::string bytes_from(T value, bool big) {
  std::make_unsigned_t<T> rest = static_cast<std::make_unsigned_t<T>>(value);
  std::string bytes;
  for (std::size_t i = 0; i != sizeof(T);
       ++i, rest = static_cast<std::make_unsigned_t<T>>(rest >> (CHAR_BIT - 1) >> 1))
    bytes.insert(big ? bytes.begin() : bytes.end(), static_cast<char>(rest & 0xFF));
  return bytes;
}

template <template <class> class Stored, class T>
void compute(input& in, bool big) {
  using whole = std::make_unsigned_t<T>;
  T plain = in.integer<T>();
  Stored<T> stored = plain;
  for (std::size_t n = in.below(12); n != 0; --n) {
    const auto by = in.integer<whole>();
    const T small = static_cast<T>(by % 7 + 1);
    const int shift = static_cast<int>(by % (sizeof(T) * CHAR_BIT - 1));
    step("operation with {}", by);
    switch (in.below(12)) {
      case 0:
        if constexpr (std::is_unsigned_v<T>)
          plain = static_cast<T>(plain + by), stored += static_cast<T>(by);
        break;
      case 1:
        if constexpr (std::is_unsigned_v<T>)
          plain = static_cast<T>(plain - by), stored -= static_cast<T>(by);
        break;
      case 2:
        if constexpr (std::is_unsigned_v<T> && sizeof(T) != 2)
          plain = static_cast<T>(plain * by), stored *= static_cast<T>(by);
        break;
      case 3:
        plain = static_cast<T>(plain / small), stored /= small;
        break;
      case 4:
        plain = static_cast<T>(plain % small), stored %= small;
        break;
      case 5:
        plain = static_cast<T>(plain & static_cast<T>(by)), stored &= static_cast<T>(by);
        break;
      case 6:
        plain = static_cast<T>(plain | static_cast<T>(by)), stored |= static_cast<T>(by);
        break;
      case 7:
        plain = static_cast<T>(plain ^ static_cast<T>(by)), stored ^= static_cast<T>(by);
        break;
      case 8:
        if constexpr (std::is_unsigned_v<T>)
          plain = static_cast<T>(plain << shift), stored <<= shift;
        break;
      case 9:
        plain = static_cast<T>(plain >> shift), stored >>= shift;
        break;
      case 10:
        if (plain == std::numeric_limits<T>::max()) break;
        fuzz::expect_equal((++stored).value(), ++plain, "++");
        break;
      default:
        if (plain == std::numeric_limits<T>::min()) break;
        fuzz::expect_equal((--stored).value(), --plain, "--");
    }
    fuzz::expect_equal(stored.value(), plain, "value()");
    fuzz::expect_equal(static_cast<T>(stored), plain, "the number");
    const auto bytes = leat::bytes_of(stored);
    fuzz::expect_equal(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                       bytes_from(plain, big), "its bytes");
  }
  leat::string_writer out;
  out.print("{}", stored);
  fuzz::expect_equal(out.view(), fmt::format("{}", plain), "printed");
}

void drive(input& in) {
  while (in.more()) {
    switch (in.below(7)) {
      case 0:
        compute<leat::little, std::uint16_t>(in, false);
        break;
      case 1:
        compute<leat::big, std::uint16_t>(in, true);
        break;
      case 2:
        compute<leat::little, std::int32_t>(in, false);
        break;
      case 3:
        compute<leat::big, std::int64_t>(in, true);
        break;
      case 4:
        compute<leat::big, std::uint32_t>(in, true);
        break;
      case 5:
        compute<leat::little, std::uint64_t>(in, false);
        break;
      default:
        compute<leat::big, std::int16_t>(in, true);
    }
  }
}

const fuzz::driver self("stored", drive);

}  // namespace
