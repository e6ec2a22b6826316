// Single reads of cached bytes through a mapping. random_access::read_at() and small batches make
// these reads.
#pragma once

#include <leat/device.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "device/mapping.hpp"

namespace leat {
inline namespace v0 {

/// Counts the single reads of each block of a file. A block that is read often, and that is in the
/// page cache, is read through a mapping from then on: a copy takes a 30th of the time of a system
/// call. The page fault that maps a block takes as long as up to 8 system calls. So
/// `reads_before_fault` system calls come before the fault: a block that is never read again after
/// the fault loses a sixth of its time.
///
/// If a thread has read a block often and goes on to the next block, or to the block before, the
/// new block's count starts at the old block's count. So a loop over all records has one system
/// call for each block, after the first blocks.
///
/// Several threads may use an object at once. The mapping stays until unmap() or the destructor.
class mapped_reads {
 public:
  /// If mappings are not `allowed`, each read() returns false.
  explicit mapped_reads(bool allowed) noexcept : reads_(allowed ? 0 : reads_before_mapping) {}
  mapped_reads(const mapped_reads&) = delete;
  mapped_reads& operator=(const mapped_reads&) = delete;
  ~mapped_reads() { delete view_.load(std::memory_order_relaxed); }

  /// Fills `into` with the bytes from `at` on. `file` is always the same device. Returns false if
  /// the caller must read the bytes from `file`: the block is not mapped yet, the mapping does not
  /// have the bytes, or the file may have lost the bytes.
  bool read(device& file, std::uint64_t at, std::span<char> into) noexcept {
    if (const view* const mapped = view_.load(std::memory_order_acquire); mapped != nullptr)
      return read(*mapped, file, at, into);
    if (reads_.load(std::memory_order_relaxed) < reads_before_mapping) count(file, at);
    return false;
  }
  /// Counts a read of a small batch that has the bytes of `n` records, as n reads.
  void count_range(device& file, std::uint64_t at, std::uint64_t size, std::size_t n) noexcept;
  /// If the file is mapped, prefetches the byte at `at`.
  void prefetch(std::uint64_t at) const noexcept {
    const view* const mapped = view_.load(std::memory_order_acquire);
    if (mapped != nullptr && at < mapped->bytes.view().size())
      __builtin_prefetch(mapped->bytes.view().data() + at);
  }
  /// True if the byte at `at` is in a block that is read through the mapping.
  bool is_mapped(std::uint64_t at) const noexcept {
    const view* const mapped = view_.load(std::memory_order_acquire);
    return mapped != nullptr && at < mapped->bytes.view().size() &&
           mapped->reads[static_cast<std::size_t>(at / block) + 1].load(
               std::memory_order_relaxed) >= reads_before_fault;
  }

  /// Ends the use of the mapping. Must be called before the file is closed, while no other thread
  /// uses the object.
  void unmap() noexcept {
    reads_ = reads_before_mapping;
    delete view_.exchange(nullptr);
  }

  static constexpr std::uint64_t block = std::uint64_t{64} << 10;  // what one page fault maps
  static constexpr std::uint8_t reads_before_fault = 48;
  /// Mapping and unmapping the file takes as long as 30 reads. A read near the previous read counts
  /// as 4 reads, because the mapping will then probably be used.
  static constexpr unsigned reads_before_mapping = 512;
  /// In bytes. Longer reads gain less from a mapping.
  static constexpr std::size_t longest = 8192;

 private:
  using counter = std::atomic<std::uint8_t>;
  struct view {
    mapping bytes;
    /// The reads of each block. There is one more counter before the first block, and one more
    /// counter after the last block.
    std::unique_ptr<counter[]> reads;
  };

  static view* map(device& file, std::uint64_t at) noexcept;
  static bool read(const view& mapped, device& file, std::uint64_t at,
                   std::span<char> into) noexcept;
  static bool read_and_count(device& file, std::uint64_t at, std::span<char> into, counter& reads,
                             bool goes_on) noexcept;
  void count(device& file, std::uint64_t at) noexcept;
  void count(device& file, std::uint64_t at, unsigned more) noexcept;

  std::atomic<view*> view_{nullptr};
  // Until `view_` is set, or could not be made:
  std::atomic<unsigned> reads_;
  std::atomic<bool> is_tried_{false};   // a thread makes `view_`, or has tried to
  std::atomic<std::uint64_t> last_{0};  // the position of the last read
};

}  // namespace v0
}  // namespace leat
