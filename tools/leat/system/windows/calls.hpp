// Shared by the files of this folder: failures with GetLastError(), times of FILETIME, and a check
// for Wine.
#pragma once

#include <windows.h>

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "system/failure.hpp"

namespace bench {

/// Throws a failure with this thread's last error.
[[noreturn]] inline void fail_with_last_error(std::string_view verb,
                                              const std::filesystem::path& what) {
  fail(verb, what, std::error_code(static_cast<int>(::GetLastError()), std::system_category()));
}

inline double seconds_of(const FILETIME& time) {
  return static_cast<double>(std::uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime) * 1e-7;
}

inline bool is_wine() {
  return ::GetProcAddress(::GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != nullptr;
}

}  // namespace bench
