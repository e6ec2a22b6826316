// std::unique_ptr for leat's headers, without the rest of <memory>.
#pragma once

#include <leat/config.h>

#include <cstddef>

#if defined(__GLIBCXX__) && __has_include(<bits/unique_ptr.h>)
#  include <bits/unique_ptr.h>
#else
#  include <memory>
#endif
