// Direct reads: batches, and single reads at any position. direct.cpp calls these functions.
#include <algorithm>
#include <cstring>
#include <vector>

#include "device/direct/batch.hpp"
#include "device/direct/direct.hpp"
#include "device/direct/rounds.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// Reads the rest of a request that can't share a transfer, or whose shared transfer has failed.
void read_alone(device& disk, read_request& request) noexcept {
  request.ec.clear();
  while (request.done != request.into.size()) {
    const std::size_t n = read_around(disk, request.at + request.done,
                                      request.into.subspan(request.done), request.ec);
    request.done += n;
    if (n == 0 && request.ec != std::errc::interrupted) return;
  }
  request.ec.clear();
}

/// The part of run_rounds() that differs for reads.
class read_work {
 public:
  static constexpr std::size_t rounds_at_once = 2;

  read_work(std::span<read_request> requests, device& disk, queue_pool::lease& queue)
      : disk_(&disk),
        queue_(&queue),
        requests_(requests),
        memory_(requests, most_memory / rounds_at_once) {}
  read_work(const read_work&) = delete;
  read_work& operator=(const read_work&) = delete;
  ~read_work() { finish(); }

  void begin() noexcept {
    transfers_.clear();
    memory_.release_all();
  }

  batch_part take(std::size_t request, std::size_t from) {
    const std::uint64_t at = requests_[request].at + from;
    const std::size_t left = requests_[request].into.size() - from;
    if (!is_in_last_transfer(at) && !extend(at, left)) return {};
    const read_request& last = transfers_.back();
    const auto offset = static_cast<std::size_t>(at - last.at);
    return {request, from, std::min(left, last.into.size() - offset), transfers_.size() - 1};
  }

  void start(std::span<const batch_part>) noexcept {
    started_ = leat::start(*disk_, *queue_, std::span(transfers_));
  }

  void finish() noexcept {
    if (*queue_) (*queue_)->finish_first(started_);
  }

  void answer(const batch_part& part) noexcept {
    read_request& request = requests_[part.request];
    const read_request& transfer = transfers_[part.transfer];
    if (request.done != part.from || request.ec) return;  // the request has already ended
    const auto offset = static_cast<std::size_t>(request.at + part.from - transfer.at);
    const std::size_t available = std::max(transfer.done, offset) - offset;
    const std::size_t n = std::min(part.size, available);
    if (n != 0) std::memcpy(request.into.data() + part.from, transfer.into.data() + offset, n);
    request.done += n;
    // The error may concern only the bytes of another request.
    if (n != part.size && transfer.ec) read_alone(*disk_, request);
  }

  void answer_out_of_range(read_request& request) noexcept { read_alone(*disk_, request); }

 private:
  /// The most transfers of one round: all rounds together fill a queue of the default depth. More
  /// transfers would use more memory, and the first use of memory takes time.
  static constexpr std::size_t most_transfers = direct_device::default_depth / rounds_at_once;

  bool is_in_last_transfer(std::uint64_t at) const noexcept {
    return !transfers_.empty() && at >= transfers_.back().at &&
           at - transfers_.back().at < transfers_.back().into.size();
  }

  /// Makes the last transfer, or a new transfer, cover at least the first of these bytes. Returns
  /// false if this round has no room for a byte. Throws std::bad_alloc.
  bool extend(std::uint64_t at, std::size_t size) {
    const std::uint64_t first = block_begin(at);
    const std::uint64_t end = block_begin(at + size + block_size - 1);
    auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(end - first, largest_transfer));
    wanted = std::min(wanted, memory_.left());
    if (wanted == 0) return false;
    if (!transfers_.empty()) {
      read_request& last = transfers_.back();
      const std::size_t last_size = last.into.size();
      if (first == last.at + last_size && last_size < largest_transfer) {
        wanted = std::min(wanted, largest_transfer - last_size);
        memory_.take(wanted);  // this memory follows the memory of the last transfer
        last.into = {last.into.data(), last_size + wanted};
        return true;
      }
    }
    if (transfers_.size() == most_transfers) return false;
    transfers_.push_back({first, {memory_.take(wanted), wanted}, 0, {}});
    return true;
  }

  device* disk_;
  queue_pool::lease* queue_;
  std::span<read_request> requests_;
  round_memory memory_;
  std::vector<read_request> transfers_;
  std::uint64_t started_ = 0;  // finish_first() of this number waits for the transfers
};

}  // namespace

void read_batch(device& disk, queue_pool::lease& queue, std::span<read_request> requests) noexcept {
  run_batch<read_work>(requests, disk, queue);
}

std::size_t read_around(device& disk, std::uint64_t at, std::span<char> into,
                        std::error_code& ec) noexcept try {
  const auto lead = static_cast<std::size_t>(at % block_size);
  const std::size_t wanted = std::min(lead + into.size(), largest_transfer);
  const std::size_t size = (wanted + block_size - 1) / block_size * block_size;
  const aligned_memory memory = allocate_aligned(size);
  std::size_t got = disk.read_at(at - lead, {memory.get(), size}, ec);
  if (got != 0 && got <= lead && !ec)  // a short read, or the end
    got = read_all(disk, at - lead, {memory.get(), size}, ec, block_size);
  const std::size_t n = got <= lead ? 0 : std::min(into.size(), got - lead);
  if (n != 0) std::memcpy(into.data(), memory.get() + lead, n);
  return n;
} catch (const std::bad_alloc&) {
  ec = std::make_error_code(std::errc::not_enough_memory);
  return 0;
}

}  // namespace v0
}  // namespace leat
