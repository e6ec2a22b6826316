// File locks on POSIX systems, by flock. Programs and journals use file_lock.
#include <leat/lock.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <utility>

#include "base/no_cancel.hpp"
#include "device/posix/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

bool change_lock(int file, int operation, std::error_code& ec) noexcept {
  const int result = retry_on_eintr([&] { return ::flock(file, operation); });
  if (result == 0)
    ec.clear();
  else
    ec = system_code();
  return result == 0;
}

}  // namespace

/// Returns true if the lock is held. On an error, sets `ec` and returns false. Without `wait`: if
/// another open file has a conflicting lock, returns false without an error.
bool file_lock::acquire(native_handle_type file, lock_mode mode, bool wait,
                        std::error_code& ec) noexcept {
  const no_cancel guard;
  if (file == no_handle) {
    ec = errc::closed;
    return false;
  }
  file_ = ::fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (file_ < 0) {
    ec = system_code();
    return false;
  }
  process_ = ::getpid();
  if (change_lock(file_, (mode == lock_mode::shared ? LOCK_SH : LOCK_EX) | (wait ? 0 : LOCK_NB),
                  ec))
    return true;
  if (!wait && ec.value() == EWOULDBLOCK) ec.clear();
  ::close(std::exchange(file_, no_handle));
  return false;
}

void file_lock::unlock(std::error_code& ec) noexcept {
  const no_cancel guard;
  ec.clear();
  const int file = std::exchange(file_, no_handle);
  if (file == no_handle) return;
  // Closing is not enough, because the stream's descriptor keeps the lock. A forked child must not
  // release its parent's lock.
  if (process_ == ::getpid()) change_lock(file, LOCK_UN, ec);
  ::close(file);
}

}  // namespace v0
}  // namespace leat
