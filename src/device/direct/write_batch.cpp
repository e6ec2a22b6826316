// Direct writes in batches. direct.cpp calls write_batch().
#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "device/direct/batch.hpp"
#include "device/direct/rounds.hpp"

namespace leat {
inline namespace v0 {

namespace {

/// A part of at least one block is written as it is. A smaller part changes the block that contains
/// the part.
bool is_partial(const batch_part& part) noexcept { return part.size < block_size; }

/// The part of run_rounds() that differs for writes.
class write_work {
 public:
  static constexpr std::size_t rounds_at_once = 1;

  write_work(std::span<write_request> requests, device& disk, direct_mode& mode,
             queue_pool::lease& queue)
      : disk_(&disk),
        mode_(&mode),
        queue_(&queue),
        requests_(requests),
        memory_(requests, most_memory) {}

  void begin() noexcept {
    transfers_.clear();
    changed_blocks_.clear();
    memory_.release_all();
  }

  batch_part take(std::size_t request, std::size_t from) {
    const std::uint64_t at = requests_[request].at + from;
    const std::string_view rest = requests_[request].bytes.substr(from);
    const auto lead = static_cast<std::size_t>(at % block_size);
    if (lead == 0 && rest.size() >= block_size) {
      const std::size_t size = take_blocks(at, rest);
      return {request, from, size, transfers_.size() - 1};
    }
    if (!take_change(at - lead)) return {};
    return {request, from, std::min(rest.size(), block_size - lead), changed_blocks_.size() - 1};
  }

  /// Reads and changes blocks, then writes all transfers.
  void start(std::span<const batch_part> parts) {
    carry_out(std::span(changed_blocks_));
    for (const batch_part& one : parts) apply_change(one);
    write_index_.resize(changed_blocks_.size());
    for (std::size_t i = 0; i != changed_blocks_.size(); ++i) {
      write_index_[i] = transfers_.size();
      // The other changed blocks contain the file's end, are after the end, or can't be read.
      if (is_whole(changed_blocks_[i]))
        transfers_.push_back(
            {changed_blocks_[i].at, {changed_blocks_[i].into.data(), block_size}, 0, {}});
    }
    carry_out(std::span(transfers_));
  }

  void finish() noexcept {}

  void answer(const batch_part& part) noexcept {
    write_request& request = requests_[part.request];
    if (request.ec) return;
    if (is_partial(part) && !is_whole(changed_blocks_[part.transfer])) {
      request.ec = changed_blocks_[part.transfer].ec;
      if (!request.ec) write_cached(part, 0);
      return;
    }
    const write_request& transfer =
        transfers_[is_partial(part) ? write_index_[part.transfer] : part.transfer];
    // A part of a block is done only if the whole block has been written.
    const bool all = !is_partial(part) || transfer.done == block_size;
    const std::size_t n = !all ? 0 : std::min(part.size, transfer.done);
    request.ec = transfer.ec;
    if (request.ec == std::errc::invalid_argument)  // see direct_device::write_at
      write_cached(part, n);
    else
      request.done += n;
  }

  void answer_out_of_range(write_request& request) noexcept {
    request.ec = std::make_error_code(std::errc::file_too_large);
  }

 private:
  template <class Request>
  void carry_out(std::span<Request> transfers) noexcept {
    const std::uint64_t started = leat::start(*disk_, *queue_, transfers);
    if (*queue_) (*queue_)->finish_first(started);
  }

  std::string_view bytes_of(const batch_part& part) const noexcept {
    return requests_[part.request].bytes.substr(part.from, part.size);
  }
  std::uint64_t position_of(const batch_part& part) const noexcept {
    return requests_[part.request].at + part.from;
  }
  static bool is_whole(const read_request& block) noexcept { return block.done == block_size; }

  /// Makes a transfer of the whole blocks at the start of these bytes. The transfer has only as
  /// many blocks as one transfer and the memory can hold. Returns the number of bytes; 0: no memory
  /// is left in this round.
  std::size_t take_blocks(std::uint64_t at, std::string_view bytes) {
    std::size_t size = std::min(bytes.size() / block_size * block_size, largest_transfer);
    const char* data = bytes.data();
    if (!is_aligned(data)) {
      size = std::min(size, memory_.left());
      if (size == 0) return 0;
      char* const copy = memory_.take(size);
      std::memcpy(copy, data, size);
      data = copy;
    }
    transfers_.push_back({at, {data, size}, 0, {}});
    return size;
  }

  /// Adds a block that is read and changed. Returns false if no memory is left in this round. Also
  /// returns false if the block is before the last added block, because this round may have changed
  /// the block already.
  bool take_change(std::uint64_t block) {
    if (!changed_blocks_.empty() && changed_blocks_.back().at == block) return true;
    if (memory_.left() == 0 || (!changed_blocks_.empty() && block < changed_blocks_.back().at))
      return false;
    changed_blocks_.push_back({block, {memory_.take(block_size), block_size}, 0, {}});
    return true;
  }

  void apply_change(const batch_part& part) noexcept {
    if (!is_partial(part) || !is_whole(changed_blocks_[part.transfer])) return;
    const std::string_view bytes = bytes_of(part);
    std::memcpy(changed_blocks_[part.transfer].into.data() + position_of(part) % block_size,
                bytes.data(), bytes.size());
  }

  /// Writes a part through the page cache, except its first `done` bytes, which have been written.
  void write_cached(const batch_part& part, std::size_t done) noexcept {
    write_request& request = requests_[part.request];
    const direct_mode::scope cached(*mode_, false);
    const std::string_view rest = bytes_of(part).substr(done);
    request.done += done + static_cast<std::size_t>(
                               write_all(*disk_, position_of(part) + done, {&rest, 1}, request.ec));
  }

  device* disk_;
  direct_mode* mode_;
  queue_pool::lease* queue_;
  std::span<write_request> requests_;
  round_memory memory_;
  std::vector<write_request> transfers_;
  // Blocks to read and change. A block is written if it was read completely.
  std::vector<read_request> changed_blocks_;
  std::vector<std::size_t> write_index_;  // for each changed block, its index in transfers_
};

}  // namespace

void write_batch(device& disk, direct_mode& mode, queue_pool::lease& queue,
                 std::span<write_request> requests) noexcept {
  const direct_mode::scope direct(mode, true);
  run_batch<write_work>(requests, disk, mode, queue);
}

}  // namespace v0
}  // namespace leat
