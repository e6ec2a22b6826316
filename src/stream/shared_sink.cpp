#include "stream/shared_sink.hpp"

#include <algorithm>
#include <mutex>

#include "base/service_thread.hpp"
#include "base/single_thread.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// Takes the lock, unless the process has only one thread. No thread can start during the call,
/// because no code of the program runs under the lock.
class call_guard {
 public:
  explicit call_guard(short_lock& lock) noexcept : lock_(one_thread() ? nullptr : &lock) {
    if (lock_ != nullptr) lock_->lock();
  }
  ~call_guard() {
    if (lock_ != nullptr) lock_->unlock();
  }
  call_guard(const call_guard&) = delete;
  call_guard& operator=(const call_guard&) = delete;

 private:
  short_lock* lock_;
};

}  // namespace

void shared_sink::write(writer&, std::string_view bytes) noexcept {
  const call_guard guard(lock_);
  target().write(bytes);
  written();
}

failure shared_sink::flush(writer&) noexcept {
  const call_guard guard(lock_);
  return below().flush(target());
}

failure shared_sink::seek(writer&, std::uint64_t position) noexcept {
  return {std::make_error_code(std::errc::operation_not_supported), "seek", position, 0};
}

std::uint64_t shared_sink::tell(const writer&) const noexcept {
  const call_guard guard(lock_);
  return below().tell(target());
}

failure shared_sink::patch(writer&, std::uint64_t position, std::string_view bytes) noexcept {
  const call_guard guard(lock_);
  return below().patch(target(), position, bytes);
}

failure shared_sink::close(writer&) noexcept {
  const call_guard guard(lock_);
  return below().close(target());
}

std::error_code shared_sink::error(const writer&) const noexcept {
  const call_guard guard(lock_);
  return below().error(target());
}

std::uint64_t shared_sink::lost(const writer&) const noexcept {
  const call_guard guard(lock_);
  return below().lost(target());
}

std::string_view shared_sink::name() const noexcept {
  const call_guard guard(lock_);
  return below().name();
}

std::size_t shared_sink::copy(writer&, device& from, std::uint64_t from_at, std::size_t n,
                              std::error_code& ec) noexcept {
  const call_guard guard(lock_);
  const std::size_t copied = below().copy(target(), from, from_at, n, ec);
  if (copied != 0) written();
  return copied;
}

bool shared_sink::is_open() const noexcept {
  const call_guard guard(lock_);
  return below().is_open();
}

native_handle_type shared_sink::native_handle() const noexcept {
  const call_guard guard(lock_);
  return below().native_handle();
}

native_handle_type shared_sink::release(writer&, failure& why) noexcept {
  const call_guard guard(lock_);
  return below().release(target(), why);
}

void shared_sink::discard(writer&) noexcept {
  const call_guard guard(lock_);
  below().discard(target());
}

void synchronized_sink::dispose(writer&) noexcept {
  forget_forks();
  delete this;
}

namespace {

/// A longer interval, added to the time now, might overflow.
constexpr std::chrono::hours longest_interval{24 * 365};

}  // namespace

interval_sink::interval_sink(file_writer&& target, std::chrono::milliseconds interval) noexcept
    : target_(std::move(target)),
      interval_(std::min<std::chrono::milliseconds>(interval, longest_interval)) {
  watch_forks();
}

failure interval_sink::seek(writer&, std::uint64_t position) noexcept {
  const call_guard guard(lock_);
  return below().seek(target_, position);
}

void interval_sink::dispose(writer&) noexcept {
  forget_forks();
  if (flusher_ != nullptr) {
    {
      const std::lock_guard guard(lock_);
      stop_ = true;
    }
    flusher_->wake.notify_one();
    flusher_->thread.join();
  }
  delete this;
}

void interval_sink::written() noexcept {
  if (waiting_) return;
  waiting_ = true;
  if (flusher_ == nullptr) start();
  if (flusher_ != nullptr) {
    flusher_->wake.notify_one();
  } else {  // no thread can be started, so the bytes are flushed now
    below().flush_unreported(target_);
    waiting_ = false;
  }
}

void interval_sink::after_fork_in_child() noexcept {
  // The thread exists only in the parent. Here it can't be joined, and the condition that it waits
  // for can't be destroyed. Such objects are kept in a list, so that no tool reports a leak.
  static constinit flusher* lost = nullptr;
  if (flusher* stale = flusher_.release()) {
    stale->next_lost = lost;
    lost = stale;
  }
  waiting_ = false;
  shared_sink::after_fork_in_child();
}

void interval_sink::start() noexcept try {
  flusher_ = std::make_unique<flusher>();
  flusher_->thread = service_thread([this] { run(); });
} catch (...) {
  flusher_.reset();
}

void interval_sink::run() noexcept {
  std::unique_lock guard(lock_);
  std::condition_variable_any& wake = flusher_->wake;
  while (!stop_) {
    wake.wait(guard, [this] { return waiting_ || stop_; });
    wake.wait_for(guard, interval_, [this] { return stop_; });
    below().flush_unreported(target_);
    waiting_ = false;
  }
}

}  // namespace v0
}  // namespace leat
