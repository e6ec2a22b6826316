// The sink of a writer that several threads use at once: `synchronized`, leat::out, leat::err,
// flush_interval and journals. Called by the functions of writer.
#pragma once

#include <leat/detail/single_threaded.hpp>
#include <leat/writer.hpp>

#include <memory>
#include <new>
#include <utility>

#include "base/fork.hpp"
#include "base/owned_lock.hpp"
#include "stream/device_sink.hpp"
#include "stream/open_streams.hpp"
#include "stream/sink.hpp"

namespace leat {
inline namespace v0 {

/// Passes calls on to a target writer. If the process has several threads or the call may start a
/// thread, the sink holds a lock during the call. The shared writer has no window of its own, so
/// each call that does not use a direct writer's window (set_direct_writer) comes here.
class shared_sink : public file_sink, protected open_stream {
 public:
  void write(writer& w, std::string_view bytes) noexcept override;
  failure flush(writer& w, bool sync) noexcept override;
  failure seek(writer& w, std::uint64_t position) noexcept override;
  std::uint64_t tell(const writer& w) const noexcept override;
  failure patch(writer& w, std::uint64_t position, std::string_view bytes) noexcept override;
  failure close(writer& w) noexcept override;
  failure status(const writer& w) const noexcept override;
  void clear_error(writer& w) noexcept override;
  std::string_view name() const noexcept override;
  failure flush_at_exit(writer& w) noexcept override;
  print_needs needs_of_print(const writer&) const noexcept override {
    return {.whole_calls = true, .own_memory = {}};
  }

  bool is_open() const noexcept override;
  native_handle_type native_handle() const noexcept override;
  native_handle_type release(writer& w, failure& why) noexcept override;
  void discard(writer& w) noexcept override;
  failure reopen(writer& w) noexcept override;
  std::uint64_t dropped() const noexcept override;
  std::size_t copy(writer& w, device& from, std::uint64_t from_at, std::size_t n,
                   std::error_code& ec) noexcept override;

  /// Takes the lock for several calls and returns the target writer. unlock_writer() must follow.
  /// One thread may nest these calls.
  virtual writer& lock_writer() noexcept {
    if (lock_.is_mine())
      ++nested_locks_;
    else
      lock_.lock();
    return target();
  }
  /// Releases the lock of lock_writer().
  void unlock_writer() noexcept {
    if (nested_locks_ != 0) {
      --nested_locks_;
      return;
    }
    after_write();
    lock_.unlock();
  }

 protected:
  constexpr shared_sink() = default;
  ~shared_sink() = default;

  /// Returns the target writer. Called with the lock.
  virtual writer& target() const noexcept = 0;
  /// Called with the lock, after bytes may have been written.
  virtual void after_write() noexcept {}

  /// If the lock is needed, holds the lock for one call.
  class call_guard {
   public:
    explicit call_guard(const shared_sink& shared) noexcept
        : lock_(shared.lock_if_needed() ? &shared.lock_ : nullptr) {}
    ~call_guard() {
      if (lock_ != nullptr) lock_->unlock();
    }
    call_guard(const call_guard&) = delete;
    call_guard& operator=(const call_guard&) = delete;

   private:
    owned_lock* lock_;
  };
  /// Takes the lock while the program exits. If this thread already has the lock, the call that
  /// took the lock will not continue: the program exits in shared_writer::with, or in a signal
  /// handler that interrupted the call. Returns false if another thread keeps the lock longer than
  /// fork_timeout.
  bool lock_at_exit() noexcept { return lock_.is_mine() || lock_.try_lock_for(fork_timeout); }
  /// Called before the sink is freed. If this thread has the lock, the program exits inside a call,
  /// as in lock_at_exit(): abandons the target's call and releases the lock.
  void unlock_at_exit() noexcept {
    if (!lock_.is_mine()) return;
    if (device_sink* const target_sink = below().as_device_sink())
      target_sink->abandon_if_inside(target());
    lock_.unlock();
  }

  void before_fork() noexcept override {
    locked_for_fork_ = !lock_.is_mine();
    if (locked_for_fork_ && !lock_.try_lock_for(fork_timeout)) {
      locked_for_fork_ = false;
      child_resets_lock_ = true;
    } else {
      flush_shared_before_fork();
    }
  }
  void after_fork_in_parent() noexcept override {
    if (locked_for_fork_) lock_.unlock();
    child_resets_lock_ = false;
  }
  void after_fork_in_child() noexcept override {
    if (locked_for_fork_) lock_.unlock();
    if (!std::exchange(child_resets_lock_, false)) return;
    new (&lock_) owned_lock;  // the lock's owner exists only in the parent
    nested_locks_ = 0;
  }
  /// Writes pending bytes. Called with the lock.
  virtual void flush_shared_before_fork() noexcept {
    if (device_sink* const target_sink = below().as_device_sink())
      target_sink->flush_before_fork(target());
  }
  loss at_exit() noexcept override;
  /// If the target's sink is a device_sink, flushes the target. A failure stays unreported.
  void flush_unreported() noexcept {
    if (device_sink* const target_sink = below().as_device_sink())
      target_sink->flush_unreported(target());
  }

  /// Calls `use` with the target's file_sink. If the target has no file_sink, returns `without`.
  template <class Use, class Result>
  Result with_file(Use use, Result without) const noexcept {
    const call_guard guard(*this);
    file_sink* const file = below().file();
    return file != nullptr ? use(*file) : without;
  }
  /// The target's sink, for calls that a writer does not have.
  sink& below() const noexcept { return sink_of(target()); }

  mutable owned_lock lock_;
  /// A call may start a thread that uses this sink before the call ends: the thread of an
  /// interval_sink, or the thread that calls the callback rotating_options::finished of a log. The
  /// callback may print to the log.
  bool calls_may_start_threads_ = false;

 private:
  /// If the lock is needed, takes the lock. Returns whether the lock was taken. The lock is not
  /// needed if the process has one thread and the call starts no thread, or if this thread already
  /// has the lock.
  bool lock_if_needed() const noexcept {
    if (!calls_may_start_threads_ && detail::is_single_threaded()) return false;
    if (lock_.try_lock()) return true;
    if (lock_.is_mine()) return false;
    lock_.lock();
    return true;
  }

  unsigned nested_locks_ = 0;  // guarded by lock_
  bool locked_for_fork_ = false;
  bool child_resets_lock_ = false;
};

}  // namespace v0
}  // namespace leat
