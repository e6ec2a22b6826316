// std::try_to_lock for lock.hpp, without the rest of <mutex>.
#pragma once

#include <leat/config.h>

#include <cstddef>

#if defined(__GLIBCXX__) && __has_include(<bits/std_mutex.h>)
#  include <bits/std_mutex.h>
#else
#  include <mutex>
#endif
