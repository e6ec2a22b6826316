// Classes of the standard library, for headers that only declare functions with them: their own
// headers bring threads and streams. A program that calls such a function has included them.
#pragma once

#include <leat/config.h>

#include <cstddef>

#if defined(__GLIBCXX__)
namespace std {
_GLIBCXX_BEGIN_NAMESPACE_VERSION
class stop_token;
template <typename>
struct default_delete;
template <typename, typename>
class unique_ptr;
_GLIBCXX_END_NAMESPACE_VERSION
}  // namespace std
#else
#  include <memory>
#  include <stop_token>
#endif
