#include <array>
#include <bit>
#include <cstdint>

#include "format/number_text.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

namespace {

constexpr int most_decimals = 17;

constexpr auto powers_of_ten = [] {
  std::array<std::uint64_t, most_decimals + 1> table{};
  std::uint64_t power = 1;
  for (auto& entry : table) {
    entry = power;
    power *= 10;
  }
  return table;
}();

}  // namespace

// A double is m × 2^e with m < 2^53. Times 10^decimals it has less than 110 bits and is cut exactly
// where the shift by e ends; what is cut off decides the rounding, to even on a tie as printf does.
char* write_fixed(char* to, double value, int decimals) noexcept {
  if (decimals > most_decimals) return nullptr;
  const std::uint64_t power = powers_of_ten[static_cast<std::size_t>(decimals)];
  constexpr int mantissa_bits = 52;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto biased = static_cast<int>(bits >> mantissa_bits);
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << mantissa_bits) - 1);
  if (biased != 0) mantissa |= std::uint64_t{1} << mantissa_bits;
  const int exponent = (biased != 0 ? biased : 1) - 1023 - mantissa_bits;
  if (exponent >= 0) return nullptr;  // 2^53 and larger: rare where decimals matter

  const auto scaled = static_cast<unsigned __int128>(mantissa) * power;
  unsigned __int128 rounded = 0;
  if (const int cut = -exponent; cut < 128) {
    const unsigned __int128 half = static_cast<unsigned __int128>(1) << (cut - 1);
    const unsigned __int128 rest = scaled & (2 * half - 1);
    rounded = scaled >> cut;
    if (rest > half || (rest == half && (rounded & 1) != 0)) ++rounded;
  }
  if (rounded > ~std::uint64_t{0}) return nullptr;

  const auto number = static_cast<std::uint64_t>(rounded);
  to = write_decimal(to, number / power);
  if (decimals == 0) return to;
  // With 10^decimals added the fraction has all its leading zeros, and a digit where the point
  // goes.
  char* const end = write_decimal(to, number % power + power);
  *to = '.';
  return end;
}

}  // namespace detail
}  // namespace v0
}  // namespace leat
