// Small numbers for threads, so that each can have a place of its own in a short list.
#pragma once

namespace leat {
inline namespace v0 {

/// At any moment no two threads have the same number. A thread that ends gives its number to a
/// later one, which then sees all that the earlier one has stored.
class thread_number {
 public:
  static constexpr unsigned most = 15;

  /// The calling thread's number, from 1 to `most`; it stays the same. 0: others have all of them.
  static unsigned mine() noexcept { return number_of_thread != 0 ? number_of_thread : take(); }
  /// Called in a forked child: the other threads are the parent's.
  static void after_fork_in_child() noexcept;

 private:
  struct holder;
  static unsigned take() noexcept;

  static constinit thread_local unsigned number_of_thread;
};

}  // namespace v0
}  // namespace leat
