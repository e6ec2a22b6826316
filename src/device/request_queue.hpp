// Many requests in flight from one thread. direct/ uses these queues for batches.
#pragma once

#include <leat/device.hpp>

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "device/system.hpp"

namespace leat {
inline namespace v0 {

/// The alignment of direct I/O, in the file and in memory: the largest alignment that common
/// devices and file systems need.
inline constexpr std::size_t direct_alignment = 4096;

/// Transfers at positions of a descriptor, several at a time. The queue uses a request and its
/// memory from start() until finish() or finish_first() has waited for the request. The queue
/// repeats interrupted transfers, and continues short transfers at the last multiple of
/// direct_alignment, so that direct I/O stays aligned. Each request ends with all its bytes done,
/// at the end of the file, or with an error. If the system refuses the queue in the middle of a
/// batch, the rest is done by blocking calls, and the queue is not usable any more. Only one thread
/// may use a queue at a time, and only while is_usable().
class request_queue {
 public:
  request_queue(const request_queue&) = delete;
  request_queue& operator=(const request_queue&) = delete;
  /// Waits until all requests in flight have ended.
  virtual ~request_queue() = default;

  /// Waits until fewer than `depth` requests are in flight, then takes this request. Some queues
  /// send the request to the system only in a later start() or finish().
  virtual void start(native_handle_type descriptor, read_request& one) noexcept = 0;
  /// start() for a write.
  virtual void start(native_handle_type descriptor, write_request& one) noexcept = 0;
  /// Waits until the first `count` of all started requests have ended. Requests for no bytes are
  /// not counted.
  virtual void finish_first(std::uint64_t count) noexcept = 0;
  /// Waits until all requests have ended.
  void finish() noexcept { finish_first(started_); }
  /// Number of requests that were started so far.
  std::uint64_t started() const noexcept { return started_; }

  /// False in a forked child, because the child shares the queue with its parent. Also false after
  /// the system has refused the queue.
  bool is_usable() const noexcept { return process_ == this_process(); }

  /// Starts all requests, and waits until the queue has no request in flight.
  template <class Request>
  void run(native_handle_type descriptor, std::span<Request> requests) noexcept {
    for (auto& one : requests) start(descriptor, one);
    finish();
  }

 protected:
  request_queue() = default;
  void abandon() noexcept { process_ = 0; }

  std::uint64_t started_ = 0;

 private:
  process_id process_ = this_process();
};

/// Opens a queue for up to `depth` requests in flight. Returns null if `depth` is 0, or if there
/// is no memory. On Linux, also returns null in a build without liburing, or if the kernel has no
/// io_uring or does not allow io_uring. On systems other than Linux and Windows, always returns
/// null.
std::unique_ptr<request_queue> open_request_queue(unsigned depth) noexcept;

/// Queues for the threads that use one device. A thread acquires a queue for a batch. The lease's
/// destructor returns the queue to the pool.
class queue_pool {
 public:
  /// With a depth of 0 there are no queues.
  explicit queue_pool(unsigned depth) noexcept : depth_(depth), unavailable_(depth == 0) {}

  class lease {
   public:
    lease(queue_pool& from, std::unique_ptr<request_queue> queue) noexcept
        : from_(&from), queue_(std::move(queue)) {}
    lease(const lease&) = delete;
    lease& operator=(const lease&) = delete;
    ~lease() { from_->release(std::move(queue_)); }
    explicit operator bool() const noexcept { return queue_ != nullptr; }
    request_queue* operator->() const noexcept { return queue_.get(); }

   private:
    queue_pool* from_;
    std::unique_ptr<request_queue> queue_;
  };

  /// Acquires a queue. The lease is empty if the depth is 0, if no queue can be opened, or in a
  /// forked child.
  lease acquire() noexcept;

 private:
  void release(std::unique_ptr<request_queue> queue) noexcept;

  unsigned depth_;
  process_id process_ = this_process();
  std::mutex lock_;
  bool unavailable_;  // opening a queue has failed and is not tried again, or the depth is 0
  std::vector<std::unique_ptr<request_queue>> idle_;
};

}  // namespace v0
}  // namespace leat
