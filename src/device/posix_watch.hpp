// Waiting until something happens to a file.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>

namespace leat {
inline namespace v0 {

/// Wakes when a watched file changes, a name appears in the folder, or a stop is requested. Where
/// the system does not tell, it wakes after a moment.
class posix_watch {
 public:
  posix_watch(const char* folder, std::stop_token stop);
  ~posix_watch();
  posix_watch(const posix_watch&) = delete;
  posix_watch& operator=(const posix_watch&) = delete;

  /// Also watches an open file, from now on. Returns what remove() takes.
  int add(int file) noexcept;
  void remove(int watched) noexcept;
  /// Returns at once if anything has happened since the last call; may return for no reason.
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
