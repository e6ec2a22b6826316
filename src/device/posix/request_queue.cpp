// The request_queue of Linux, by io_uring. The pool in request_queue.cpp opens the queues. Other
// POSIX systems have no interface that works with any descriptor and keeps many requests in flight.
#include "device/request_queue.hpp"

#include "base/no_cancel.hpp"
#include "device/transfer.hpp"

#if defined(LEAT_URING)
#  include <liburing.h>
#  include <sys/stat.h>
#  include <unistd.h>

#  include <algorithm>
#  include <cerrno>
#  include <chrono>
#  include <thread>

#  include "device/posix/system.hpp"
#endif

namespace leat {
inline namespace v0 {

#if defined(LEAT_URING)

namespace {

class uring_queue final : public request_queue {
 public:
  static std::unique_ptr<request_queue> open(unsigned depth) {
    std::unique_ptr<uring_queue> queue(new uring_queue(depth));
    if (::io_uring_queue_init(depth, &queue->ring_, 0) != 0) return nullptr;
    queue->is_open_ = true;
    // The first kernels with io_uring do not have IORING_OP_READ and IORING_OP_WRITE.
    io_uring_probe* const probe = ::io_uring_get_probe_ring(&queue->ring_);
    if (probe == nullptr) return nullptr;
    const bool is_supported = ::io_uring_opcode_supported(probe, IORING_OP_READ) != 0 &&
                              ::io_uring_opcode_supported(probe, IORING_OP_WRITE) != 0;
    ::io_uring_free_probe(probe);
    if (!is_supported) return nullptr;
    return queue;
  }
  ~uring_queue() override {
    if (!is_open_) return;
    if (is_usable()) finish();
    ::io_uring_queue_exit(&ring_);
  }

  void start(native_handle_type descriptor, read_request& one) noexcept override {
    start({false, descriptor, one.at, one.into.data(), one.into.size(), &one.done, &one.ec});
  }
  void start(native_handle_type descriptor, write_request& one) noexcept override {
    start({true, descriptor, one.at, const_cast<char*>(one.bytes.data()), one.bytes.size(),
           &one.done, &one.ec});
  }
  void finish_first(std::uint64_t count) noexcept override {
    const auto is_under_way = [count](const operation& o) {
      return o.done != nullptr && o.number < count;
    };
    while (std::ranges::any_of(operations_, is_under_way)) reap();
  }

 private:
  struct operation {
    bool writes = false;
    int descriptor = -1;
    std::uint64_t at = 0;
    char* data = nullptr;
    std::size_t size = 0;
    std::size_t* done = nullptr;  // null: not in use
    std::error_code* ec = nullptr;
    std::size_t offset = 0;  // start of the current transfer, as an offset in the request
    int idle_calls = 0;
    std::uint64_t number = 0;    // operations are numbered in the order of start()
    std::uint64_t transfer = 0;  // transfers are numbered in the order of prepare()
  };

  explicit uring_queue(unsigned depth) : operations_(depth) {
    for (unsigned i = depth; i-- != 0;) free_.push_back(i);
  }

  void start(const operation& added) noexcept {
    *added.done = 0;
    added.ec->clear();
    if (added.size == 0) return;
    while (free_.empty()) reap();
    const unsigned slot = free_.back();
    free_.pop_back();
    operations_[slot] = added;
    operations_[slot].number = started_++;
    prepare(slot);
    if (ring_abandoned_) finish_by_blocking_calls(slot);
  }

  void prepare(unsigned slot) noexcept {
    operation& o = operations_[slot];
    o.transfer = prepared_++;
    if (ring_abandoned_) return;
    // The ring has room, because the ring has at least as many entries as there are operations.
    io_uring_sqe* const entry = ::io_uring_get_sqe(&ring_);
    char* const data = o.data + o.offset;
    const auto size = static_cast<unsigned>(std::min(o.size - o.offset, longest_request));
    if (o.writes)
      ::io_uring_prep_write(entry, o.descriptor, data, size, o.at + o.offset);
    else
      ::io_uring_prep_read(entry, o.descriptor, data, size, o.at + o.offset);
    entry->user_data = slot;
  }

  /// Waits until a quarter of the requests in flight have ended, and handles all completions that
  /// have arrived. Each call of the kernel makes the disk start once more. In a virtual machine
  /// such a start takes as long as several reads. So a call starts many requests.
  void reap() noexcept {
    const no_cancel guard;
    const std::size_t in_flight = operations_.size() - free_.size();
    const auto some = static_cast<unsigned>((in_flight + 3) / 4);
    const int result = ::io_uring_submit_and_wait(&ring_, some);
    if (take_completions() != 0 || result >= 0) {
      refusals_ = 0;
    } else if (result == -EAGAIN || result == -EBUSY) {
      // The system has no memory, perhaps only for a moment.
      if (++refusals_ == most_refusals) return abandon_ring();
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    } else if (result != -EINTR) {
      abandon_ring();
    }
  }

  /// Handles the completions that have arrived. Returns the number of these completions.
  unsigned take_completions() noexcept {
    io_uring_cqe* entry = nullptr;
    unsigned head = 0;
    unsigned seen = 0;
    io_uring_for_each_cqe(&ring_, head, entry) {
      ++seen;
      complete(static_cast<unsigned>(entry->user_data), entry->res);
    }
    ::io_uring_cq_advance(&ring_, seen);
    return seen;
  }

  /// Called if the system refuses the ring's calls, or if the program has closed the ring's
  /// descriptor. The kernel still carries out the transfers that it has taken from the ring, and
  /// uses the memory of these transfers. So this thread waits for these transfers, and makes the
  /// other transfers itself, by blocking calls.
  void abandon_ring() noexcept {
    ring_abandoned_ = true;
    abandon();
    // The transfers from number `seen` on are in the ring, but the kernel has not seen them.
    const std::uint64_t seen = prepared_ - ::io_uring_sq_ready(&ring_);
    const auto is_under_way = [seen](const operation& o) {
      return o.done != nullptr && o.transfer < seen;
    };
    while (std::any_of(operations_.begin(), operations_.end(), is_under_way))
      if (take_completions() == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    for (unsigned slot = 0; slot != operations_.size(); ++slot) finish_by_blocking_calls(slot);
  }

  /// Does the rest of an operation by blocking system calls.
  void finish_by_blocking_calls(unsigned slot) noexcept {
    const no_cancel guard;
    for (const operation& o = operations_[slot]; o.done != nullptr;) {
      char* const data = o.data + o.offset;
      const std::size_t size = std::min(o.size - o.offset, longest_request);
      const auto at = static_cast<off_t>(o.at + o.offset);
      const ssize_t n =
          o.writes ? ::pwrite(o.descriptor, data, size, at) : ::pread(o.descriptor, data, size, at);
      complete(slot, n < 0 ? -errno : static_cast<int>(n));
    }
  }

  void complete(unsigned slot, int result) noexcept {
    operation& o = operations_[slot];
    // If the system can't start a thread for a transfer, for example because of a limit or a
    // signal, the transfer is cancelled.
    if (result == -ECANCELED) return finish_by_blocking_calls(slot);
    if (result < 0) {
      if (result == -EINTR || (result == -EAGAIN && ++o.idle_calls < retry_policy{}.max_idle_calls))
        prepare(slot);
      else
        fail(slot, -result);
      return;
    }
    const std::size_t reached = o.offset + static_cast<std::size_t>(result);
    if (reached > *o.done) {
      *o.done = reached;
      o.idle_calls = 0;
    } else if (!o.writes && (result == 0 || is_at_end(o))) {
      release(slot);
      return;
    } else if (o.writes && o.offset != *o.done) {
      // The file takes no more of this block. A transfer that starts at the next byte will
      // report the error.
      o.offset = *o.done;
      prepare(slot);
      return;
    } else if (++o.idle_calls == retry_policy{}.max_idle_calls) {
      *o.ec = errc::no_progress;
      release(slot);
      return;
    }
    if (*o.done == o.size) {
      release(slot);
      return;
    }
    o.offset = *o.done / direct_alignment * direct_alignment;
    prepare(slot);
  }

  /// True if the file ends where the transfers have stopped, or if the end is unknown.
  static bool is_at_end(const operation& o) noexcept {
    struct stat now{};
    return get_status(o.descriptor, now) != 0 || !S_ISREG(now.st_mode) ||
           static_cast<std::uint64_t>(now.st_size) <= o.at + *o.done;
  }

  void fail(unsigned slot, int error) noexcept {
    *operations_[slot].ec = {error, std::generic_category()};
    release(slot);
  }

  void release(unsigned slot) noexcept {
    operations_[slot].done = nullptr;
    free_.push_back(slot);
  }

  static constexpr int most_refusals = 1000;

  io_uring ring_{};
  int refusals_ = 0;  // number of refusals in a row
  bool is_open_ = false;
  bool ring_abandoned_ = false;
  std::uint64_t prepared_ = 0;  // number of transfers so far
  std::vector<operation> operations_;
  // Indexes of the unused operations. The constructor reserves the memory for all indexes.
  std::vector<unsigned> free_;
};

}  // namespace

std::unique_ptr<request_queue> open_request_queue(unsigned depth) noexcept try {
  return depth == 0 ? nullptr : uring_queue::open(depth);
} catch (const std::bad_alloc&) {
  return nullptr;
}

#else

std::unique_ptr<request_queue> open_request_queue(unsigned) noexcept { return nullptr; }

#endif

}  // namespace v0
}  // namespace leat
