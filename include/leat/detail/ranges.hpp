// The concepts of ranges, std::ranges::data and similar functions, iterator tags and the default
// sentinel; without views, and without the buffers of iostreams, which <iterator> includes.
#pragma once

#include <leat/config.h>

#include <cstddef>

#if defined(__GLIBCXX__)
#  include <span>  // declares all of the above for its own use
#else
#  include <iterator>
#  include <ranges>
#endif
