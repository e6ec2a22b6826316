// File locks on Windows, by a locked byte. Programs and journals use file_lock.
#include <leat/lock.hpp>

#include <utility>

#include "device/windows/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// The offset of the byte that is locked. Other processes can't write a locked byte, and can't read
/// a byte with an exclusive lock. The byte at this offset is after the end of every file, so the
/// lock affects only programs that lock the same byte.
constexpr DWORD offset_low = 0xFFFFFFFE;
constexpr DWORD offset_high = 0x7FFFFFFF;

class locked_byte {
 public:
  locked_byte() noexcept {
    overlapped_.Offset = offset_low;
    overlapped_.OffsetHigh = offset_high;
  }
  bool lock(HANDLE file, DWORD flags) noexcept {
    overlapped_.hEvent = ::CreateEventW(nullptr, TRUE, FALSE, nullptr);
    DWORD unused;
    const bool done = ::LockFileEx(file, flags, 0, 1, 0, &overlapped_) != 0 ||
                      (::GetLastError() == ERROR_IO_PENDING &&
                       ::GetOverlappedResult(file, &overlapped_, &unused, TRUE));
    const DWORD why = ::GetLastError();
    if (overlapped_.hEvent != nullptr) ::CloseHandle(overlapped_.hEvent);
    ::SetLastError(why);
    return done;
  }
  bool unlock(HANDLE file) noexcept { return ::UnlockFileEx(file, 0, 1, 0, &overlapped_) != 0; }

 private:
  OVERLAPPED overlapped_{};
};

}  // namespace

/// Returns true if the lock is held. On an error, sets `ec` and returns false. Without `wait`: if
/// another open file has a conflicting lock, returns false without an error.
bool file_lock::acquire(native_handle_type file, lock_mode mode, bool wait,
                        std::error_code& ec) noexcept {
  if (file == no_handle) {
    ec = errc::closed;
    return false;
  }
  const HANDLE self = ::GetCurrentProcess();
  if (::DuplicateHandle(self, file, self, &file_, 0, FALSE, DUPLICATE_SAME_ACCESS) == 0) {
    file_ = no_handle;
    ec = system_code();
    return false;
  }
  locked_byte byte;
  // If this open file has a lock already, the new lock replaces the old lock, as with flock(2).
  // Without the unlock, the system would wait for the old lock.
  byte.unlock(file_);
  const DWORD flags = (mode == lock_mode::shared ? 0 : DWORD{LOCKFILE_EXCLUSIVE_LOCK}) |
                      (wait ? 0 : DWORD{LOCKFILE_FAIL_IMMEDIATELY});
  if (byte.lock(file_, flags)) {
    ec.clear();
    return true;
  }
  ec = system_code();
  if (!wait && ec.value() == ERROR_LOCK_VIOLATION) ec.clear();
  ::CloseHandle(std::exchange(file_, no_handle));
  return false;
}

void file_lock::unlock(std::error_code& ec) noexcept {
  ec.clear();
  const HANDLE file = std::exchange(file_, no_handle);
  if (file == no_handle) return;
  // Another lock through the same open file may have ended this lock.
  if (!locked_byte().unlock(file) && ::GetLastError() != ERROR_NOT_LOCKED) ec = system_code();
  ::CloseHandle(file);
}

}  // namespace v0
}  // namespace leat
