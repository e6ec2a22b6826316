// Waiting until something happens to a file. Each platform has its own implementation of this.
#pragma once

#include <leat/device.hpp>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

namespace leat {
inline namespace v0 {

/// wait() ends when a watched file changes, a name appears in the folder, or a stop is requested.
/// Where the system does not report that, it ends after a moment.
class file_watch {
 public:
  file_watch(const std::string& folder, std::stop_token stop);
  ~file_watch();
  file_watch(const file_watch&) = delete;
  file_watch& operator=(const file_watch&) = delete;

  /// Watches an open file as well. Returns a number for remove(), or -1.
  int add(native_handle_type file) noexcept;
  void remove(int watched) noexcept;
  /// Returns at once if something has happened since the last call. It may also return for no
  /// reason.
  void wait(std::chrono::milliseconds longest) noexcept;

 private:
#if defined(__linux__)
  struct wake {
    int event;
    void operator()() const noexcept;
  };

  int events_ = -1;
  int woken_ = -1;
  std::optional<std::stop_callback<wake>> on_stop_;
#else
  std::stop_token stop_;
#endif
};

}  // namespace v0
}  // namespace leat
