// The input of a batch: positions in a file, in the caller's order. Made by batches.cpp.
#pragma once

#include <leat/file.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace leat {
inline namespace v0 {

/// The entries of a batch: records or ranges of bytes. An entry's position is the key by which
/// batches are sorted: the number of a record, for example 7, or the offset of a range. The object
/// refers to the caller's list, so the list must stay valid and unchanged during the batch.
class batch_positions {
 public:
  batch_positions(const detail::record_layout& records, detail::position_list list) noexcept
      : list_(list), layout_(records) {}
  explicit batch_positions(std::span<const byte_range> ranges, std::uint64_t file_size) noexcept
      : ranges_(ranges.data()), list_{nullptr, ranges.size()}, layout_{0, 1, 0, file_size + 1} {}

  std::size_t count() const noexcept { return list_.size; }
  /// Returns the first number that is not a position in the file.
  std::uint64_t limit() const noexcept { return layout_.count; }
  /// Copies the positions of entries [first, first + into.size()).
  void load(std::size_t first, std::span<std::uint64_t> into) const noexcept;
  std::uint64_t position(std::size_t entry) const noexcept {
    std::uint64_t one = 0;
    load(entry, {&one, 1});
    return one;
  }
  std::uint64_t offset(std::uint64_t position) const noexcept {
    return layout_.header + position * layout_.stride;
  }
  std::uint64_t size(std::size_t entry) const noexcept {
    return ranges_ == nullptr ? layout_.size : ranges_[entry].size;
  }
  /// The total size of the entries before `entry`, in bytes.
  std::uint64_t bytes_before(std::size_t entry) const noexcept {
    if (ranges_ == nullptr) return entry * layout_.size;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i != entry; ++i) sum += ranges_[i].size;
    return sum;
  }
  const detail::record_layout& layout() const noexcept { return layout_; }

  /// The first entry that is not in the file, or count().
  std::size_t first_outside() const noexcept;
  /// True for ranges of bytes, false for records.
  bool has_ranges() const noexcept { return ranges_ != nullptr; }
  /// Returns a text about an entry that is not in the file: "position 12 of 5", or "range 3: 8
  /// bytes at 100, the file has 104".
  std::string describe(std::size_t entry) const;
  /// The end of the last record or range that the file can have, in bytes. If the file has no
  /// records, the largest std::uint64_t.
  std::uint64_t end() const noexcept {
    if (ranges_ != nullptr || layout_.count == 0) return layout_.count - 1;
    return offset(layout_.count - 1) + layout_.size;
  }
  /// The number of bytes in which positions can lie: the bytes of all records, or of the file.
  std::uint64_t extent() const noexcept {
    return ranges_ != nullptr ? layout_.count - 1 : layout_.count * layout_.stride;
  }

 private:
  const byte_range* ranges_ = nullptr;
  detail::position_list list_;
  detail::record_layout layout_;
};

}  // namespace v0
}  // namespace leat
