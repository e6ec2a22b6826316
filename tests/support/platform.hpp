// What tests need of a system and Windows does not have. Whoever needs it is left out there: this
// is the list, with the reasons.
#pragma once

#if defined(_WIN32)
#  include "support/windows.hpp"
#endif

namespace leat_test {

/// Wine lacks some of what Windows has: a test of that is skipped there, with the reason.
inline bool under_wine() {
#if defined(_WIN32)
  return ::GetProcAddress(::GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != nullptr;
#else
  return false;
#endif
}

}  // namespace leat_test

#if !defined(_WIN32)

/// Children that begin as copies of the test: start_child and run_in_child. There a process begins
/// as a program.
#  define HAS_FORK 1
/// A limit on the size of files, or of memory, by which a test makes writing fail.
#  define HAS_LIMITS 1
/// /dev/full, /dev/null, /dev/zero, and /proc, whose files have no size.
#  define HAS_SYSTEM_FILES 1
/// Mode bits, owners and the umask of files, and holes that show in their status.
#  define HAS_MODE_BITS 1
/// Commands of POSIX's shell; windows_stdio_test.cpp starts others.
#  define HAS_SHELL 1
/// Descriptors that the C++ interface shares with the program, with their flags, fifos and poll. It
/// has handles there; streams of C have descriptors everywhere.
#  define HAS_POSIX_FILES 1
/// Files that become shorter or lose their name while somebody has them mapped; there the system
/// forbids it.
#  define HAS_SHRINKING_FILES 1

/// A printf that is right: MinGW's rounds "%a" wrongly, puts zeros before some numbers that fill
/// their width, and has no sign for a NaN.
#  define HAS_EXACT_PRINTF 1
/// Times before 1970 and after 3000 in gmtime, which {fmt} asks.
#  define HAS_ALL_TIMES 1

#endif
