#include "stream/background.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "device/service_thread.hpp"
#include "device/transfer.hpp"

namespace leat {
inline namespace v0 {

void background_writer::start() {
  if (!thread_.joinable()) thread_ = service_thread([this] { run(); });
}

void background_writer::stop() noexcept {
  if (!thread_.joinable()) return;
  wait();
  state_.store(stopped, std::memory_order_release);
  state_.notify_one();
  thread_.join();
}

void background_writer::abandon(std::unique_ptr<background_writer> lost) noexcept {
  // Kept, so that nothing takes it for a leak.
  static constinit background_writer* all = nullptr;
  if (lost == nullptr) return;
  lost->next_lost_ = all;
  all = lost.release();
}

void background_writer::hand_over(window&& next) noexcept {
  window_ = std::move(next);
  given_ = true;
  state_.store(busy, std::memory_order_release);
  state_.notify_one();
}

background_writer::window background_writer::take_back() noexcept {
  wait();
  given_ = false;
  return std::move(window_);
}

void background_writer::run() noexcept {
  for (;;) {
    state_.wait(idle, std::memory_order_acquire);
    if (state_.load(std::memory_order_acquire) == stopped) return;
    const std::array<std::string_view, 1> pieces{
        std::string_view(window_.memory.get(), window_.size)};
    window_.written = write_all(*device_, window_.at, pieces, window_.ec);
    state_.store(idle, std::memory_order_release);
    state_.notify_one();
  }
}

}  // namespace v0
}  // namespace leat
