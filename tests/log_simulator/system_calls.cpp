// Implements system_calls.hpp: the kinds and the names of system calls.
#include "log_simulator/system_calls.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include <map>

namespace logs {

bool writes(const system_call& call) noexcept {
  return call.number == SYS_write || call.number == SYS_pwrite64 || is_vector(call.number);
}

bool is_vector(long number) noexcept {
  return number == SYS_writev || number == SYS_pwritev || number == SYS_pwritev2;
}

bool waits_for_lock(const system_call& call) noexcept {
  return call.number == SYS_fcntl && call.arguments[1] == F_OFD_SETLKW;
}

bool may_unlock(const system_call& call) noexcept {
  return call.number == SYS_close || call.number == SYS_flock ||
         (call.number == SYS_fcntl &&
          (call.arguments[1] == F_OFD_SETLK || call.arguments[1] == F_OFD_SETLKW));
}

bool is_needless(const system_call& call) noexcept {
  switch (call.number) {
    case SYS_membarrier:
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_sync_file_range:
      return true;
    default:
      return false;
  }
}

int futex_kind(const system_call& call) noexcept {
  return call.number == SYS_futex ? static_cast<int>(call.arguments[1]) & FUTEX_CMD_MASK : -1;
}

std::string name_of(const system_call& call) {
  static const std::map<long, std::string> names{
      {SYS_write, "write"},         {SYS_writev, "writev"},         {SYS_pwrite64, "pwrite"},
      {SYS_pwritev, "pwritev"},     {SYS_pread64, "pread"},         {SYS_read, "read"},
      {SYS_openat, "openat"},       {SYS_close, "close"},           {SYS_fstat, "fstat"},
      {SYS_newfstatat, "fstatat"},  {SYS_fcntl, "fcntl"},           {SYS_flock, "flock"},
      {SYS_ftruncate, "ftruncate"}, {SYS_fallocate, "fallocate"},   {SYS_renameat2, "renameat2"},
      {SYS_renameat, "renameat"},   {SYS_unlinkat, "unlinkat"},     {SYS_linkat, "linkat"},
      {SYS_getdents64, "getdents"}, {SYS_readlink, "readlink"},     {SYS_futex, "futex"},
      {SYS_utimensat, "utimensat"}, {SYS_ioctl, "ioctl"},           {SYS_sched_yield, "yield"},
      {SYS_exit_group, "exit"},     {SYS_membarrier, "membarrier"}, {SYS_clock_nanosleep, "sleep"},
      {SYS_fchmod, "fchmod"},       {SYS_statx, "statx"},           {SYS_fchown, "fchown"},
      {SYS_lseek, "lseek"},         {SYS_flistxattr, "flistxattr"}, {report_call, "report"}};
  const auto found = names.find(call.number);
  return found != names.end() ? found->second : "call " + std::to_string(call.number);
}

}  // namespace logs
