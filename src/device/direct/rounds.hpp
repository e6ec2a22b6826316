// Rounds: a batch of any number and size of requests is carried out with little memory.
// read_batch.cpp and write_batch.cpp call run_batch().
#pragma once

#include <leat/device.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include "device/direct/blocks.hpp"
#include "device/request_queue.hpp"

namespace leat {
inline namespace v0 {

inline constexpr std::size_t largest_transfer = 1 << 20;
/// The most bytes of memory that a batch allocates for its transfers.
inline constexpr std::size_t most_memory = 8 << 20;

/// Returns the number of requested bytes.
inline std::size_t size_of(const read_request& one) noexcept { return one.into.size(); }
inline std::size_t size_of(const write_request& one) noexcept { return one.bytes.size(); }

/// Memory for the transfers of one round: `most` bytes, or fewer if the batch needs fewer.
class round_memory {
 public:
  /// Allocates the memory for rounds of these requests. Throws std::bad_alloc.
  template <class Request>
  round_memory(std::span<Request> requests, std::size_t most) {
    for (const auto& one : requests) {
      size_ += std::min(size_of(one), most) + 2 * block_size;
      if (size_ >= most) break;
    }
    size_ = std::min(size_ / block_size * block_size, most);
    memory_ = allocate_aligned(size_);
  }

  std::size_t left() const noexcept { return size_ - used_; }
  /// Returns the next `size` bytes. At least `size` bytes must be left.
  char* take(std::size_t size) noexcept {
    char* const taken = memory_.get() + used_;
    used_ += size;
    return taken;
  }
  void release_all() noexcept { used_ = 0; }

 private:
  std::size_t size_ = 0, used_ = 0;
  aligned_memory memory_;
};

/// Bytes of one request that belong to one transfer.
struct batch_part {
  std::size_t request;   ///< an index into the batch
  std::size_t from;      ///< the offset of the first byte in the request
  std::size_t size;      ///< number of bytes; 0: the next round takes the bytes
  std::size_t transfer;  ///< an index into the round's transfers, or into its changed blocks
};

/// Starts transfers of whole blocks, several at a time if there is a queue. Returns a number:
/// finish_first() of this number waits for the transfers. Without a queue, the transfers have ended
/// at the return.
template <class Request>
std::uint64_t start(device& disk, queue_pool::lease& queue, std::span<Request> transfers) noexcept {
  if (!queue) {
    for (auto& one : transfers) transfer(disk, one);
    return 0;
  }
  for (auto& one : transfers) queue->start(direct_handle(disk), one);
  return queue->started();
}

/// Carries out a batch in rounds. A round takes the next bytes of the requests in their order,
/// until the round has 2^14 parts or its Work has no room for more bytes. The round makes transfers
/// of whole blocks, carries out the transfers, and copies the results of the transfers to the
/// requests.
/// Rounds may overlap: while the transfers of the second round are under way, the results of the
/// first round are copied and the third round starts.
///
/// A Work has what differs between reading and writing:
///   rounds_at_once                the most rounds at the same time, each with a Work of its own
///   begin()                       forgets the transfers of the previous round
///   take(request, from)           adds bytes of a request, from offset `from` on, to a transfer;
///                                 returns a part of size 0 if the next round must take them
///   start(parts)                  starts the transfers
///   finish()                      waits until the transfers have ended
///   answer(part)                  copies the result of the transfer to the request
///   answer_out_of_range(request)  answers a request whose position or size is above 2^62: no file
///                                 has blocks at such positions
template <class Work, class Request, class... Args>
void run_rounds(std::span<Request> requests, Args&... args) {
  constexpr std::size_t most_parts = 1 << 14;
  constexpr std::uint64_t largest = std::uint64_t{1} << 62;
  struct round {
    explicit round(std::span<Request> all, Args&... rest) : work(all, rest...) {}
    Work work;
    std::vector<batch_part> parts;
  };
  std::array<std::optional<round>, Work::rounds_at_once> rounds;
  std::size_t next = 0, from = 0;  // the first byte that no round has taken
  const auto skip = [&] {
    ++next;
    from = 0;
  };
  const auto answer = [&](round& done) {
    done.work.finish();
    for (const batch_part& part : done.parts) {
      const Request& one = requests[part.request];
      done.work.answer(part);
      // If the request has met an error or the end of the file, no round takes its other bytes.
      if (part.request == next && (one.ec || one.done != part.from + part.size)) skip();
    }
    done.parts.clear();
  };
  const auto fill = [&](round& empty) {
    empty.work.begin();
    while (next != requests.size() && empty.parts.size() != most_parts) {
      Request& one = requests[next];
      if (from == size_of(one)) {
        skip();
      } else if (one.at > largest || size_of(one) > largest) {
        empty.work.answer_out_of_range(one);
        skip();
      } else {
        const batch_part part = empty.work.take(next, from);
        if (part.size == 0) break;
        empty.parts.push_back(part);
        from += part.size;
      }
    }
    empty.work.start(empty.parts);
  };
  for (std::size_t i = 0, unused = 0; unused != rounds.size(); i = (i + 1) % rounds.size()) {
    std::optional<round>& oldest = rounds[i];
    if (oldest) answer(*oldest);
    if (next == requests.size()) {
      ++unused;
    } else {
      if (!oldest) oldest.emplace(requests, args...);
      fill(*oldest);
    }
  }
}

/// Carries out a batch by a Work that is made of the requests and these arguments. If there is no
/// memory, incomplete requests end with not_enough_memory.
template <class Work, class Request, class... Args>
void run_batch(std::span<Request> requests, Args&... args) noexcept {
  for (auto& one : requests) {
    one.done = 0;
    one.ec.clear();
  }
  try {
    run_rounds<Work>(requests, args...);
  } catch (const std::bad_alloc&) {
    for (auto& one : requests)
      if (!one.ec && one.done != size_of(one))
        one.ec = std::make_error_code(std::errc::not_enough_memory);
  }
}

}  // namespace v0
}  // namespace leat
