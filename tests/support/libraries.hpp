// Differences between the C and C++ libraries that leat is built with.
#pragma once

#include <climits>
#include <string>
#include <system_error>

namespace leat_test {

#if defined(__GLIBC__)
inline constexpr bool uses_glibc = true;
#else
inline constexpr bool uses_glibc = false;
#endif
/// The reason why a test is skipped with another libc. leat does what glibc does, also where C
/// leaves a choice (the first digit of "%a", "(nil)", errno after a mismatch), and where another
/// libc has a bug (musl's "%20$d").
inline constexpr const char* compares_with_glibc = "the results are compared with glibc's";

#if defined(_LIBCPP_VERSION)
inline constexpr bool uses_libcxx = true;
#else
inline constexpr bool uses_libcxx = false;
#endif

/// Returns the system's message for an error.
inline std::string message_of(std::errc code) { return std::make_error_code(code).message(); }

}  // namespace leat_test
