// Conversion of error codes to errno, and scopes that restore the program's errno. Functions of C,
// and code that makes system calls, use this file.
#pragma once

#include <leat/error.hpp>

#include <cerrno>
#include <system_error>

namespace leat {
inline namespace v0 {

/// Returns the errno value of an error code. If there is no such value, returns EIO.
inline int errno_of(const std::error_code& ec) noexcept {
  if (ec == errc::closed) return EBADF;
  if (ec == errc::memory_full) return ENOSPC;
  if (ec == errc::line_too_long || ec == errc::input_too_long) return EOVERFLOW;
  if (ec == errc::not_a_file || ec == errc::not_a_number || ec == errc::no_such_record ||
      ec == errc::same_file)
    return EINVAL;
  if (ec == std::errc::operation_not_supported) return ENOTSUP;  // Windows has EOPNOTSUPP too
  const std::error_condition plain = ec.default_error_condition();
  return plain.category() == std::generic_category() && plain.value() != 0 ? plain.value() : EIO;
}

/// Restores errno at the end of a scope. Functions that succeed, or that do not report errors by
/// errno, use this class.
class errno_guard {
 public:
  errno_guard() noexcept : saved_(errno) {}
  ~errno_guard() {
    if (restores_) errno = saved_;
  }
  errno_guard(const errno_guard&) = delete;
  errno_guard& operator=(const errno_guard&) = delete;

  /// Returns `result`. If `good` is false, a C function of leat has failed and errno has its error,
  /// so errno is not restored.
  template <class Result>
  Result restore_if_good(bool good, Result result) noexcept {
    restores_ = good;
    return result;
  }
  template <class Object>
  Object* restore_if_good(Object* object) noexcept {
    return restore_if_good(object != nullptr, object);
  }

 private:
  int saved_;
  bool restores_ = true;
};

/// The scope of a call of a callback: a program's function that sets errno on failure. leat reports
/// the failure by an error code, so errno is restored at the end.
class callback_scope {
 public:
  callback_scope() noexcept { errno = 0; }

  /// Returns the error of the failed call. If the function has not set errno, returns EIO: an
  /// earlier value of errno would be the error of another call.
  static std::error_code error() noexcept {
    return {errno != 0 ? errno : EIO, std::generic_category()};
  }

 private:
  errno_guard guard_;
};

}  // namespace v0
}  // namespace leat
