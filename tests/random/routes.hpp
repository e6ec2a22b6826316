// The routes of a batch, and the largest position.
#pragma once

#include <leat/file.hpp>

#include <array>
#include <cstdint>
#include <limits>

namespace leat_test {

inline constexpr std::uint64_t last_position = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::array all_routes{leat::route::automatic, leat::route::mapped,
                                       leat::route::merged, leat::route::single,
                                       leat::route::direct};

/// Options that request this route.
inline leat::access_options options_for(leat::route route) {
  leat::access_options options;
  options.route = route;
  return options;
}

}  // namespace leat_test
