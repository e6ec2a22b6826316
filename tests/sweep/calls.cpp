// The table of system calls and their faults.
#include "sweep/calls.hpp"

#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <initializer_list>

namespace sweep {

namespace {

struct row {
  long call;
  const char* name;
  std::initializer_list<int> errors;
  bool moves_bytes = false;  ///< other faults limit the call to 1 or 777 bytes
};

#define CALL(name) SYS_##name, #name

// The errors are from the manual pages and from network file systems. The table leaves out most
// errors of wrong arguments, for example EFAULT, and ENOENT for an existing file. The table also
// leaves out calls that can't fail here (getpid, clock_gettime), and futex, whose errors mean "look
// again". The C library's own calls for memory (brk, munmap) are left out, too, because failed
// allocations have their own sweep.
const row table[] = {
    {CALL(openat), {EACCES, EMFILE, ENFILE, ENOSPC, EDQUOT, EINTR, EIO, ENOMEM, ELOOP, EROFS}},
    {CALL(openat2), {EACCES, EMFILE, EINTR, EIO, ENOSYS, EAGAIN}},
    {CALL(read), {EIO, EINTR, EAGAIN, EBADF, EISDIR, ESTALE}, true},
    {CALL(pread64), {EIO, EINTR, EAGAIN, EBADF, EISDIR, ESTALE}, true},
    {CALL(readv), {EIO, EINTR, EAGAIN}, true},
    {CALL(preadv), {EIO, EINTR, EAGAIN}, true},
    {CALL(preadv2), {EIO, EINTR, EAGAIN, EOPNOTSUPP, ENOSYS}, true},
    {CALL(write), {EIO, ENOSPC, EDQUOT, EINTR, EAGAIN, EPIPE, EFBIG, EBADF, ESTALE, ENOMEM}, true},
    {CALL(pwrite64), {EIO, ENOSPC, EDQUOT, EINTR, EAGAIN, EPIPE, EFBIG, EBADF, ESTALE}, true},
    {CALL(writev), {EIO, ENOSPC, EDQUOT, EINTR, EAGAIN, EPIPE, EFBIG}, true},
    {CALL(pwritev), {EIO, ENOSPC, EDQUOT, EINTR, EAGAIN, EFBIG}, true},
    {CALL(pwritev2), {EIO, ENOSPC, EDQUOT, EINTR, EAGAIN, EFBIG}, true},
    {CALL(copy_file_range), {EIO, ENOSPC, EINTR, EXDEV, EINVAL, EOPNOTSUPP, ENOSYS, EBADF, EFBIG}},
    {CALL(sendfile), {EIO, EINTR, EAGAIN, EINVAL, ENOSYS, ENOMEM}},
    {CALL(splice), {EIO, EINTR, EAGAIN, EINVAL, ENOMEM}},
    {CALL(lseek), {EIO, EINVAL}},
    {CALL(close), {EIO, EINTR, ENOSPC, EDQUOT}},
    {CALL(fsync), {EIO, ENOSPC, EDQUOT, EINTR, EINVAL}},
    {CALL(fdatasync), {EIO, ENOSPC, EDQUOT, EINTR, EINVAL}},
    {CALL(sync_file_range), {EIO, ENOSPC, ENOMEM}},
    {CALL(ftruncate), {EIO, EINTR, EFBIG, EPERM, ENOSPC}},
    {CALL(fallocate), {EIO, EINTR, ENOSPC, EOPNOTSUPP, ENOSYS, EFBIG, EDQUOT}},
    {CALL(fadvise64), {EINVAL, EBADF}},
    {CALL(fstat), {EIO, ENOMEM, EOVERFLOW, ESTALE}},
    {CALL(newfstatat), {EIO, EACCES, ENOMEM, ELOOP}},
    {CALL(statx), {EIO, EACCES, ENOMEM, ENOSYS, ESTALE}},
    {CALL(fstatfs), {EIO, ENOSYS, ENOMEM}},
    {CALL(statfs), {EIO, EACCES, ENOSYS}},
    {CALL(faccessat), {EACCES, EIO, EROFS, ETXTBSY}},
    {CALL(faccessat2), {EACCES, EIO, EROFS, ETXTBSY, ENOSYS}},
    {CALL(readlinkat), {EIO, EACCES, ENOMEM}},
    {CALL(fcntl), {EBADF, EINTR, ENOLCK, EINVAL, EMFILE}},
    {CALL(dup), {EMFILE}},
    {CALL(dup3), {EMFILE, EINTR, EBUSY}},
    {CALL(pipe2), {EMFILE, ENFILE}},
    {CALL(flock), {EINTR, ENOLCK, EWOULDBLOCK, EOPNOTSUPP}},
    {CALL(renameat), {EIO, EACCES, ENOSPC, EROFS, EBUSY}},
    {CALL(renameat2), {EIO, EACCES, ENOSPC, EROFS, EINVAL}},
    {CALL(linkat), {EIO, EACCES, ENOSPC, EEXIST, EXDEV, EPERM}},
    {CALL(unlinkat), {EIO, EACCES, EBUSY, EROFS}},
    {CALL(mkdirat), {EIO, EACCES, ENOSPC}},
    {CALL(fchmod), {EPERM, EIO, EROFS}},
    {CALL(fchown), {EPERM, EIO}},
    {CALL(fgetxattr), {ENODATA, EOPNOTSUPP, EIO}},
    {CALL(fsetxattr), {EPERM, EOPNOTSUPP, ENOSPC, EIO}},
    {CALL(flistxattr), {EOPNOTSUPP, EIO}},
    {CALL(getxattr), {ENODATA, EOPNOTSUPP, EIO}},
    {CALL(listxattr), {EOPNOTSUPP, EIO}},
    {CALL(mmap), {ENOMEM, EACCES, ENODEV, EAGAIN, ENFILE}},
    {CALL(mremap), {ENOMEM, EAGAIN}},
    {CALL(madvise), {EINVAL, ENOMEM, EAGAIN, EIO}},
    {CALL(mincore), {EAGAIN, ENOMEM, EPERM}},
    {CALL(mprotect), {ENOMEM}},
    {CALL(ioctl), {ENOTTY, EIO, EINTR, EOPNOTSUPP, EXDEV}},
    {CALL(ppoll), {EINTR, ENOMEM}},
    {CALL(getrandom), {EINTR, EAGAIN, ENOSYS}},
    {CALL(inotify_init1), {EMFILE, ENFILE, ENOMEM}},
    {CALL(inotify_add_watch), {ENOSPC, ENOENT, EACCES, ENOMEM}},
    {CALL(io_uring_setup), {ENOSYS, EPERM, ENOMEM, EMFILE}},
    {CALL(io_uring_enter), {EIO, EINTR, EAGAIN, EBUSY, EPERM}},
    {CALL(io_uring_register), {EINVAL, ENOMEM, EPERM}},
    {CALL(clone), {EAGAIN, ENOMEM}},
#if defined(SYS_clone3)
    {CALL(clone3), {EAGAIN, ENOMEM, ENOSYS}},
#endif
    {CALL(wait4), {EINTR, ECHILD}},
    {CALL(rt_sigaction), {EINVAL}},
#if defined(SYS_open)  // calls that newer architectures lack
    {CALL(open), {EACCES, EMFILE, ENOSPC, EINTR, EIO, ENOMEM}},
    {CALL(stat), {EIO, EACCES}},
    {CALL(lstat), {EIO, EACCES}},
    {CALL(access), {EACCES, EIO}},
    {CALL(readlink), {EIO, EACCES, ENOMEM}},
    {CALL(rename), {EIO, EACCES, ENOSPC, EROFS, EBUSY, EXDEV}},
    {CALL(link), {EIO, EACCES, ENOSPC, EEXIST}},
    {CALL(unlink), {EIO, EACCES, EBUSY, EROFS}},
    {CALL(chmod), {EPERM, EIO, EROFS}},
    {CALL(poll), {EINTR, ENOMEM}},
    {CALL(dup2), {EMFILE, EINTR, EBUSY}},
    {CALL(vfork), {EAGAIN, ENOMEM}},
#endif
};

#undef CALL

const row* row_of(long call) {
  for (const auto& entry : table)
    if (entry.call == call) return &entry;
  return nullptr;
}

}  // namespace

std::vector<call_fault> faults_of(long call, std::size_t at) {
  std::vector<call_fault> faults;
  const row* found_row = row_of(call);
  if (found_row == nullptr) return faults;
  for (const int error : found_row->errors) faults.push_back({at, call, error});
  if (found_row->moves_bytes)
    for (const std::size_t most : {std::size_t{1}, std::size_t{777}})
      faults.push_back({at, call, 0, most});
  return faults;
}

std::string name_of(long call) {
  const row* found_row = row_of(call);
  return found_row != nullptr ? found_row->name : "call " + std::to_string(call);
}

bool may_leave_files(long call) {
  const std::string name = name_of(call);
  return name.starts_with("unlink") || name.ends_with("stat") || name == "newfstatat" ||
         name == "statx" || name == "flock";
}

}  // namespace sweep
