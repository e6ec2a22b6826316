// Errors in C's form: errno and a result. Used by the files of src/stdio and by src/c/batches.cpp.
#pragma once

#include <cerrno>

#include "base/errno.hpp"
#include "base/last_error.hpp"

namespace leat {
inline namespace v0 {
namespace stdio {

using leat::errno_of;

/// Sets errno, records the error for leat_last_error(), and returns `result`. For errors that no
/// device reports, for example invalid arguments.
template <class Result>
Result fail(int error, Result result) noexcept {
  note_error({.code = {error, std::generic_category()}, .operation = ""}, error, {});
  return result;
}

}  // namespace stdio
}  // namespace v0
}  // namespace leat
