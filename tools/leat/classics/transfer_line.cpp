// The progress line of `leat cp`. copying.cpp and cp.cpp use the line.
#include "classics/transfer_line.hpp"

#include <leat/leat.hpp>

#include <algorithm>
#include <mutex>

#include "system/system.hpp"

namespace bench {

namespace {

constexpr double seconds_between_updates = 0.2;

}  // namespace

transfer_line::transfer_line(std::uint64_t total)
    : is_terminal_(is_terminal(output::error)), total_(total), start_(real_clocks().wall()) {}

void transfer_line::add(std::uint64_t bytes) {
  if (!is_terminal_) return;
  const std::lock_guard hold(lock_);
  copied_ += bytes;
  show();
}

void transfer_line::show() {
  const double now = real_clocks().wall();
  if (is_shown_ && now - last_ < seconds_between_updates) return;
  last_ = now;
  is_shown_ = true;
  constexpr double megabyte = 1e6;
  const auto done = static_cast<double>(copied_);
  leat::err.print("\r{:3.0f} %  {:.1f} MB  {:.1f} MB/s\033[K",
                  100 * done / std::max(static_cast<double>(std::max(total_, copied_)), 1.0),
                  done / megabyte, done / megabyte / std::max(now - start_, 1e-3));
}

void transfer_line::clear() {
  const std::lock_guard hold(lock_);
  if (!is_shown_) return;
  is_shown_ = false;
  leat::err.print("\r\033[K");
}

}  // namespace bench
