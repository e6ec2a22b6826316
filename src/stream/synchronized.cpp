// The class synchronized: shares a writer of the program between several threads.
#include <leat/detail/single_threaded.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>

#include "recovery/thread_buffers.hpp"
#include "stream/shared_sink.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// Shares a writer that this sink does not own.
///
/// If several threads write, and the sink below can have per-thread buffers, calls put their bytes
/// into these buffers without the lock. The next call that needs all bytes in one buffer closes the
/// per-thread buffers.
class synchronized_sink final : public shared_sink {
 public:
  explicit synchronized_sink(writer& target) noexcept : target_(&target) {
    // Prepare the process for per-thread buffers before it has other threads, because afterwards
    // the preparation takes up to 27 ms.
    if (detail::is_single_threaded()) thread_buffer_gate::is_possible();
    const device_sink* const target_sink = below().as_device_sink();
    calls_may_start_threads_ = target_sink != nullptr && target_sink->is_log();
    enlist();
  }
  void write(writer& w, std::string_view bytes) noexcept override;
  void dispose(writer&) noexcept override {
    unlock_at_exit();
    delist();
    end_thread_buffers();
    delete gate_.load(std::memory_order_relaxed);
    delete this;
  }

 private:
  writer& target() const noexcept override { return *target_; }
  void after_write() noexcept override;
  void flush_shared_before_fork() noexcept override {
    end_thread_buffers();
    shared_sink::flush_shared_before_fork();
  }
  void after_fork_in_child() noexcept override {
    if (thread_buffer_gate* const gate = gate_.load(std::memory_order_relaxed))
      gate->after_fork_in_child();
    shared_sink::after_fork_in_child();
  }

  void end_thread_buffers() noexcept;

  writer* target_;
  std::atomic<thread_buffer_gate*> gate_{nullptr};  // null: per-thread buffers were never wanted
  // The next members are used with the lock.
  user_thread last_writer_;  // the thread that has written last
  // Changes of the writing thread since the last attempt to open per-thread buffers.
  unsigned writer_changes_ = 0;
  unsigned needed_changes_ = 1;  // per-thread buffers open after this many changes
};

void synchronized_sink::write(writer& w, std::string_view bytes) noexcept {
  thread_buffer_gate* const gate = gate_.load(std::memory_order_acquire);
  if (gate != nullptr) {
    const thread_buffer_gate::result outcome = gate->put(bytes);
    if (outcome == thread_buffer_gate::result::accepted) [[likely]]
      return;
    if (outcome == thread_buffer_gate::result::shared) {
      const call_guard guard(*this);
      return end_thread_buffers();
    }
  }
  if (!calls_may_start_threads_ && detail::is_single_threaded()) set_direct_writer(w, target_);
  const call_guard guard(*this);
  // The gate may have opened while this thread waited for the lock. Or this thread has no buffer of
  // its own.
  if (gate != nullptr && gate->is_open()) {
    const thread_buffer_gate::result outcome = gate->put_locked(bytes);
    if (outcome == thread_buffer_gate::result::shared) end_thread_buffers();
    if (outcome == thread_buffer_gate::result::accepted ||
        outcome == thread_buffer_gate::result::shared)
      return;
  }
  target().write(bytes);
  after_write();
}

/// Closes open per-thread buffers. Called with the lock held, or by dispose(), when no other thread
/// uses the sink.
void synchronized_sink::end_thread_buffers() noexcept {
  thread_buffer_gate* const gate = gate_.load(std::memory_order_relaxed);
  if (gate == nullptr || !gate->is_open()) return;
  // Null: the writer below was closed by an exit, or is moved from.
  if (device_sink* const target_sink = below().as_device_sink())
    target_sink->close_thread_buffers(target());
}

/// If the writing threads alternate, opens per-thread buffers.
void synchronized_sink::after_write() noexcept {
  constexpr unsigned max_needed_changes = 4096;
  // For fewer bytes, opening does not pay off: closing the buffers takes microseconds.
  constexpr std::uint64_t min_useful_bytes = 4096;
  device_sink* const target_sink = below().as_device_sink();
  if (detail::is_single_threaded() || target_sink == nullptr) return;
  const bool has_changed = last_writer_.is_other_thread();
  last_writer_.set_to_this_thread();
  if (!has_changed || ++writer_changes_ < needed_changes_) return;
  writer_changes_ = 0;
  thread_buffer_gate* gate = gate_.load(std::memory_order_relaxed);
  if (gate == nullptr) {
    if (!thread_buffer_gate::is_possible()) return;
    gate = new (std::nothrow) thread_buffer_gate;
    if (gate == nullptr) return;
    gate_.store(gate, std::memory_order_release);
  } else {
    const bool was_useful = gate->accepted_bytes() >= min_useful_bytes;
    needed_changes_ = was_useful ? 1 : std::min(2 * needed_changes_, max_needed_changes);
  }
  target_sink->open_thread_buffers(target(), *gate);
}

}  // namespace

synchronized::synchronized(writer& target) : shared_writer(*new synchronized_sink(target)) {}

synchronized::synchronized(owner& target) try : synchronized(target.target()) {
  owner_ = &target;
} catch (...) {
  delete &target;
}

synchronized::~synchronized() {
  dispose();
  delete owner_;
}

}  // namespace v0
}  // namespace leat
