// std::chrono's durations, time points and clocks, without calendars, time zones and their formats.
// leat's headers, except testing.hpp and remote.hpp, include this file instead of <chrono>. A
// program that uses calendars or time zones must include <chrono>.
#pragma once

#include <leat/config.h>

#include <cstddef>

// The header that <mutex> uses instead of <chrono> in libstdc++. Other libraries have no such
// stable header.
#if defined(__GLIBCXX__) && __has_include(<bits/chrono.h>)
#  include <bits/chrono.h>
#else
#  include <chrono>
#endif
