// Implements background_writer.
#include "stream/background.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "base/service_thread.hpp"
#include "device/transfer.hpp"

namespace leat {
inline namespace v0 {

void background_writer::start() {
  if (!thread_.joinable()) thread_ = start_service_thread([this] { run(); });
}

void background_writer::stop() noexcept {
  if (!thread_.joinable()) return;
  wait();
  set(next(), stopped);
  join(thread_);
}

void background_writer::abandon(std::unique_ptr<background_writer> lost) noexcept {
  // The list keeps lost writers reachable, so that tools report no leak.
  static constinit background_writer* all = nullptr;
  if (lost == nullptr) return;
  lost->next_lost_ = all;
  all = lost.release();
}

void background_writer::hand_over(full_buffer&& full) noexcept {
  slot& to = next();
  to.what = std::move(full);
  ++given_;
  set(to, busy);
}

background_writer::full_buffer background_writer::reclaim_buffer() noexcept {
  slot& from = slots_[first_];
  wait_while(from, busy);
  first_ = (first_ + 1) % slots_.size();
  --given_;
  return std::move(from.what);
}

void background_writer::run() noexcept {
  std::error_code failed;
  for (std::size_t next = 0;; next = (next + 1) % slots_.size()) {
    slot& mine = slots_[next];
    wait_while(mine, idle);
    if (mine.state.load(std::memory_order_acquire) == stopped) return;
    full_buffer& w = mine.what;
    w.written = 0;
    if (!failed) {
      const std::array<std::string_view, 1> pieces{std::string_view(w.memory.get(), w.size)};
      w.written = write_all(*device_, w.at, pieces, failed);
    }
    w.ec = failed;
    set(mine, idle);
  }
}

}  // namespace v0
}  // namespace leat
