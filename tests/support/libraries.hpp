// The libraries below: what tests expect of one, and another does not do.
#pragma once

#include <climits>
#include <string>
#include <system_error>

namespace leat_test {

#if defined(__GLIBC__)
inline constexpr bool over_glibc = true;
#else
inline constexpr bool over_glibc = false;
#endif
/// Where C leaves a choice (the first digit of "%a", "(nil)", errno after a mismatch) or a libc has
/// faults of its own (musl's "%20$d"), leat does what glibc does.
inline constexpr const char* compares_with_glibc = "the results are compared with glibc's";

#if defined(_LIBCPP_VERSION)
inline constexpr bool over_libcxx = true;
#else
inline constexpr bool over_libcxx = false;
#endif

/// As the system words it.
inline std::string message_of(std::errc what) { return std::make_error_code(what).message(); }

}  // namespace leat_test
