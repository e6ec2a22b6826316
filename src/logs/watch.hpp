// Waits until something happens to a file. Each platform has its own implementation. follow.cpp
// waits through this interface.
#pragma once

#include <leat/device.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

namespace leat {
inline namespace v0 {

/// wait() ends when a watched file changes, when a name appears in the folder, when a stop is
/// requested, or at the latest after the given time. If the system does not report changes, wait()
/// ends after a pause of up to 100 milliseconds. A change does not end this pause, and neither does
/// a stop request, except on Linux.
class file_watch {
 public:
  file_watch() = default;
  file_watch(const file_watch&) = delete;
  file_watch& operator=(const file_watch&) = delete;
  virtual ~file_watch() = default;

  /// Also watches an open file. Returns a number for remove(), or -1 if the file is not watched.
  virtual int add(native_handle_type file) noexcept = 0;
  /// Ends the watching of a file. `watched` is a result of add(); -1: does nothing.
  virtual void remove(int watched) noexcept = 0;
  /// Waits for `longest` at most. If the system reports changes, returns at once if something has
  /// happened since the last call. May return although nothing has happened.
  virtual void wait(std::chrono::milliseconds longest) noexcept = 0;
};

/// Returns a watch of a folder. The caller owns the watch. Throws std::bad_alloc.
std::unique_ptr<file_watch> watch_folder(path_ref folder, std::stop_token stop);

/// For systems that report no changes: wait() sleeps for `pause`, or for `longest` if that is less.
/// After a stop request, wait() does not sleep.
class polling_watch final : public file_watch {
 public:
  polling_watch(std::stop_token stop, std::chrono::milliseconds pause) noexcept
      : stop_(std::move(stop)), pause_(pause) {}

  int add(native_handle_type) noexcept override { return -1; }
  void remove(int) noexcept override {}
  void wait(std::chrono::milliseconds longest) noexcept override {
    if (!stop_.stop_requested()) std::this_thread::sleep_for(std::min(longest, pause_));
  }

 private:
  std::stop_token stop_;
  std::chrono::milliseconds pause_;
};

}  // namespace v0
}  // namespace leat
