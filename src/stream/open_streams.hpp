// The list of open streams: the sinks that have a buffer or a lock, the buffers of leat::fstream,
// and standard input. background_writer and write_buffer query whether a thread waits for the list.
// Before a fork, pending bytes are written, and a child starts with empty buffers and free locks.
// At exit, pending bytes are written.
#pragma once

#include <leat/error.hpp>

#include <atomic>
#include <string_view>

namespace leat {
inline namespace v0 {

/// A stream in the list of open streams.
class open_stream {
 public:
  open_stream(const open_stream&) = delete;
  open_stream& operator=(const open_stream&) = delete;

  /// Called in the parent. Writes pending bytes, because the parent may end by _exit(), and takes
  /// the locks.
  virtual void before_fork() noexcept {}
  /// Called in the parent after the fork. Releases the locks.
  virtual void after_fork_in_parent() noexcept {}
  /// Called in the child after the fork. Empties the buffers, and makes the locks free.
  virtual void after_fork_in_child() noexcept = 0;

  /// Returns true if a thread waits for the list of open streams, which a fork keeps locked.
  static bool is_list_awaited() noexcept;

  /// The lost bytes, and the stream's name. The name is valid as long as the stream.
  struct loss {
    failure reason;
    std::string_view name;
  };
  /// If the stream is still open, called while the program exits: exit() does not unwind main's
  /// stack. Afterwards all bytes are written, or returned as lost, and later calls leave nothing in
  /// a buffer. Other threads may still run and use the stream.
  virtual loss at_exit() noexcept { return {}; }

 protected:
  /// Returns true if the forking thread may touch streams that have no lock. Called in before_fork.
  static bool is_only_thread_at_fork() noexcept;

  constexpr open_stream() = default;
  ~open_stream() = default;

  void enlist() noexcept;
  /// Appends a standard stream to the list's end. So the standard stream's lock is taken last at a
  /// fork, because other streams may write to the standard stream.
  void enlist_last() noexcept;
  void delist() noexcept;

 private:
  friend struct open_streams;

  void insert(open_stream** at) noexcept;

  // Neighbours in the list also write next_ and link_, under the list's lock.
  open_stream* next_ = nullptr;
  open_stream** link_ = nullptr;  // the pointer that points to this object
  bool enlisted_ = false;
};

/// The thread of the last call on a stream that has no lock. exit() does not touch a stream that
/// another thread has used last.
class user_thread {
 public:
  /// Called by each function that may change the stream.
  void set_to_this_thread() noexcept { mark_.store(&mark_of_thread, std::memory_order_relaxed); }
  /// In a forked child, makes this thread the user, outside of a call. A thread that was inside a
  /// call exists only in the parent.
  void after_fork_in_child() noexcept {
    inside_.store(false, std::memory_order_relaxed);
    set_to_this_thread();
  }
  /// Forgets the thread. Called when the stream is closed.
  void clear() noexcept { mark_.store(nullptr, std::memory_order_relaxed); }
  /// Returns true if the calling thread has used the stream last, or is the only thread and the
  /// stream was used.
  bool is_this_thread() const noexcept;
  /// Returns true if another thread may be using the stream now.
  bool is_other_thread() const noexcept;
  /// Returns true if the calling thread is inside a call: in a signal handler that interrupted the
  /// call, or in a device that the call uses. The stream is in the middle of a change.
  bool is_inside() const noexcept {
    return inside_.load(std::memory_order_relaxed) && is_this_thread();
  }

  /// Exists during a call that changes the stream. Calls may be nested.
  class call {
   public:
    explicit call(user_thread& user) noexcept
        : user_(user), outer_(user.inside_.load(std::memory_order_relaxed)) {
      user_.set_to_this_thread();
      set(true);
    }
    ~call() { set(outer_); }
    call(const call&) = delete;
    call& operator=(const call&) = delete;

   private:
    void set(bool inside) noexcept {
      std::atomic_signal_fence(std::memory_order_seq_cst);
      user_.inside_.store(inside, std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }

    user_thread& user_;
    bool outer_;
  };

 private:
  static inline constinit thread_local char mark_of_thread = 0;

  std::atomic<const char*> mark_ = nullptr;  // null: not used by a thread yet, or closed
  std::atomic<bool> inside_ = false;
};

}  // namespace v0
}  // namespace leat
