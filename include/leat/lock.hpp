// Advisory locks on whole files, between processes: class file_lock.
#pragma once

#include <leat/detail/cpp20.hpp>

#include <leat/detail/try_to_lock.hpp>
#include <leat/device.hpp>
#include <leat/error.hpp>

#include <concepts>
#include <system_error>

namespace leat {
inline namespace v0 {

/// The holders that a lock allows at the same time.
enum class lock_mode {
  shared,     ///< other shared holders are allowed
  exclusive,  ///< no other holder
};

/// A file_reader, file_writer, mapped_file or anything else with a descriptor.
template <class Stream>
concept has_native_handle = requires(const Stream& s) {
  { s.native_handle() } -> std::same_as<native_handle_type>;
};

/// Holds a lock on an open file until its destruction. Movable.
///
/// The lock is advisory: it excludes only programs that also lock, by flock(2) or the command
/// flock(1); on Windows, only programs that lock by leat. The lock belongs to an open file
/// description. For example, two streams that were opened separately exclude each other, even in
/// one process. All locks through one stream are the same lock, and the first unlock() releases it.
/// A forked child shares its parent's lock, and only the parent can release it by unlock(). If the
/// parent ends without unlock(), the lock lasts until the child ends, or until the child has closed
/// the file and destroyed its copy of the file_lock.
///
/// Bytes in a writer's buffer are not in the file yet, so flush before you unlock.
///
///     auto log = leat::append("log");
///     leat::file_lock guard(log, leat::lock_mode::exclusive);
///     log.print("one\n");
///     log.flush();
class LEAT_API [[nodiscard]] file_lock {
 public:
  /// Holds no lock.
  file_lock() noexcept = default;
  /// Waits for the lock. The file may be closed before the lock is released. On errors throws
  /// io_error; if there is no handle, the error is errc::closed.
  explicit file_lock(native_handle_type file, lock_mode mode = lock_mode::exclusive);
  file_lock(native_handle_type file, lock_mode mode, std::error_code& ec) noexcept;
  /// Tries to lock, without waiting. If the lock is taken, owns_lock() is false, and no error is
  /// reported.
  file_lock(native_handle_type file, lock_mode mode, std::try_to_lock_t);
  file_lock(native_handle_type file, lock_mode mode, std::try_to_lock_t,
            std::error_code& ec) noexcept;

  /// As above, for the file of a stream.
  explicit file_lock(const has_native_handle auto& stream, lock_mode mode = lock_mode::exclusive)
      : file_lock(stream.native_handle(), mode) {}
  file_lock(const has_native_handle auto& stream, lock_mode mode, std::error_code& ec) noexcept
      : file_lock(stream.native_handle(), mode, ec) {}
  file_lock(const has_native_handle auto& stream, lock_mode mode, std::try_to_lock_t tag)
      : file_lock(stream.native_handle(), mode, tag) {}
  file_lock(const has_native_handle auto& stream, lock_mode mode, std::try_to_lock_t tag,
            std::error_code& ec) noexcept
      : file_lock(stream.native_handle(), mode, tag, ec) {}

  file_lock(file_lock&& other) noexcept;
  file_lock& operator=(file_lock&& other) noexcept;
  ~file_lock();

  /// True while this object holds a lock.
  bool owns_lock() const noexcept { return file_ != no_handle; }
  explicit operator bool() const noexcept { return owns_lock(); }
  /// Releases the lock, even if an error is reported. Does nothing without a lock. Throws io_error.
  void unlock();
  void unlock(std::error_code& ec) noexcept;

 private:
  bool acquire(native_handle_type file, lock_mode mode, bool wait, std::error_code& ec) noexcept;

  native_handle_type file_ = no_handle;  // a duplicate: the program may close the original
  long process_ = 0;  // the process that acquired the lock; only this process unlocks
};

}  // namespace v0
}  // namespace leat
