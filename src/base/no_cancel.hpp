// Disables pthread_cancel during a call.
#pragma once

namespace leat {
inline namespace v0 {

/// Disables cancellation of this thread. Returns true if cancellation was disabled already. Each
/// platform implements these functions.
bool disable_cancellation() noexcept;
/// Enables cancellation of this thread.
void enable_cancellation() noexcept;

/// Disables cancellation in a scope. If a thread is cancelled in read(2) or a similar call, its
/// stack is unwound, and unwinding a noexcept function ends the program. So no function of leat is
/// a cancellation point, not even the functions of C streams, although POSIX allows them to be.
class no_cancel {
 public:
  /// `needed` may be false if the scope has no cancellation point; then nothing is done.
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
