// Numbers in a fixed byte order (leat::little and leat::big), compared with plain numbers.
#include <leat/bytes.hpp>
#include <leat/endian.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "fuzz.hpp"

namespace {

using fuzz::input, fuzz::expect;

/// Returns a small positive number, so that no signed number overflows and no divisor is zero.
template <class T>
T some_number(input& in) {
  return static_cast<T>(1 + in.below(11));
}

/// Makes the same random calls on a stored number and on a plain number.
template <class Stored>
void drive_type(input& in) {
  using T = typename Stored::value_type;
  using whole = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  using wide = std::conditional_t<std::is_floating_point_v<T>, T, whole>;
  T plain = static_cast<T>(in.below(64));
  Stored stored = plain;
  const auto expect_same = [&] {
    expect(stored.value() == plain && static_cast<T>(stored) == plain,
           "value() or the conversion gives another number");
    std::array<std::byte, sizeof(T)> bytes{};
    std::ranges::copy(leat::bytes_of(std::as_const(stored)), bytes.begin());
    constexpr bool swaps =
        std::is_same_v<Stored, leat::big<T>> == (std::endian::native == std::endian::little);
    if (swaps) std::ranges::reverse(bytes);
    expect(std::memcmp(bytes.data(), &plain, sizeof plain) == 0,
           "the stored bytes are another number");
  };
  expect_same();
  for (int calls = 0; in.has_more() && calls != 40; ++calls) {
    const T by = some_number<T>(in);
    switch (in.below(15)) {
      case 0:
        plain = static_cast<T>(static_cast<wide>(plain) + static_cast<wide>(by));
        stored += by;
        break;
      case 1:
        plain = static_cast<T>(static_cast<wide>(plain) - static_cast<wide>(by));
        stored -= by;
        break;
      case 2:
        if (std::abs(static_cast<double>(plain)) > 8) break;
        plain = static_cast<T>(static_cast<wide>(plain) * static_cast<wide>(by));
        stored *= by;
        break;
      case 3:
        plain = static_cast<T>(static_cast<wide>(plain) / static_cast<wide>(by));
        stored /= by;
        break;
      case 4:
        expect(stored++ == plain, "value++ returns another number");
        ++plain;
        break;
      case 5:
        expect(++stored == ++plain, "++value returns another number");
        break;
      case 6:
        expect(stored-- == plain, "value-- returns another number");
        --plain;
        break;
      case 7:
        expect(--stored == --plain, "--value returns another number");
        break;
      case 8: {
        const Stored copy = stored;
        stored = Stored(by);
        stored = copy;
        break;
      }
      case 9: {
        plain = by;
        Stored other = plain;
        std::ranges::copy(leat::bytes_of(other), leat::bytes_of(stored).begin());
        break;
      }
      default:
        if constexpr (std::integral<T>) {
          const auto bits = static_cast<std::make_unsigned_t<T>>(plain);
          switch (in.below(6)) {
            case 0:
              if (plain < 0) break;
              plain = static_cast<T>(plain % by);
              stored %= by;
              break;
            case 1:
              plain = static_cast<T>(bits & static_cast<std::make_unsigned_t<T>>(by));
              stored &= by;
              break;
            case 2:
              plain = static_cast<T>(bits | static_cast<std::make_unsigned_t<T>>(by));
              stored |= by;
              break;
            case 3:
              plain = static_cast<T>(bits ^ static_cast<std::make_unsigned_t<T>>(by));
              stored ^= by;
              break;
            case 4:
              if (plain < 0 || plain > 30) break;
              plain = static_cast<T>(plain << 1);
              stored <<= 1;
              break;
            default:
              plain = static_cast<T>(plain >> 1);
              stored >>= 1;
          }
        }
    }
    if (std::abs(static_cast<double>(plain)) > 80) stored = plain = by;
    expect_same();
  }
}

void drive(fuzz::input& in) {
  constexpr void (*types[])(input&) = {
      drive_type<leat::little<std::int8_t>>,   drive_type<leat::big<std::uint8_t>>,
      drive_type<leat::little<std::int16_t>>,  drive_type<leat::big<std::int16_t>>,
      drive_type<leat::little<std::uint32_t>>, drive_type<leat::big<std::uint32_t>>,
      drive_type<leat::little<std::int64_t>>,  drive_type<leat::big<std::uint64_t>>,
      drive_type<leat::little<float>>,         drive_type<leat::big<float>>,
      drive_type<leat::little<double>>,        drive_type<leat::big<double>>};
  in.one_of(types)(in);
}

const fuzz::driver self("endian", drive);

}  // namespace
