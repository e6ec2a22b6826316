// The sink of streams with the option flush_interval. Made by file_writer.cpp.
#pragma once

#include <leat/file_stream.hpp>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <thread>

#include "stream/shared_sink.hpp"

namespace leat {
inline namespace v0 {

/// A sink with a thread that flushes the stream `interval` after bytes were written.
class interval_sink final : public shared_sink {
 public:
  interval_sink(file_writer&& target, std::chrono::milliseconds interval) noexcept;
  /// Other shared sinks refuse to seek, because several threads use one position. This sink can
  /// seek, because only one thread of the program uses the stream.
  failure seek(writer& w, std::uint64_t position) noexcept override;
  void dispose(writer& w) noexcept override;

 private:
  struct flusher {
    std::condition_variable_any wake;
    std::thread thread;
    flusher* next_abandoned = nullptr;
  };

  writer& target() const noexcept override { return target_; }
  void after_write() noexcept override;
  void after_fork_in_child() noexcept override;
  void start() noexcept;
  void run() noexcept;

  mutable file_writer target_;
  std::chrono::milliseconds interval_;
  std::unique_ptr<flusher> flusher_;  // null: this process has not started the thread
  bool has_new_bytes_ = false;        // bytes were written since the thread's last flush
  bool stop_ = false;
};

}  // namespace v0
}  // namespace leat
