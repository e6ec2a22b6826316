#include <algorithm>
#include <thread>
#include <utility>

#include "device/watch.hpp"

namespace leat {
inline namespace v0 {

using std::chrono::milliseconds;

// The system reports writes to an open file late, so this returns often, for the caller to look.

file_watch::file_watch(const std::string&, std::stop_token stop) : stop_(std::move(stop)) {}
file_watch::~file_watch() = default;
int file_watch::add(native_handle_type) noexcept { return -1; }
void file_watch::remove(int) noexcept {}

void file_watch::wait(milliseconds longest) noexcept {
  constexpr milliseconds look{30};
  if (!stop_.stop_requested()) std::this_thread::sleep_for(std::min(longest, look));
}

}  // namespace v0
}  // namespace leat
