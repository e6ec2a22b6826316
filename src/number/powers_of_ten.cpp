// The table of the powers of ten, for src/format and src/parse.
#include "number/powers_of_ten.hpp"

#include "number/compute_powers_of_ten.hpp"

namespace leat {
inline namespace v0 {
namespace detail {

constexpr std::array<power_of_ten, highest_power - lowest_power + 1> powers_of_ten =
    compute_powers_of_ten();

}  // namespace detail
}  // namespace v0
}  // namespace leat
