// The effect of fork() on streams: a child starts with empty windows and free locks.
#pragma once

namespace leat {
inline namespace v0 {

/// An object that is called before and after fork(). All of them are in one list, which the
/// handlers of pthread_atfork go through.
class fork_aware {
 public:
  fork_aware(const fork_aware&) = delete;
  fork_aware& operator=(const fork_aware&) = delete;

  virtual void before_fork() noexcept {}
  virtual void after_fork_in_parent() noexcept {}
  virtual void after_fork_in_child() noexcept = 0;

 protected:
  constexpr fork_aware() = default;
  ~fork_aware() = default;

  void watch_forks() noexcept;
  /// The same for the standard streams. Their locks are taken last, because other streams may be
  /// over them.
  void watch_forks_last() noexcept;
  void forget_forks() noexcept;

 private:
  friend struct fork_handlers;

  void insert(fork_aware** at) noexcept;

  // The neighbours in the list write these too, while they hold its lock.
  fork_aware* next_ = nullptr;
  fork_aware** link_ = nullptr;  // the pointer that points to this object
  bool watched_ = false;         // it is in the list
};

}  // namespace v0
}  // namespace leat
