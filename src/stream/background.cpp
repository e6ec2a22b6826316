// Implements background_writer, a thread that writes full buffers. Called by write_buffer.
#include "stream/background.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "base/fork.hpp"
#include "base/service_thread.hpp"
#include "device/transfer.hpp"
#include "stream/open_streams.hpp"

namespace leat {
inline namespace v0 {

void background_writer::start() {
  if (!thread_.joinable()) thread_ = start_service_thread([this] { run(); });
}

void background_writer::stop() noexcept {
  if (!thread_.joinable()) return;
  wait();
  set(free_slot(), stopped);
  join(thread_);
}

void background_writer::wait_at_fork() const noexcept {
  const auto end = std::chrono::steady_clock::now() + fork_timeout;
  for (const auto& one : slots_) {
    while (one.state.load(std::memory_order_acquire) == busy) {
      if (open_stream::is_list_awaited() || std::chrono::steady_clock::now() >= end) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

void background_writer::abandon(std::unique_ptr<background_writer> abandoned) noexcept {
  // The list keeps abandoned writers reachable, so that tools report no leak.
  static constinit background_writer* all = nullptr;
  if (abandoned == nullptr) return;
  abandoned->next_abandoned_ = all;
  all = abandoned.release();
}

void background_writer::hand_over(full_buffer&& full) noexcept {
  slot& to = free_slot();
  to.buffer = std::move(full);
  ++held_buffers_;
  set(to, busy);
}

background_writer::full_buffer background_writer::reclaim_buffer() noexcept {
  slot& from = slots_[oldest_];
  wait_while(from, busy);
  oldest_ = (oldest_ + 1) % slots_.size();
  --held_buffers_;
  return std::move(from.buffer);
}

void background_writer::run() noexcept {
  std::error_code failed;
  for (std::size_t next = 0;; next = (next + 1) % slots_.size()) {
    slot& mine = slots_[next];
    wait_while(mine, idle);
    if (mine.state.load(std::memory_order_acquire) == stopped) return;
    full_buffer& buffer = mine.buffer;
    buffer.written = 0;
    if (!failed) {
      const std::array<std::string_view, 1> pieces{
          std::string_view(buffer.memory.get(), buffer.size)};
      buffer.written = write_all(*device_, buffer.at, pieces, failed);
    }
    buffer.ec = failed;
    set(mine, idle);
  }
}

}  // namespace v0
}  // namespace leat
