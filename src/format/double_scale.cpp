// Computes the table that shortest.cpp and shortest_by_avx512.cpp use to write doubles. For each
// power of ten, the table has a factor, the text of the exponent, and the layout of the text.
#include "format/double_scale.hpp"

#include "number/compute_powers_of_ten.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

constexpr std::array<double_scale, highest_scale - lowest_scale + 1> double_scales = [] {
  constexpr auto powers = compute_powers_of_ten();
  std::array<double_scale, highest_scale - lowest_scale + 1> table{};
  for (int power = lowest_scale; power <= highest_scale; ++power) {
    double_scale& scale = table[static_cast<std::size_t>(power - lowest_scale)];
    const power_of_ten& ten = powers[static_cast<std::size_t>(-power - 1 - lowest_power)];
    scale.high = ten.high >> 3;
    scale.low = ten.high << 61 | ten.low >> 3;
    constexpr int bias = 1075;
    scale.shift = static_cast<std::uint16_t>((log2_of_power_of_10(-power - 1) + 4 - bias) & 0xFFFF);

    int layout = fixed_layouts;
    if (power >= lowest_layout && power < lowest_layout + fixed_layouts)
      layout = power - lowest_layout;
    scale.layout = static_cast<std::uint16_t>(static_cast<std::size_t>(layout) * bytes_of_layouts);
    const int exponent = power + 15;
    if (exponent >= lowest_fixed_exponent && exponent <= highest_fixed_exponent) continue;
    const int magnitude = exponent < 0 ? -exponent : exponent;
    std::size_t size = 0;
    scale.suffix[size++] = 'e';
    scale.suffix[size++] = exponent < 0 ? '-' : '+';
    if (magnitude >= 100) scale.suffix[size++] = static_cast<char>('0' + magnitude / 100);
    scale.suffix[size++] = static_cast<char>('0' + magnitude / 10 % 10);
    scale.suffix[size++] = static_cast<char>('0' + magnitude % 10);
    scale.suffix[7] = static_cast<char>(size);
  }
  return table;
}();

}  // namespace detail
}  // namespace v0
}  // namespace leat
