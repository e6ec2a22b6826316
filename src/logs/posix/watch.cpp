// Implements watch.hpp on POSIX systems. Linux: by inotify. Other systems: wait() only pauses.
#include "logs/watch.hpp"

#if defined(__linux__)
#  include <poll.h>
#  include <sys/eventfd.h>
#  include <sys/inotify.h>
#  include <unistd.h>

#  include <algorithm>
#  include <cstdint>
#  include <optional>
#  include <utility>

#  include "base/no_cancel.hpp"
#  include "device/posix/resolved_path.hpp"
#  include "device/posix/system.hpp"
#endif

namespace leat {
inline namespace v0 {

using std::chrono::milliseconds;

#if defined(__linux__)

namespace {

/// The longest wait if inotify can't be used, for example because no watch is left.
constexpr milliseconds polling_interval{100};
/// The longest wait without an event of inotify. inotify does not report writes of other machines
/// on a network file system. If the path is a symbolic link to a file in another folder, inotify
/// does not report new names in that folder.
constexpr milliseconds longest_inotify_wait{1000};

class inotify_watch final : public file_watch {
 public:
  inotify_watch(path_ref folder, std::stop_token stop);
  ~inotify_watch() override;
  int add(native_handle_type file) noexcept override;
  void remove(int watched) noexcept override;
  void wait(milliseconds longest) noexcept override;

 private:
  struct wake {
    int event;
    void operator()() const noexcept;
  };

  int inotify_ = -1;
  int stop_event_ = -1;
  std::optional<std::stop_callback<wake>> on_stop_;
};

void inotify_watch::wake::operator()() const noexcept {
  const no_cancel guard;
  const std::uint64_t one = 1;
  static_cast<void>(!::write(event, &one, sizeof one));
}

inotify_watch::inotify_watch(path_ref folder, std::stop_token stop)
    : inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)),
      stop_event_(stop.stop_possible() ? ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1) {
  on_stop_.emplace(std::move(stop), wake{stop_event_});
  std::error_code ec;
  const unique_descriptor watched(open_descriptor(folder, lookup_flags, 0, ec));
  if (inotify_ >= 0 &&
      ::inotify_add_watch(inotify_, proc_fd_path(watched.get()).text, IN_CREATE | IN_MOVED_TO) < 0)
    ::close(std::exchange(inotify_, -1));
}

inotify_watch::~inotify_watch() {
  const no_cancel guard;
  on_stop_.reset();  // waits for the callback, which uses stop_event_
  if (stop_event_ >= 0) ::close(stop_event_);
  if (inotify_ >= 0) ::close(inotify_);
}

int inotify_watch::add(native_handle_type file) noexcept {
  const no_cancel guard;
  if (inotify_ < 0) return -1;
  // The open file is named by its descriptor, because its path may have changed by now.
  const int watched = ::inotify_add_watch(inotify_, proc_fd_path(file).text, IN_MODIFY);
  if (watched < 0) ::close(std::exchange(inotify_, -1));
  return watched;
}

void inotify_watch::remove(int watched) noexcept {
  if (inotify_ >= 0 && watched >= 0) ::inotify_rm_watch(inotify_, watched);
}

void inotify_watch::wait(milliseconds longest) noexcept {
  const no_cancel guard;
  pollfd ready[] = {{inotify_, POLLIN, 0}, {stop_event_, POLLIN, 0}};
  const milliseconds pause =
      std::min(longest, inotify_ < 0 ? polling_interval : longest_inotify_wait);
  if (::poll(ready, 2, static_cast<int>(pause.count())) <= 0 || ready[0].revents == 0) return;
  alignas(inotify_event) char notices[4096];
  while (::read(inotify_, notices, sizeof notices) > 0) {
  }
}

}  // namespace

std::unique_ptr<file_watch> watch_folder(path_ref folder, std::stop_token stop) {
  return std::make_unique<inotify_watch>(folder, std::move(stop));
}

#else

std::unique_ptr<file_watch> watch_folder(path_ref, std::stop_token stop) {
  return std::make_unique<polling_watch>(std::move(stop), milliseconds(50));
}

#endif

}  // namespace v0
}  // namespace leat
