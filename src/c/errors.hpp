// Error reports of the functions of leat.h: exceptions become errno and a result. Most files of
// src/c call these functions.
#pragma once

#include <leat/c/base.h>
#include <leat/error.hpp>

#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/errno.hpp"
#include "base/last_error.hpp"

namespace leat {
inline namespace v0 {
namespace c {

inline void record_exception(const io_error& error) noexcept {
  note_error({.code = error.code(),
              .operation = error.operation(),
              .offset = error.offset(),
              .unwritten = error.unwritten(),
              .unread = error.unread()},
             errno_of(error.code()), error.path());
  record_message(error.what());  // the message may have a remark
}

/// Records an error without an operation, sets errno and returns `result`. The remark says what is
/// invalid, for example "no path".
template <class Result>
Result fail_with(int error, Result result, std::string_view remark = {}) noexcept {
  note_error({.code = {error, std::generic_category()}, .operation = ""}, error, {}, remark);
  return result;
}

/// Returns the result of work(). If the result is not `failed`, or if `Result` has no operator!=,
/// leaves errno unchanged. If work() throws, sets errno, records the failure and returns `failed`.
template <class Result, class Work>
Result result_or(Result failed, const Work& work) noexcept {
  try {
    errno_guard kept;  // system calls in work() may change errno
    const Result result = work();
    if constexpr (requires { result != failed; })
      return kept.restore_if_good(result != failed, result);
    else
      return result;
  } catch (const io_error& error) {
    record_exception(error);
  } catch (const std::system_error& error) {
    note_error({.code = error.code(), .operation = ""}, errno_of(error.code()), {});
  } catch (const std::bad_alloc&) {
    return fail_with(ENOMEM, failed);
  } catch (const std::invalid_argument& error) {  // for example from options.hpp
    return fail_with(EINVAL, failed, error.what());
  } catch (const std::exception&) {  // std::length_error, std::out_of_range
    return fail_with(EINVAL, failed);
  }
  return failed;
}

/// result_or() for work without a result. Returns 0, or -1 and errno.
template <class Work>
int status_of(const Work& work) noexcept {
  return result_or(-1, [&] {
    work();
    return 0;
  });
}

}  // namespace c
}  // namespace v0
}  // namespace leat
