// The concepts of ranges with std::ranges::data and its like, and the tags and the sentinel of
// iterators; without views, and without the buffers of iostreams, which <iterator> brings.
#pragma once

#include <leat/config.h>

#include <cstddef>

#if defined(__GLIBCXX__)
#  include <span>  // has them for itself
#else
#  include <iterator>
#  include <ranges>
#endif
