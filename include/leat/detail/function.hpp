// std::function, without the rest of <functional>, which includes hash tables and all algorithms.
// leat's headers include this file for callbacks.
#pragma once

#include <leat/config.h>

#include <cstddef>

#if defined(__GLIBCXX__) && __has_include(<bits/std_function.h>)
#  include <new>

#  include <bits/std_function.h>
#else
#  include <functional>
#endif
