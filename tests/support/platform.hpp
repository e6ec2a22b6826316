// A macro for each feature that tests need and Windows lacks. Windows builds leave out the tests
// that need one of these features.
#pragma once

#if defined(_WIN32)
#  include "support/windows.hpp"
#endif

namespace leat_test {

/// Returns true under Wine. Tests of features that Wine lacks are skipped with the reason.
inline bool under_wine() {
#if defined(_WIN32)
  return ::GetProcAddress(::GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != nullptr;
#else
  return false;
#endif
}

}  // namespace leat_test

#if !defined(_WIN32)

/// Child processes that begin as copies of the test: start_child and run_in_child. On Windows a
/// new process always starts a program.
#  define HAS_FORK 1
/// Limits on the size of files or memory, which make writing fail in a test.
#  define HAS_LIMITS 1
/// /dev/full, /dev/null, /dev/zero, and /proc, whose files have no size.
#  define HAS_SYSTEM_FILES 1
/// Mode bits, owners, the umask, and holes that a file's status shows.
#  define HAS_MODE_BITS 1
/// Commands of POSIX's shell. stdio/windows/stdio_test.cpp has commands of Windows.
#  define HAS_SHELL 1
/// Descriptors in the C++ interface, with flags, fifos and poll. On Windows this interface has
/// handles. C's streams have descriptors on all systems.
#  define HAS_POSIX_FILES 1
/// Files that shrink or lose their name while they are mapped. Windows forbids shrinking and losing
/// the name.
#  define HAS_SHRINKING_FILES 1

/// A correct printf. MinGW's printf rounds "%a" wrongly, puts zeros before some numbers that fill
/// their width, and prints no sign for a NaN.
#  define HAS_EXACT_PRINTF 1
/// A gmtime that works for times before 1970 and after 3000. {fmt} calls gmtime.
#  define HAS_ALL_TIMES 1

#endif
