// The thread that compresses the archives of a log and calls `finished`. rotating.cpp owns the
// thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "logs/log_files.hpp"

namespace leat {
inline namespace v0 {

/// A queue of work, and the thread that does the work. The thread starts with the first request.
///
/// Only one process at a time compresses the archives of a log: the one that holds the lock of the
/// temporary file. That process also compresses archives of other processes, even of killed
/// processes.
class log_finisher {
 public:
  using callback = std::function<void(std::string_view path, std::error_code ec)>;

  /// `files` and `finished` must outlive the object.
  log_finisher(const log_files& files, compression format, int level,
               const callback& finished) noexcept
      : files_(&files), format_(format), level_(level), finished_(&finished) {}
  /// Waits until all work is done.
  ~log_finisher();
  /// Makes the thread end when all work is done. Does not wait.
  void stop() noexcept;
  /// Like stop(), but work that was not begun is left out.
  void drop_work() noexcept;
  /// True on the finisher's own thread: in a call of the callback.
  bool is_this_thread() noexcept;
  log_finisher(const log_finisher&) = delete;
  log_finisher& operator=(const log_finisher&) = delete;

  /// Makes the thread compress the archives that are not compressed yet. Does not wait. If no
  /// thread can be started, a later call of request_compression() or report() starts the thread.
  void request_compression() noexcept;
  /// Queues a call of the callback with this path, because the file has become an archive or an
  /// error has happened. If there is no callback, only an error is reported. If there is no memory,
  /// nothing is reported.
  void report(std::string_view path, std::error_code ec) noexcept;
  /// Owns the object, and never destroys the object. Called where the thread can't be joined: in a
  /// forked child, or on the thread itself.
  static void abandon(std::unique_ptr<log_finisher> abandoned) noexcept;

 private:
  struct queued_report {
    std::string path;
    std::error_code ec;
  };

  void start(std::unique_lock<std::mutex>& guard);
  void run() noexcept;
  void compress_all();
  bool compress_one(std::error_code& ec, std::string& path);

  const log_files* files_;
  compression format_;
  int level_;
  const callback* finished_;
  std::mutex lock_;
  std::condition_variable wake_;
  std::thread thread_;
  std::deque<queued_report> queued_reports_;
  bool compress_requested_ = false, stop_ = false;
  log_finisher* next_abandoned_ = nullptr;
};

}  // namespace v0
}  // namespace leat
