// Disables pthread_cancel during a call. Functions that make system calls use no_cancel.
#pragma once

namespace leat {
inline namespace v0 {

/// Disables cancellation of this thread. Returns true if cancellation was already disabled. Each
/// platform implements these functions.
bool disable_cancellation() noexcept;
/// Enables cancellation of this thread.
void enable_cancellation() noexcept;

/// Disables cancellation in a scope. If a thread is cancelled in read(2) or a similar call, the
/// system unwinds the thread's stack. Unwinding a noexcept function ends the program. So no
/// function of leat is a cancellation point. POSIX would allow cancellation points in the functions
/// of C streams.
class no_cancel {
 public:
  /// If `needed` is false, does nothing: the scope has no cancellation point.
  explicit no_cancel(bool needed = true) noexcept
      : was_disabled_(!needed || disable_cancellation()) {}
  ~no_cancel() {
    if (!was_disabled_) enable_cancellation();
  }
  no_cancel(const no_cancel&) = delete;
  no_cancel& operator=(const no_cancel&) = delete;

 private:
  bool was_disabled_;
};

}  // namespace v0
}  // namespace leat
