// Many requests in flight from one thread.
#pragma once

#include <leat/device.hpp>

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "device/system.hpp"

namespace leat {
inline namespace v0 {

/// What transfers past the cache are aligned to, in the file and in memory: as much as devices and
/// file systems want at most.
inline constexpr std::size_t direct_alignment = 4096;

/// Transfers at positions of a descriptor, several at a time. A request belongs to the queue, with
/// its memory, from start() until finish(). Short transfers are continued, at the last
/// multiple of direct_alignment so that direct requests stay aligned, and interrupted ones
/// repeated, so each ends with all its bytes done, at the end of the file, or with an error. Used
/// by one thread at a time, and only where is_usable().
class request_queue {
 public:
  request_queue(const request_queue&) = delete;
  request_queue& operator=(const request_queue&) = delete;
  /// Waits for what is in flight.
  virtual ~request_queue() = default;

  /// Takes a request on, when fewer than `depth` others are in flight; it waits for that. It may be
  /// under way from finish() on only.
  virtual void start(native_handle_type descriptor, read_request& one) noexcept = 0;
  virtual void start(native_handle_type descriptor, write_request& one) noexcept = 0;
  /// Waits for all.
  virtual void finish() noexcept = 0;

  /// False in a forked child, which shares the ring with its parent, and when the ring is gone.
  bool is_usable() const noexcept { return process_ == this_process(); }

  template <class Request>
  void run(native_handle_type descriptor, std::span<Request> requests) noexcept {
    for (auto& one : requests) start(descriptor, one);
    finish();
  }

 protected:
  request_queue() = default;
  void abandon() noexcept { process_ = 0; }

 private:
  process_id process_ = this_process();
};

/// A queue for up to `depth` requests, or null where there is none to be had: on other systems, in
/// a build without liburing, where the kernel has none or doesn't let us.
std::unique_ptr<request_queue> open_request_queue(unsigned depth) noexcept;

/// Queues for the threads that use one device. Each takes one and brings it back.
class queue_pool {
 public:
  /// A depth of 0: there are none.
  explicit queue_pool(unsigned depth) noexcept : depth_(depth), none_(depth == 0) {}

  class lease {
   public:
    lease(queue_pool& from, std::unique_ptr<request_queue> queue) noexcept
        : from_(&from), queue_(std::move(queue)) {}
    lease(const lease&) = delete;
    lease& operator=(const lease&) = delete;
    ~lease() { from_->put(std::move(queue_)); }
    explicit operator bool() const noexcept { return queue_ != nullptr; }
    request_queue* operator->() const noexcept { return queue_.get(); }

   private:
    queue_pool* from_;
    std::unique_ptr<request_queue> queue_;
  };

  /// Null where there is none to be had, as in a forked child.
  lease take() noexcept;

 private:
  void put(std::unique_ptr<request_queue> queue) noexcept;

  unsigned depth_;
  process_id process_ = this_process();
  std::mutex lock_;
  bool none_;  // there is no use in trying
  std::vector<std::unique_ptr<request_queue>> idle_;
};

}  // namespace v0
}  // namespace leat
