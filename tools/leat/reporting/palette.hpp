// The colours of charts, on light and on dark paper. gnuplot.cpp and html.cpp use the colours.
#pragma once

#include <array>

namespace bench {

struct colour {
  const char* name;  // CSS variable of a page, with a light and a dark value
  unsigned light, dark;
};

namespace palette {

inline constexpr colour ours{"--leat", 0x0B62C4, 0x5FB0FF};
inline constexpr colour ours_too{"--leat-2", 0x5FA8F5, 0x2F7FD1};
inline constexpr colour theirs{"--baseline", 0xC2410C, 0xFF9A5C};
inline constexpr colour faint{"--floor", 0x9AA3AE, 0x5D6772};
inline constexpr colour plain_bar{"--peer", 0x8C96A3, 0x77828F};
inline constexpr colour line{"--line", 0xC9CED6, 0x3A424C};
inline constexpr colour quiet{"--quiet", 0x5B6470, 0x9AA4B0};
inline constexpr colour ink{"--ink", 0x1B1F24, 0xE6E9ED};
inline constexpr std::array curves{
    colour{"--curve-1", 0x0F8A7E, 0x3FCFC0}, colour{"--curve-2", 0x8E44AD, 0xC792EA},
    colour{"--curve-3", 0x8A6D00, 0xE0C04C}, colour{"--curve-4", 0xB83280, 0xF472B6},
    colour{"--curve-5", 0x4D7C0F, 0xA3D65C}};

inline constexpr std::array all{ours, ours_too,  theirs,    faint,     plain_bar, line,     quiet,
                                ink,  curves[0], curves[1], curves[2], curves[3], curves[4]};

}  // namespace palette

}  // namespace bench
