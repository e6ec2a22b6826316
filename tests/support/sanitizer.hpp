// The sanitizer or the emulator of this build, and how much work a test can do in this build.
#pragma once

#include <cstddef>

namespace leat_test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool under_asan = true;
#elif defined(__has_feature)
#  if __has_feature(address_sanitizer)
inline constexpr bool under_asan = true;
#  else
inline constexpr bool under_asan = false;
#  endif
#else
inline constexpr bool under_asan = false;
#endif

#if defined(__SANITIZE_THREAD__)
inline constexpr bool under_tsan = true;
#elif defined(__has_feature)
#  if __has_feature(thread_sanitizer)
inline constexpr bool under_tsan = true;
#  else
inline constexpr bool under_tsan = false;
#  endif
#else
inline constexpr bool under_tsan = false;
#endif

inline constexpr bool sanitized = under_asan || under_tsan;

// LEAT_EMULATED: the tests run under qemu-user or Wine. qemu-user ignores memory limits, and ends
// forked children that start threads.
#if defined(LEAT_EMULATED)
inline constexpr bool emulated = true;
#else
inline constexpr bool emulated = false;
#endif

/// Returns the number of rounds of a loop, scaled for this build. A round takes about ten times as
/// long with sanitizers, and about 40 times as long in an emulator.
constexpr int rounds(int normally) {
  const int slowness = emulated ? 40 : sanitized ? 10 : 1;
  return (normally + slowness - 1) / slowness;
}

}  // namespace leat_test
