// Per-thread buffers on Linux: putting and merging calls, opening and closing the gate. Used by
// sidecars and by `synchronized`.
#include "recovery/thread_buffers.hpp"

#if defined(__linux__)

#  include <fcntl.h>
#  include <linux/membarrier.h>
#  include <sched.h>
#  include <sys/syscall.h>
#  include <time.h>
#  include <unistd.h>

#  include <leat/detail/copy.hpp>

#  include <algorithm>
#  include <chrono>
#  include <cstring>
#  include <new>
#  include <string_view>
#  include <system_error>
#  include <thread>

#  include "base/clock.hpp"
#  include "base/no_cancel.hpp"
#  include "base/processor.hpp"
#  include "device/posix/system.hpp"
#  include "recovery/posix/sidecar_file.hpp"

namespace leat {
inline namespace v0 {

namespace {

bool membarrier(int command) noexcept { return ::syscall(SYS_membarrier, command, 0, 0) == 0; }

thread_buffer& thread_buffer_at(char* thread_buffers, std::size_t which) noexcept {
  return *std::launder(
      reinterpret_cast<thread_buffer*>(thread_buffers + which * thread_buffer::size));
}
const thread_buffer& thread_buffer_at(const char* thread_buffers, std::size_t which) noexcept {
  return *std::launder(
      reinterpret_cast<const thread_buffer*>(thread_buffers + which * thread_buffer::size));
}

/// True if the system takes its own time from the processors' counters. Then the system has
/// verified that all processors agree.
bool has_processor_clock() noexcept {
#  if defined(__x86_64__)
  const no_cancel guard;
  std::error_code ec;
  std::array<char, 16> name{};
  const unique_descriptor from(open_descriptor(
      "/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY, 0, ec));
  return from.get() >= 0 && processor::has_rdtscp() &&
         read_fully(from.get(), 0, name.data(), name.size(), ec) == 4 &&
         std::string_view(name.data(), 4) == "tsc\n";
#  else
  return false;
#  endif
}

/// Iterates over the calls of one thread buffer.
class thread_buffer_calls {
 public:
  thread_buffer_calls() = default;
  explicit thread_buffer_calls(const char* buffer) noexcept
      : next_(buffer + sizeof(thread_buffer)),
        end_(next_ +
             std::min<std::size_t>(thread_buffer_at(buffer, 0).used.load(std::memory_order_acquire),
                                   thread_buffer::room)) {
    parse_next();
  }
  /// Stamp of the next call; max_stamp if there is none.
  std::uint64_t stamp() const noexcept { return stamp_; }
  std::string_view next() noexcept {
    const std::string_view bytes(next_ + thread_buffer::call_header_size, size_);
    next_ += thread_buffer::padded_size(size_);
    parse_next();
    return bytes;
  }

 private:
  void parse_next() noexcept {
    const std::size_t left = static_cast<std::size_t>(end_ - next_);
    stamp_ = thread_buffer::max_stamp;
    if (left < thread_buffer::call_header_size) return;
    std::memcpy(&size_, next_ + sizeof stamp_, sizeof size_);
    if (thread_buffer::padded_size(size_) <= left) std::memcpy(&stamp_, next_, sizeof stamp_);
  }

  const char* next_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t stamp_ = thread_buffer::max_stamp;
  std::uint32_t size_ = 0;
};

}  // namespace

std::uint64_t stamp_now(stamp_clock clock) noexcept {
#  if defined(__x86_64__)
  if (clock == stamp_clock::processor) {
    unsigned processor_id;
    return __builtin_ia32_rdtscp(&processor_id);  // unlike rdtsc, rdtscp waits for earlier loads
  }
#  endif
  static_cast<void>(clock);
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec) + thread_buffer::unknown_stamp + 1;
}

std::size_t merge_thread_buffers(const char* thread_buffers, std::uint64_t before,
                                 char* into) noexcept {
  std::array<thread_buffer_calls, thread_buffer::count> calls;
  std::size_t filled = 0;  // thread buffers with calls
  for (std::size_t i = 0; i != thread_buffer::count; ++i) {
    const thread_buffer_calls candidate(thread_buffers + i * thread_buffer::size);
    if (candidate.stamp() < before) calls[filled++] = candidate;
  }
  char* to = into;
  while (filled != 0) {
    std::size_t first = 0;
    for (std::size_t i = 1; i != filled; ++i) {
      if (calls[i].stamp() < calls[first].stamp()) first = i;
    }
    if (calls[first].stamp() >= before) break;
    const std::string_view bytes = calls[first].next();
    std::memcpy(to, bytes.data(), bytes.size());
    to += bytes.size();
  }
  return static_cast<std::size_t>(to - into);
}

std::uint64_t completed_before(const char* thread_buffers, stamp_clock clock) noexcept {
  std::uint64_t before = stamp_now(clock);
  // A thread whose `current_stamp` is not seen after this barrier has taken no stamp yet.
  if (!membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED)) barrier_for_all_threads();
  for (std::size_t i = 0; i != thread_buffer::count; ++i) {
    constexpr int most_tries = 1000;
    std::uint64_t current_stamp =
        thread_buffer_at(thread_buffers, i).current_stamp.load(std::memory_order_acquire);
    for (int tries = 0; current_stamp == thread_buffer::unknown_stamp; ++tries) {
      if (tries == most_tries) return 0;
      ::sched_yield();
      current_stamp =
          thread_buffer_at(thread_buffers, i).current_stamp.load(std::memory_order_acquire);
    }
    if (current_stamp != thread_buffer::no_call) before = std::min(before, current_stamp);
  }
  return before;
}

stamp_clock best_stamp_clock() noexcept {
  static const stamp_clock best =
      has_processor_clock() ? stamp_clock::processor : stamp_clock::monotonic;
  return best;
}

bool thread_buffer_gate::is_possible() noexcept {
  // The second registration is for completed_before() in other processes.
  static const bool possible = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) &&
                               membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
  return possible;
}

void thread_buffer_gate::open(char* thread_buffers, const std::atomic<std::uint32_t>& shared,
                              stamp_clock clock, std::size_t room, std::int64_t late_at) noexcept {
  shared_ = &shared;
  clock_ = clock;
  room_ = room;
  late_at_ = late_at;
  for (thread_state& one : thread_states_) one.accepted_bytes.store(0, std::memory_order_relaxed);
  thread_buffers_.store(thread_buffers, std::memory_order_release);
}

std::uint64_t thread_buffer_gate::close() noexcept {
  const no_cancel guard;
  thread_buffers_.store(nullptr);
  // After this barrier a thread that enters finds the gate closed, and this thread sees each thread
  // that is inside.
  membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  for (const thread_state& one : thread_states_) {
    // A signal handler that ends the program may have interrupted this thread's own call.
    if (&one == &thread_states_[thread_number::mine()]) continue;
    // A thread of a lower priority gets the processor only if this thread sleeps.
    constexpr int most_yields = 100;
    for (int tries = 0; one.inside.load(std::memory_order_acquire); ++tries) {
      if (tries < most_yields)
        ::sched_yield();
      else
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  return accepted_bytes();
}

std::uint64_t thread_buffer_gate::accepted_bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const thread_state& one : thread_states_)
    sum += one.accepted_bytes.load(std::memory_order_relaxed);
  return sum;
}

void thread_buffer_gate::after_fork_in_child() noexcept {
  thread_buffers_.store(nullptr, std::memory_order_relaxed);
  for (thread_state& one : thread_states_) one.inside.store(false, std::memory_order_relaxed);
}

thread_buffer_gate::result thread_buffer_gate::put(unsigned number,
                                                   std::string_view bytes) noexcept {
  thread_state& own = thread_states_[number];
  own.inside.store(true, std::memory_order_relaxed);
  // The processor may do the next load before this store. close() orders the load and the store.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  char* const thread_buffers = thread_buffers_.load(std::memory_order_acquire);
  result outcome = result::closed;
  if (thread_buffers != nullptr &&
      (late_at_ == never_late || read_file_clock().seconds < late_at_)) {
    thread_buffer& to = thread_buffer_at(thread_buffers, number);
    const std::size_t used = to.used.load(std::memory_order_relaxed);
    outcome = result::full;
    if (used < room_ && bytes.size() < room_ &&
        thread_buffer::padded_size(bytes.size()) <= room_ - used) {
      to.current_stamp.store(thread_buffer::unknown_stamp, std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst);  // as above, for completed_before()
      const std::uint64_t now = stamp_now(clock_);
      to.current_stamp.store(now, std::memory_order_relaxed);
      char* const at = thread_buffers + number * thread_buffer::size + sizeof(thread_buffer) + used;
      const auto size = static_cast<std::uint32_t>(bytes.size());
      std::memcpy(at, &now, sizeof now);
      std::memcpy(at + sizeof now, &size, sizeof size);
      detail::copy(at + thread_buffer::call_header_size, bytes.data(), bytes.size());
      to.used.store(static_cast<std::uint32_t>(used + thread_buffer::padded_size(size)),
                    std::memory_order_release);
      to.current_stamp.store(thread_buffer::no_call, std::memory_order_release);
      own.accepted_bytes.store(own.accepted_bytes.load(std::memory_order_relaxed) + size,
                               std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst);
      outcome = shared_->load(std::memory_order_relaxed) == 0 ? result::accepted : result::shared;
    }
  }
  own.inside.store(false, std::memory_order_release);
  return outcome;
}

}  // namespace v0
}  // namespace leat

#endif
