// std::chrono's durations, time points and clocks, without calendars, time zones and their formats.
// A program that uses these includes <chrono>.
#pragma once

#include <leat/config.h>

#include <cstddef>

// What <mutex> takes of <chrono> in libstdc++. Other libraries have no such header that lasts.
#if defined(__GLIBCXX__) && __has_include(<bits/chrono.h>)
#  include <bits/chrono.h>
#else
#  include <chrono>
#endif
