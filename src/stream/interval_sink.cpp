// Implements interval_sink, which flushes a stream at intervals. Made by file_writer.cpp.
#include "stream/interval_sink.hpp"

#include <algorithm>
#include <mutex>

#include "base/service_thread.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// Limits the interval, so that adding it to the current time does not overflow.
constexpr std::chrono::hours longest_interval{24 * 365};

}  // namespace

interval_sink::interval_sink(file_writer&& target, std::chrono::milliseconds interval) noexcept
    : target_(std::move(target)),
      interval_(std::min<std::chrono::milliseconds>(interval, longest_interval)) {
  calls_may_start_threads_ = true;
  enlist();
}

failure interval_sink::seek(writer&, std::uint64_t position) noexcept {
  const std::lock_guard guard(lock_);
  return below().seek(target_, position);
}

void interval_sink::dispose(writer&) noexcept {
  // If the program exits during a call, perhaps in start(), the sink is not freed, and at_exit()
  // flushes the stream.
  if (lock_.is_mine() || (flusher_ != nullptr && !flusher_->thread.joinable())) return;
  delist();
  if (flusher_ != nullptr) {
    {
      const std::lock_guard guard(lock_);
      stop_ = true;
    }
    flusher_->wake.notify_one();
    join(flusher_->thread);
  }
  delete this;
}

void interval_sink::after_write() noexcept {
  if (has_new_bytes_) return;
  has_new_bytes_ = true;
  if (flusher_ == nullptr) start();
  if (flusher_ != nullptr) {
    flusher_->wake.notify_one();
  } else {  // the thread could not be started, so flush now
    flush_unreported();
    has_new_bytes_ = false;
  }
}

void interval_sink::after_fork_in_child() noexcept {
  // The thread exists only in the parent. In the child the thread can't be joined, and its
  // condition variable can't be destroyed. The list keeps abandoned flushers reachable, so that
  // tools report no leak.
  static constinit flusher* abandoned = nullptr;
  if (flusher* stale = flusher_.release()) {
    stale->next_abandoned = abandoned;
    abandoned = stale;
  }
  has_new_bytes_ = false;
  shared_sink::after_fork_in_child();
}

void interval_sink::start() noexcept try {
  flusher_ = std::make_unique<flusher>();
  flusher_->thread = start_service_thread([this] { run(); });
} catch (...) {
  flusher_.reset();
}

void interval_sink::run() noexcept {
  std::unique_lock guard(lock_);
  std::condition_variable_any& wake = flusher_->wake;
  while (!stop_) {
    wake.wait(guard, [this] { return has_new_bytes_ || stop_; });
    wake.wait_for(guard, interval_, [this] { return stop_; });
    flush_unreported();
    has_new_bytes_ = false;
  }
}

}  // namespace v0
}  // namespace leat
