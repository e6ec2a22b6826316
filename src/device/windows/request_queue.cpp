// The request_queue of Windows, by overlapped transfers. The pool in device/request_queue.cpp opens
// the queues. On a handle that was not opened with FILE_FLAG_OVERLAPPED the transfers run one after
// another.
#include <windows.h>

#include <algorithm>
#include <new>

#include "device/request_queue.hpp"
#include "device/transfer.hpp"
#include "device/windows/system.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// The most bytes of one transfer. The system counts bytes with 32 bits.
constexpr std::size_t max_transfer_size = std::size_t{1} << 30;

class overlapped_queue final : public request_queue {
 public:
  static std::unique_ptr<request_queue> open(unsigned depth) {
    auto made = std::make_unique<overlapped_queue>(depth);
    for (auto& one : made->operations_) {
      one.overlapped.hEvent = ::CreateEventW(nullptr, TRUE, FALSE, nullptr);
      if (one.overlapped.hEvent == nullptr) return nullptr;
    }
    return made;
  }
  explicit overlapped_queue(unsigned depth) : operations_(depth) {}
  ~overlapped_queue() override {
    finish();
    for (const auto& one : operations_)
      if (one.overlapped.hEvent != nullptr) ::CloseHandle(one.overlapped.hEvent);
  }

  void start(native_handle_type handle, read_request& one) noexcept override {
    start(handle, false, one.at, one.into.data(), one.into.size(), one.done, one.ec);
  }
  void start(native_handle_type handle, write_request& one) noexcept override {
    start(handle, true, one.at, const_cast<char*>(one.bytes.data()), one.bytes.size(), one.done,
          one.ec);
  }
  void finish_first(std::uint64_t count) noexcept override {
    while (finished_ < count) wait_for_oldest();
  }

 private:
  struct operation {
    OVERLAPPED overlapped{};
    HANDLE handle = no_handle;
    bool writes = false;
    std::uint64_t at = 0;
    char* data = nullptr;
    std::size_t size = 0;
    std::size_t* done = nullptr;  // null: not in use
    std::error_code* ec = nullptr;
    std::size_t offset = 0;  // start of the current transfer, as an offset in the request
    DWORD start_error = 0;   // the error of starting the transfer
    int idle_calls = 0;
  };

  void start(HANDLE handle, bool writes, std::uint64_t at, char* data, std::size_t size,
             std::size_t& done, std::error_code& ec) noexcept {
    done = 0;
    ec.clear();
    if (size == 0) return;
    operation& o = operations_[next_];
    if (o.done != nullptr) wait_for_oldest();
    next_ = (next_ + 1) % operations_.size();
    ++started_;
    const HANDLE event = o.overlapped.hEvent;
    o = {};
    o.overlapped.hEvent = event;
    o.handle = handle;
    o.writes = writes;
    o.at = at;
    o.data = data;
    o.size = size;
    o.done = &done;
    o.ec = &ec;
    start_transfer(o);
  }

  static void start_transfer(operation& o) noexcept {
    const std::uint64_t at = o.at + o.offset;
    const HANDLE event = o.overlapped.hEvent;
    o.overlapped = {};
    o.overlapped.hEvent = event;
    o.overlapped.Offset = static_cast<DWORD>(at);
    o.overlapped.OffsetHigh = static_cast<DWORD>(at >> 32);
    const auto size = static_cast<DWORD>(std::min(o.size - o.offset, max_transfer_size));
    char* const data = o.data + o.offset;
    const bool started = (o.writes ? ::WriteFile(o.handle, data, size, nullptr, &o.overlapped)
                                   : ::ReadFile(o.handle, data, size, nullptr, &o.overlapped)) != 0;
    const DWORD why = started ? ERROR_SUCCESS : ::GetLastError();
    o.start_error = why == ERROR_IO_PENDING ? ERROR_SUCCESS : why;
  }

  /// Waits for the operation that was started first. The elements of operations_ are used in a
  /// circle.
  void wait_for_oldest() noexcept {
    operation& o = operations_[oldest_];
    oldest_ = (oldest_ + 1) % operations_.size();
    while (o.done != nullptr) complete(o);
    ++finished_;
  }

  static void complete(operation& o) noexcept {
    DWORD moved = 0;
    DWORD why = o.start_error;
    if (why == ERROR_SUCCESS && ::GetOverlappedResult(o.handle, &o.overlapped, &moved, TRUE) == 0)
      why = ::GetLastError();
    if (why != ERROR_SUCCESS && why != ERROR_HANDLE_EOF) {
      *o.ec = {static_cast<int>(why), std::system_category()};
      o.done = nullptr;
      return;
    }
    const std::size_t reached = o.offset + moved;
    if (reached > *o.done) {
      *o.done = reached;
      o.idle_calls = 0;
    } else if (!o.writes) {
      o.done = nullptr;  // the end of the file
      return;
    } else if (++o.idle_calls == retry_policy{}.max_idle_calls) {
      *o.ec = errc::no_progress;
      o.done = nullptr;
      return;
    }
    if (*o.done == o.size) {
      o.done = nullptr;
      return;
    }
    o.offset = *o.done / direct_alignment * direct_alignment;
    start_transfer(o);
  }

  std::vector<operation> operations_;
  std::size_t next_ = 0;  // the operation that is started next
  // The operation to wait for first. If oldest_ equals next_, all operations are in use, or none.
  std::size_t oldest_ = 0;
  std::uint64_t finished_ = 0;  // number of requests that have ended
};

}  // namespace

std::unique_ptr<request_queue> open_request_queue(unsigned depth) noexcept try {
  return depth == 0 ? nullptr : overlapped_queue::open(depth);
} catch (const std::bad_alloc&) {
  return nullptr;
}

}  // namespace v0
}  // namespace leat
