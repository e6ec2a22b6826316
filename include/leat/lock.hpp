// Locks on files, between processes that ask for them.
#pragma once

#include <leat/device.hpp>
#include <leat/error.hpp>

#include <concepts>
#include <mutex>
#include <system_error>

namespace leat {
inline namespace v0 {

enum class lock_mode {
  shared,     ///< together with other shared ones
  exclusive,  ///< alone
};

/// A file_reader, file_writer, mapped_file or anything else with a descriptor.
template <class Stream>
concept has_native_handle = requires(const Stream& s) {
  { s.native_handle() } -> std::same_as<native_handle_type>;
};

/// Holds a lock on an open file, and lets go of it at its end. Movable.
///
/// The lock is advisory: it keeps out who asks for one too, with flock(2) or the command flock(1),
/// and nobody else. It stands between open files: two streams that were opened one after the other
/// keep each other out, also in one process; all locks through one stream are the same lock, which
/// the first unlock() ends. A forked child shares its parent's, which only the parent ends.
///
/// What a writer has in its window is not in the file yet: flush before the lock ends.
///
///     auto log = leat::append("log");
///     leat::file_lock guard(log, leat::lock_mode::exclusive);
///     log.print("one\n");
///     log.flush();
class LEAT_API file_lock {
 public:
  /// No lock.
  file_lock() noexcept = default;
  /// Waits for the lock. The file may be closed before the lock ends. Throws io_error.
  explicit file_lock(native_handle_type file, lock_mode mode = lock_mode::exclusive);
  file_lock(native_handle_type file, lock_mode mode, std::error_code& ec) noexcept;
  /// Does not wait; ask owns_lock(). That somebody else has it is no error.
  file_lock(native_handle_type file, lock_mode mode, std::try_to_lock_t);
  file_lock(native_handle_type file, lock_mode mode, std::try_to_lock_t,
            std::error_code& ec) noexcept;

  explicit file_lock(const has_native_handle auto& stream, lock_mode mode = lock_mode::exclusive)
      : file_lock(stream.native_handle(), mode) {}
  file_lock(const has_native_handle auto& stream, lock_mode mode, std::error_code& ec) noexcept
      : file_lock(stream.native_handle(), mode, ec) {}
  file_lock(const has_native_handle auto& stream, lock_mode mode, std::try_to_lock_t wait)
      : file_lock(stream.native_handle(), mode, wait) {}
  file_lock(const has_native_handle auto& stream, lock_mode mode, std::try_to_lock_t wait,
            std::error_code& ec) noexcept
      : file_lock(stream.native_handle(), mode, wait, ec) {}

  file_lock(file_lock&& other) noexcept;
  file_lock& operator=(file_lock&& other) noexcept;
  ~file_lock();

  bool owns_lock() const noexcept { return file_ != no_handle; }
  explicit operator bool() const noexcept { return owns_lock(); }
  /// Ends the lock, whatever it reports; does nothing if there is none. Throws io_error.
  void unlock();
  void unlock(std::error_code& ec) noexcept;

 private:
  bool acquire(native_handle_type file, lock_mode mode, bool wait, std::error_code& ec) noexcept;

  native_handle_type file_ = no_handle;  // a duplicate, so that it is ours until the lock ends
  long process_ = 0;
};

}  // namespace v0
}  // namespace leat
