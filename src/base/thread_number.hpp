// Small numbers for threads, as indexes of a short array. Per-thread buffers and the list of open
// streams use the numbers.
#pragma once

namespace leat {
inline namespace v0 {

/// Numbers of running threads are different. A later thread may get the number of an ended thread.
/// Then the later thread sees all stores of the ended thread.
class thread_number {
 public:
  static constexpr unsigned most = 15;

  /// Returns the calling thread's number, from 1 to `most`. The number stays the same until the
  /// thread ends. Returns 0 if other threads have all numbers, or if the thread's destructors have
  /// released its number.
  static unsigned mine() noexcept {
    return this_thread_number != 0 ? this_thread_number : acquire();
  }
  /// Releases the numbers of the other threads, which exist only in the parent.
  static void after_fork_in_child() noexcept;

 private:
  struct holder;
  static unsigned acquire() noexcept;

  static constinit thread_local unsigned this_thread_number;
};

}  // namespace v0
}  // namespace leat
