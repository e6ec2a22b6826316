// The concepts of ranges, std::ranges::data and similar functions, iterator tags and the default
// sentinel. Most of leat's headers include this file instead of <ranges> and <iterator>: views and
// the buffers of iostreams are left out.
#pragma once

#include <leat/config.h>

#include <cstddef>

#if defined(__GLIBCXX__)
#  include <span>  // declares all of the above for its own use
#else
#  include <iterator>
#  include <ranges>
#endif
