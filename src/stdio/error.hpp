// Errors as C reports them.
#pragma once

#include <cerrno>

#include "base/errno.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

using leat::errno_of;

/// Sets errno and returns the result that reports a failure.
template <class Result>
Result fail(int error, Result result) noexcept {
  errno = error;
  return result;
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
