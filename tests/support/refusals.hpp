// System calls that fail: a seccomp filter returns an error instead of making the call.
#pragma once

#include "support/platform.hpp"

#if defined(__linux__)

#  include <fcntl.h>
#  include <linux/filter.h>
#  include <linux/seccomp.h>
#  include <sys/prctl.h>
#  include <sys/syscall.h>

#  include <array>
#  include <cerrno>
#  include <cstddef>
#  include <cstdint>
#  include <span>

namespace leat_test {

/// Returns false if the kernel or an emulator has no filters.
inline bool install_filter(std::span<sock_filter> steps) {
  const sock_fprog program{static_cast<unsigned short>(steps.size()), steps.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// Makes these calls fail with `error` in this thread, and in threads and processes that this
/// thread starts later. The refusal can't be undone, so only child processes may call refuse_calls.
/// Returns false if the kernel or an emulator has no filters.
template <std::size_t Count>
bool refuse_calls(const long (&calls)[Count], int error) {
  std::array<sock_filter, Count + 3> steps{};
  steps[0] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  for (std::size_t i = 0; i != Count; ++i)
    steps[i + 1] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(calls[i]),
                            static_cast<std::uint8_t>(Count - i), 0);
  steps[Count + 1] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  steps[Count + 2] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error));
  return install_filter(steps);
}

/// Refuses to make files without a name, as some file systems do. The refusal can't be undone.
/// Returns false if the kernel or an emulator has no filters.
inline bool refuse_nameless_files() {
  constexpr unsigned flags = 2;  // the index of this argument of openat
  constexpr std::uint32_t nameless = O_TMPFILE & ~O_DIRECTORY;
  std::array<sock_filter, 6> steps{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 2),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args) + 8 * flags),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, nameless, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
  }};
  return install_filter(steps);
}

}  // namespace leat_test

#endif
