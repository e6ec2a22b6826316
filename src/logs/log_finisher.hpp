// The thread that compresses the old files of a log, and tells the program of them.
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

/// Starts its thread when there is something to do.
///
/// One process at a time compresses the files of a log: who has the lock of the temporary file. So
/// it finishes what others have left, killed ones too.
class log_finisher {
 public:
  using callback = std::function<void(std::string_view path, std::error_code ec)>;

  log_finisher(const log_files& files, compression format, int level,
               const callback& finished) noexcept
      : files_(&files), format_(format), level_(level), finished_(&finished) {}
  /// Waits until all is done.
  ~log_finisher();
  /// The thread ends when all is done. Does not wait.
  void stop() noexcept;
  /// True in a call of the callback.
  bool is_this_thread() noexcept;
  log_finisher(const log_finisher&) = delete;
  log_finisher& operator=(const log_finisher&) = delete;

  /// There may be old files that are not compressed.
  void look() noexcept;
  /// A file is an old one now, under this name; without compression nothing else is done with it.
  void tell(std::string path, std::error_code ec) noexcept;
  /// For a forked child: the thread is the parent's, so the object can't be destroyed.
  static void abandon(std::unique_ptr<log_finisher> lost) noexcept;

 private:
  struct news {
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
  std::deque<news> news_;
  bool look_ = false, stop_ = false;
  log_finisher* next_lost_ = nullptr;
};

}  // namespace v0
}  // namespace leat
