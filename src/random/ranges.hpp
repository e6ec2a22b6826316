// The places of a batch in the order of the file, and the ranges that hold them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/memory_block.hpp"
#include "random/places.hpp"

namespace leat {
inline namespace v0 {

/// The unit in which systems and disks read, in bytes. Places in one page need not be sorted.
inline constexpr std::uint64_t batch_page = 4096;

/// Memory that is reused. The next call may overwrite its content.
class scratch_memory {
 public:
  scratch_memory() = default;
  scratch_memory(const scratch_memory&) = delete;
  scratch_memory& operator=(const scratch_memory&) = delete;
  ~scratch_memory() { release(block_); }

  /// At least `size` bytes, or null.
  char* get(std::size_t size) noexcept {
    size = std::max<std::size_t>(size, 1);
    if (size > block_.size) {
      release(std::exchange(block_, {}));
      if (!grow(block_, size)) return nullptr;
    }
    return block_.data;
  }

 private:
  memory_block block_;
};

/// Entries of a batch in the order of the file. A group is the entries whose places lie within the
/// length of a page. Groups are sorted; the entries of one group may stay in the caller's order,
/// and entries of one place always do.
class sorted_entries {
 public:
  /// How many entries can be sorted at once in so many bytes of memory.
  static std::size_t most_at_once(const batch_places& of, std::size_t memory) noexcept;

  /// Takes entries [first, first + count) of a batch. False without memory.
  bool sort(const batch_places& of, std::size_t first, std::size_t count) noexcept;

  std::size_t size() const noexcept { return size_; }
  std::uint64_t place(std::size_t i) const noexcept { return entries_[i] >> number_bits_; }
  /// The index of entry i in the batch.
  std::size_t number(std::size_t i) const noexcept {
    return first_ + static_cast<std::size_t>(entries_[i] & number_mask_);
  }
  std::uint64_t group(std::size_t i) const noexcept { return place(i) >> group_bits_; }

 private:
  bool sort_by_digits(const batch_places& of, unsigned place_bits) noexcept;

  scratch_memory memory_, spare_;
  // An entry is one integer: its place above, its number within the batch below.
  std::uint64_t* entries_ = nullptr;
  std::size_t size_ = 0, first_ = 0;
  unsigned number_bits_ = 0, group_bits_ = 0;
  std::uint64_t number_mask_ = 0;
};

/// Bytes to move in one request, and the entries in them.
struct merged_range {
  std::uint64_t at = 0;
  std::uint64_t size = 0;
  std::size_t first = 0, last = 0;  // of the sorted entries

  std::uint64_t end() const noexcept { return at + size; }
};

/// The ranges that hold entries [first, last), one after the other. Entries of one group always
/// share a range. Ranges of records are disjoint.
class merged_ranges {
 public:
  struct limits {
    std::uint64_t hole = batch_page;  // gaps up to this are read along; a group has no gaps
    std::uint64_t longest = 0;        // bytes of a range; its last group may make it longer
  };

  merged_ranges(const batch_places& of, const sorted_entries& entries, std::size_t first,
                std::size_t last, limits within) noexcept
      : of_(&of), entries_(&entries), next_(first), last_(last), within_(within) {}

  /// False at the end.
  bool next(merged_range& range) noexcept;
  /// For the ranges to come.
  void limit(limits within) noexcept { within_ = within; }

 private:
  const batch_places* of_;
  const sorted_entries* entries_;
  std::size_t next_, last_;
  limits within_;
};

}  // namespace v0
}  // namespace leat
