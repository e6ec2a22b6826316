// Keeps pthread_cancel out of a call.
#pragma once

namespace leat {
inline namespace v0 {

/// Makes this thread one that can't be cancelled. Returns whether it was one before. Each platform
/// implements these.
bool refuse_cancellation() noexcept;
/// Makes it one that can be cancelled.
void allow_cancellation() noexcept;

/// Cancelling a thread in read(2) or a similar call unwinds its stack. In a noexcept function that
/// ends the program. So no function of leat is a point of cancellation, not even one of C's
/// streams, for which POSIX would allow it.
class no_cancel {
 public:
  no_cancel() noexcept : refused_before_(refuse_cancellation()) {}
  ~no_cancel() {
    if (!refused_before_) allow_cancellation();
  }
  no_cancel(const no_cancel&) = delete;
  no_cancel& operator=(const no_cancel&) = delete;

 private:
  bool refused_before_;
};

}  // namespace v0
}  // namespace leat
