// The positions of a batch in file order, and the ranges that contain these positions. Used by the
// steps of a batch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/memory_block.hpp"
#include "random/positions.hpp"

namespace leat {
inline namespace v0 {

/// The unit in which kernels and disks read, in bytes. Positions in one page need not be sorted.
inline constexpr std::uint64_t batch_page = 4096;

/// Reusable memory, which the next call of get() may free.
class scratch_memory {
 public:
  scratch_memory() = default;
  scratch_memory(const scratch_memory&) = delete;
  scratch_memory& operator=(const scratch_memory&) = delete;
  ~scratch_memory() { release(block_); }

  /// Returns at least `size` bytes, or null if there is no memory.
  char* get(std::size_t size) noexcept {
    if (size <= few_.size()) return few_.data();
    if (size > block_.size) {
      release(std::exchange(block_, {}));
      if (!grow(block_, size)) return nullptr;
    }
    return block_.data;
  }

 private:
  alignas(std::uint64_t) std::array<char, 512> few_;  // enough for most batches of 64 positions
  memory_block block_;
};

/// Entries of a batch in file order. A group is one position, or consecutive positions whose
/// records together are at most as long as a page: for records of 4 bytes, positions 0 to 1023 are
/// the first group. Groups are sorted. The entries of one group may stay in the caller's order, and
/// entries of one position always do.
class sorted_entries {
 public:
  /// Returns the number of entries that can be sorted at once in `memory` bytes. Less than 8 KiB of
  /// memory counts as 8 KiB.
  static std::size_t most_at_once(const batch_positions& input, std::size_t memory) noexcept;

  /// Sorts entries [first, first + count) of a batch. `count` must not exceed the result of
  /// most_at_once(). Returns false if there is no memory.
  bool sort(const batch_positions& input, std::size_t first, std::size_t count) noexcept;

  std::size_t size() const noexcept { return size_; }
  std::uint64_t position(std::size_t i) const noexcept { return entries_[i] >> index_bits_; }
  /// The index of entry i in the batch.
  std::size_t index(std::size_t i) const noexcept {
    return first_ + static_cast<std::size_t>(entries_[i] & index_mask_);
  }
  std::uint64_t group(std::size_t i) const noexcept { return position(i) >> group_bits_; }

 private:
  bool sort_by_digits(const batch_positions& input, unsigned position_bits) noexcept;

  scratch_memory memory_, spare_;
  // An entry is one integer: its position in the high bits, its index from `first_` on in the low
  // bits.
  std::uint64_t* entries_ = nullptr;
  std::size_t size_ = 0, first_ = 0;
  unsigned index_bits_ = 0, group_bits_ = 0;
  std::uint64_t index_mask_ = 0;
};

/// The bytes of one request, and the entries in them.
struct merged_range {
  std::uint64_t at = 0;
  std::uint64_t size = 0;
  std::size_t first = 0, last = 0;  // the sorted entries [first, last)

  std::uint64_t end() const noexcept { return at + size; }
};

/// The ranges that contain entries [first, last), one after the other. Entries of one group always
/// share a range. Ranges of records are disjoint.
class merged_ranges {
 public:
  struct limits {
    std::uint64_t gap = batch_page;  // larger gaps are not read, except within a group
    std::uint64_t longest = 0;       // size limit of a range; the range's last group may exceed it
  };

  merged_ranges(const batch_positions& input, const sorted_entries& entries, std::size_t first,
                std::size_t last, limits within) noexcept
      : input_(&input), entries_(&entries), next_(first), last_(last), limits_(within) {}

  /// Sets `range` to the next range. Returns false at the end.
  bool next(merged_range& range) noexcept;
  /// Sets the limits of the following ranges.
  void set_limits(limits within) noexcept { limits_ = within; }

 private:
  const batch_positions* input_;
  const sorted_entries* entries_;
  std::size_t next_, last_;
  limits limits_;
};

}  // namespace v0
}  // namespace leat
